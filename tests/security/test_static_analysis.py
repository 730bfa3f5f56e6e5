"""bandit finds nothing of medium weight or more in what runs, and each exception says what it is and why."""

import json
import re
import subprocess
import sys
from pathlib import Path

from app.config import PROJECT_ROOT

PYPROJECT = PROJECT_ROOT / "pyproject.toml"
CODE = [PROJECT_ROOT / folder for folder in ("app", "workers", "migrations")]
REASONED = re.compile(r"# (?:noqa: \w+ - )?\w[^#]{10,}# nosec B\d{3}$")
UNSAFE = (
    "import pickle\nimport hashlib\nimport tempfile\nimport yaml\n"
    "def load(session, data, name):\n"
    "    yaml.load(data)\n"
    "    hashlib.md5(data)\n"
    '    open("/tmp/codejury-" + name)\n'
    "    session.execute(f\"SELECT * FROM users WHERE name = '{name}'\")\n"
    "    return pickle.loads(data)\n"
)


def _findings(*paths: Path) -> list[str]:
    bandit = [sys.executable, "-m", "bandit", "--configfile", str(PYPROJECT), "--severity-level", "medium"]
    ran = subprocess.run(
        [*bandit, "--format", "json", "--quiet", "--recursive", *map(str, paths)],
        capture_output=True,
        text=True,
        check=False,
    )
    report = json.loads(ran.stdout)
    assert report["errors"] == []
    assert report["metrics"]["_totals"]["loc"] > 0
    return [f"{each['filename']}:{each['line_number']}: {each['test_id']}" for each in report["results"]]


def test_bandit_finds_nothing() -> None:
    assert _findings(*CODE) == []


def test_each_exception_names_its_rule_and_its_reason() -> None:
    for folder in CODE:
        for path in folder.rglob("*.py"):
            for line in path.read_text().splitlines():
                assert "nosec" not in line or REASONED.search(line), f"{path}: {line.strip()}"


def test_bandit_would_find_something(tmp_path: Path) -> None:
    file = tmp_path / "unsafe.py"
    file.write_text(UNSAFE)
    found = {finding.rsplit(" ", 1)[1] for finding in _findings(file)}
    assert found >= {"B301", "B324", "B506", "B608"}
