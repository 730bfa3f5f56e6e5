"""A hundred people grade for a team while analyses are computed: nobody is refused, no grade lost or doubled.

How quick it is, `make bench` measures for ten minutes.
"""

import re
import subprocess
import sys

import pytest

from app.config import PROJECT_ROOT

COMMAND = [sys.executable, "-m", "benchmarks.team_load", "--seconds", "20", "--think", "2"]


@pytest.mark.slow
@pytest.mark.xdist_group("team")
@pytest.mark.usefixtures("reused_postgres", "redis_url")  # where one of them is missing, they say so
def test_a_team_grades_while_analyses_are_computed() -> None:
    ended = subprocess.run(COMMAND, cwd=PROJECT_ROOT, capture_output=True, text=True, timeout=500, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "no failure" in ended.stdout
    found = re.search(
        r"acknowledged ([\d,]+), stored ([\d,]+), lost 0, doubled 0, most grades of an item [1-9]", ended.stdout
    )
    assert found, ended.stdout
    assert found[1] == found[2] != "0"
    assert re.search(r"beside [1-9]\d* analyses", ended.stdout)
