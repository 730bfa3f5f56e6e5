"""Environment variables that are meant for CodeJury and that it doesn't know: ignored, they would do harm unseen."""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

from app.errors import InvalidInput, Problem

OURS = "CODEJURY_"
# What tests read; and what programs that use the API read, as docs/api.md shows: they may run where CodeJury runs.
ELSEWHERE = frozenset({"CODEJURY_SHARED_DATA", "CODEJURY_URL", "CODEJURY_TOKEN"})
# What others call the same thing. It may well be meant for another program, so it counts only where ours is not set.
OTHER_NAMES = {
    "DB_URL": "DATABASE_URL",
    "POSTGRES_URL": "DATABASE_URL",
    "POSTGRESQL_URL": "DATABASE_URL",
    "SQLALCHEMY_DATABASE_URI": "DATABASE_URL",
    "SQLALCHEMY_DATABASE_URL": "DATABASE_URL",
    "CELERY_BROKER": "BROKER_URL",
    "CELERY_BROKER_URL": "BROKER_URL",
    "REDIS_URL": "BROKER_URL",
}
# Of names without our prefix, only these are long enough to be recognised in a misspelt one.
RECOGNISED = ("DATABASE_URL", "BROKER_URL")
LIKE_OURS, LIKE_OTHERS = 0.6, 0.88


def refuse_unknown(environment: Mapping[str, str], known: frozenset[str]) -> None:
    """InvalidInput names each variable that is misspelt, and what was probably meant. Values are never shown."""
    present = {name.upper() for name, value in environment.items() if value}
    if problems := [Problem(f"{name}: {finding}") for name, finding in _findings(present, known)]:
        raise InvalidInput("Some environment variables can't be used:", problems)


def _findings(present: set[str], known: frozenset[str]) -> Iterator[tuple[str, str]]:
    for name in sorted(present - known - ELSEWHERE):
        if name.startswith(OURS):
            yield name, _ours(name, known)
        elif (meant := _meant(name)) and meant not in present:
            yield name, f"CodeJury reads {meant} instead. Rename it; where it is not for CodeJury, set {meant}, too."


def _ours(name: str, known: Iterable[str]) -> str:
    by_end = {each.removeprefix(OURS): each for each in sorted(known)}  # the prefix makes all of them alike
    if nearest := get_close_matches(name.removeprefix(OURS), by_end, n=1, cutoff=LIKE_OURS):
        return f"There is no such setting. Did you mean {by_end[nearest[0]]}?"
    return f"There is no such setting. There are: {', '.join(sorted(known))}."


def _meant(name: str) -> str | None:
    nearest = get_close_matches(name, RECOGNISED, n=1, cutoff=LIKE_OTHERS)
    return OTHER_NAMES.get(name) or (nearest[0] if nearest else None)
