"""Scoring goes by chunks of about a second, lets urgent runs go first between them, and keeps each."""

from collections.abc import Iterator

import pytest
from sqlalchemy import func, select

from app.config import Settings
from app.services import scoring
from app.services.runs import RunGivesWay, execution
from app.storage.engine import Database
from app.storage.models import MetricScore, Study
from tests.factories import make_study


@pytest.mark.parametrize(("seconds_each", "sizes"), [(0.0, [20, 60, 180, 500, 240]), (0.5, [20, 2, 2, 2, 2])])
def test_a_chunk_has_the_size_that_takes_about_a_second(
    monkeypatch: pytest.MonkeyPatch, seconds_each: float, sizes: list[int]
) -> None:
    now = [0.0]
    monkeypatch.setattr(scoring, "monotonic", lambda: now[0])
    found = []
    for chunk in scoring.timed_chunks(list(range(1000))):  # type: ignore[arg-type]
        found.append(len(chunk))
        now[0] += seconds_each * len(chunk)
    assert found[:5] == sizes
    assert sum(found) == 1000


def test_every_size_of_chunk_is_at_least_one(monkeypatch: pytest.MonkeyPatch) -> None:
    clock: Iterator[float] = iter(range(0, 10**6, 3600))
    monkeypatch.setattr(scoring, "monotonic", lambda: next(clock))
    assert [len(chunk) for chunk in scoring.timed_chunks(list(range(23)))] == [20, 1, 1, 1]  # type: ignore[arg-type]


def test_a_chunk_that_is_stored_is_not_scored_again_after_giving_way(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "FIRST_CHUNK", 3)
    monkeypatch.setattr(scoring, "LARGEST_CHUNK", 3)
    with database.write() as session:
        study = make_study(session, problems=4, systems=2)
        run = scoring.request_scoring(session, session.get_one(Study, study.id), names=["chrf"])
        run_id = run.id
    claimed = execution._claim(database, settings, run_id)
    assert claimed
    context = claimed[0]
    told: list[int] = []

    def progress(done: int, total: int, **_words: str) -> None:
        told.append(done)
        context.outranked = done > 0

    monkeypatch.setattr(type(context), "progress", lambda _self, done, total, **words: progress(done, total, **words))
    with pytest.raises(RunGivesWay):
        scoring.score_outstanding(context, ["chrf"])
    with database.read() as session:
        stored = session.scalar(select(func.count()).select_from(MetricScore)) or 0
    assert 0 < stored < 8
    context.outranked = False
    told.clear()
    monkeypatch.setattr(type(context), "progress", lambda _self, done, total, **words: told.append(done))
    assert scoring.score_outstanding(context, ["chrf"]) == 8
    assert told[0] == stored
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(MetricScore)) == 8
