"""``codejury robustness``, in a process of its own: the page's numbers in the terminal and in files."""

import csv
import io
from pathlib import Path

import pytest

from app.config import Settings
from app.services.benchmarks import find_benchmark
from app.services.robustness_results.document import robustness_results
from app.storage.engine import Database
from tests.dashboards.test_command_line import codejury
from tests.robustness_results.rows import add_model, drawn, make_set


def test_tables_and_ceilings_are_printed_and_written(results: Database, settings: Settings, tmp_path: Path) -> None:
    with results.write() as session:
        add_model(session, make_set(session, "Other"), "=poor", drawn(0.6, 0.1, 9))
    latex, folder = tmp_path / "tables.tex", tmp_path / "tables"
    answer = codejury(
        settings, "robustness", "robust", "--second", "other", "--latex", str(latex), "--csv", str(folder)
    )
    assert answer.returncode == 0, answer.stderr
    with results.read() as session:
        document = robustness_results(session, find_benchmark(session, "robust"))
    assert "canonical solutions: Docstring 91.67 %, Function name 100.00 %, Format 100.00 %." in answer.stdout
    assert "Robustness, benchmarks side by side" in answer.stdout
    assert "All 160 samples have a verdict." in answer.stdout
    numbers = document["models"][0]["categories"]["docstring"]["whole"]["at"][0]
    (line,) = [each for each in answer.stdout.splitlines() if "RP2@1" in each and "+" in each][:1]
    assert f"{100 * numbers['robust_pass']['value']:.2f} +" in line
    assert "\\label{tab:robustness}" in latex.read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO((folder / "robustness.csv").read_text(encoding="utf-8-sig"))))
    assert float(rows[1]["good <i>one</i>"]) == pytest.approx(100 * numbers["robust_pass"]["value"])
    for name in ("robustness-benchmarks-drop", "robustness-breaks-docstring", "robustness-seeds-format", "samples"):
        assert (folder / f"{name}.csv").exists()
    with (folder / "robustness-breaks-docstring.csv").open(encoding="utf-8-sig", newline="") as file:
        assert csv.DictReader(file).fieldnames[:2] == ["problem", "samples_lost"]


@pytest.mark.sqlite_is_enough
def test_what_cannot_be_told_is_named(results: Database, settings: Settings, tmp_path: Path) -> None:
    with results.write() as session:
        make_set(session, "Empty")
    answer = codejury(settings, "robustness", "empty")
    assert (answer.returncode, answer.stdout) == (1, "")
    assert "No model has been asked for this set yet." in answer.stderr
    answer = codejury(settings, "robustness", "robust", "--k", "5")
    assert answer.returncode == 1
    assert "k is at most 1 here." in answer.stderr
    answer = codejury(settings, "robustness", "robust", "--latex", str(tmp_path / "none" / "x.tex"))
    assert answer.returncode == 2
    assert "There is no folder" in answer.stderr


@pytest.mark.sqlite_is_enough
def test_a_dash_has_its_reason_below(results: Database, settings: Settings, tmp_path: Path) -> None:
    """A model that solves nothing has nothing to lose: each table with a dash says so, as on the page."""
    with results.write() as session:
        add_model(session, make_set(session, "Nothing"), "weak", drawn(0, 0, 1))
    answer = codejury(settings, "robustness", "nothing")
    assert answer.returncode == 0, answer.stderr
    tables = [each for each in answer.stdout.split("\n\n") if "\n---" in each]
    assert len(tables) == 3
    why = "No value for {}: no nominal sample passes, so that there is nothing to lose."
    for table, name in zip(tables, ("weak", "weak", "Robust Drop"), strict=True):
        assert "–" in table
        assert why.format(name) in table.splitlines()[-1]
    with results.write() as session:
        made = find_benchmark(session, "nothing")
        for place, label in enumerate(("strong", "middling"), 2):
            add_model(session, made, label, drawn(1 / place, 0.1, place))
    latex = tmp_path / "tables.tex"
    answer = codejury(settings, "robustness", "nothing", "--latex", str(latex))
    assert why.format("weak") in answer.stdout
    assert "Bold" not in answer.stdout  # which a terminal does not show
    assert "Bold: the best of a row" in latex.read_text(encoding="utf-8")
    assert "No value for" not in codejury(settings, "robustness", "robust").stdout
