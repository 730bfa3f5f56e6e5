"""The helpers that find the real data, and the shape of what they find."""

from pathlib import Path

import pytest

from tests import conala
from tests.shared_data import ENVIRONMENT_KEY, shared_data


def test_absent_data_skips_with_a_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(ENVIRONMENT_KEY, str(tmp_path))
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="conala"):
        shared_data("conala")


def test_absent_data_fails_in_ci(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(ENVIRONMENT_KEY, str(tmp_path))
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="nothing is skipped"):
        shared_data("conala")


def test_conala_has_the_published_shape() -> None:
    problems = conala.problems()
    assert len(problems) == 472
    assert sum(len(problem.references) for problem in problems) == 500
    assert len(list(conala.pairs())) == 2360
    means = {s: sum(p.consensus[s] for p in problems) / 472 * 25 for s in conala.SYSTEMS}
    assert [round(means[s], 2) for s in conala.SYSTEMS] == [8.95, 26.85, 35.49, 40.04, 59.96]
