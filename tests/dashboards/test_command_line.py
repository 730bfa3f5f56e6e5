"""``codejury analyse`` and ``codejury export``, in a process of their own."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

from app.config import PROJECT_ROOT, Settings
from app.storage.engine import Database
from tests.dashboards.study import METRICS, SLUG


def codejury(settings: Settings, *arguments: str) -> subprocess.CompletedProcess[str]:
    places = {"CODEJURY_DATA_DIR": str(settings.data_dir), "DATABASE_URL": settings.effective_database_url}
    return subprocess.run(
        [sys.executable, "-m", "app.cli", *arguments],
        cwd=PROJECT_ROOT,
        env={"PATH": "/usr/bin:/bin", **places},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_analyse_then_export(graded: Database, settings: Settings, tmp_path: Path) -> None:
    metrics = [part for name in METRICS for part in ("--metric", name)]
    target, bundle = tmp_path / "analysis.json", tmp_path / "study.zip"
    answer = codejury(
        settings, "analyse", SLUG, "--json", str(target), "--draws", "150", "--bins", "0 3 100", *metrics
    )
    assert answer.returncode == 0, answer.stderr
    document = json.loads(target.read_text(encoding="utf-8"))
    assert document["settings"]["draws"] == 150
    assert document["bins"] == [[0, 3], [3, 100]]
    answer = codejury(settings, "export", SLUG, "--to", str(bundle))
    assert answer.returncode == 0, answer.stderr
    with zipfile.ZipFile(bundle) as archive:
        assert archive.read("analysis.json") == target.read_bytes()


def test_what_cannot_be_used_is_named(graded: Database, settings: Settings) -> None:
    answer = codejury(settings, "analyse", SLUG, "--draws", "7")
    assert answer.returncode == 2
    assert "--draws" in answer.stderr
    answer = codejury(settings, "analyse", SLUG, "--bins", "5 2")
    assert answer.returncode == 2
    assert "--bins" in answer.stderr
    assert "Value error" not in answer.stderr
    answer = codejury(settings, "analyse", "nothing")
    assert answer.returncode == 1
    assert f"There is no study 'nothing'.\nStudies here: {SLUG}." in answer.stderr
    for wrong in (["export", SLUG, "--to", "absent/x.zip"], ["analyse", SLUG, "--json", "absent/x.json"]):
        answer = codejury(settings, *wrong)
        assert answer.returncode == 2
        assert "There is no folder 'absent'" in answer.stderr
        assert "Traceback" not in answer.stderr
    assert "no study" in codejury(settings, "export", "nothing", "--to", "x.zip").stderr.replace("such ", "")
