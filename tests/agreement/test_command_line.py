"""``codejury agreement``, in a process of its own."""

import json
from pathlib import Path

import pytest

from app.config import Settings
from app.storage.engine import Database
from tests.agreement.study import SLUG, documents
from tests.dashboards.test_command_line import codejury

pytestmark = pytest.mark.sqlite_is_enough


def test_it_measures_and_writes_what_is_stored(surveyed: Database, settings: Settings, tmp_path: Path) -> None:
    target = tmp_path / "agreement.json"
    answer = codejury(settings, "agreement", SLUG, "--json", str(target), "--draws", "150", "--seed", "3")
    assert answer.returncode == 0, answer.stderr
    assert "8 measurements of the grades, 8 of them new." in answer.stderr
    assert target.read_text(encoding="utf-8") == documents(surveyed)
    found = json.loads(target.read_bytes())
    assert {each["signature"]["parameters"]["seed"] for each in found} == {3}
    answer = codejury(settings, "agreement", SLUG, "--draws", "7")
    assert answer.returncode == 2
    assert "--draws" in answer.stderr
