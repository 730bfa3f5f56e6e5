"""The commands that a bundle's README gives make every number again, in another installation."""

import re
import shlex
from pathlib import Path

import pytest

from tests.dashboards.test_command_line import codejury
from tests.exports.rich import SLUG
from tests.exports.steps import analysed, exported, measured, members
from tests.imports.helpers import Importer

pytestmark = pytest.mark.postgres


def commands_of(readme: str) -> list[list[str]]:
    """What stands under "Recompute it", a command each."""
    section = readme.split("Recompute it\n", 1)[1].split("\n\n", 1)[0]
    return [shlex.split(line) for line in section.replace("\\\n", " ").splitlines()]


def test_the_commands_make_the_same_numbers_again(here: Importer, empty: Importer, tmp_path: Path) -> None:
    analysed(here), measured(here)
    data = exported(here)
    files = members(data)
    (tmp_path / f"{SLUG}.zip").write_bytes(data)
    places = {f"{SLUG}.zip", "again.json", "measured-again.json"}
    compared = []
    for program, *words in commands_of(files["README.txt"].decode()):
        if program == "cmp":
            compared.append(words[0])
            assert (tmp_path / words[1]).read_bytes() == files[words[0]]
        else:
            arguments = [str(tmp_path / word) if word in places else word for word in words]
            answer = codejury(empty.settings, *arguments)
            assert answer.returncode == 0, answer.stderr
    assert compared == ["analysis.json", "measurements.json"]


@pytest.mark.sqlite_is_enough
def test_without_measurements_there_is_nothing_to_compare_with(here: Importer) -> None:
    readme = members(exported(here))["README.txt"].decode()
    assert re.search(rf"^  codejury agreement {SLUG} --json measured-again\.json$", readme, re.MULTILINE)
    assert "cmp measurements.json" not in readme
