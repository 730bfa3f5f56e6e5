"""The seconds between two moments, on both databases."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import bindparam, null, select

from app.storage.base import UTCDateTime
from app.storage.elapsed import Seconds
from app.storage.engine import Database

NOON = datetime(2026, 3, 29, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "between",
    [
        timedelta(),
        timedelta(milliseconds=1),
        timedelta(minutes=30),
        timedelta(days=400, seconds=0.25),
        -timedelta(hours=3),
    ],
)
def test_they_are_counted_to_the_millisecond(database: Database, between: timedelta) -> None:
    begin, end = (bindparam(name, type_=UTCDateTime()) for name in ("begin", "end"))
    with database.read() as session:
        found = session.scalar(select(Seconds(begin, end)), {"begin": NOON, "end": NOON + between})
    assert found == pytest.approx(between.total_seconds(), abs=0.0005)


def test_without_one_of_them_there_is_none(database: Database) -> None:
    with database.read() as session:
        assert session.scalar(select(Seconds(bindparam("begin", NOON, UTCDateTime()), null()))) is None
