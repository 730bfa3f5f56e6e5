"""Is all there that CodeJury needs to do everything it does: each part by name, without a word on where it is."""

from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy.exc import SQLAlchemyError

from app.clock import utc_now
from app.config import Settings
from app.errors import AppError
from app.services.runs.workers import NO_WORKER, hindrance
from app.services.status.probes import Probe
from app.storage import migrate
from app.storage.engine import Database
from app.storage.files import files_of

BROKER_SECONDS = 1.0
BUCKET_SECONDS = 30.0
QUEUE = "cpu"  # the one that every installation needs


@dataclass(frozen=True, slots=True)
class Check:
    """One part of the installation, and in a few words how it is."""

    is_good: bool
    state: str


Checks = dict[str, Check]
GOOD, AWAY, UNKNOWN = Check(True, "good"), Check(False, "away"), Check(False, "unknown")
WITHOUT_DATABASE: Checks = {"database": AWAY, "migrations": UNKNOWN, "worker": UNKNOWN}


class Readiness:
    """The checks of one process, whose answers are half a second old at most."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self._stored = Probe(lambda: _of_database(database), silence=WITHOUT_DATABASE)
        url = settings.broker_url
        self._broker = Probe(lambda: _of_broker(url), silence=AWAY) if url else None
        self._bucket = Probe(lambda: _of_bucket(settings), silence=AWAY, fresh=BUCKET_SECONDS)

    def checks(self) -> Checks:
        """Each part by its name; takes some seconds at most, whatever is away."""
        broker = {"broker": self._broker.answer()} if self._broker else {}
        return {**self._stored.answer(), **broker}

    def bucket(self) -> Check:
        """Whether files can be had; grading goes on without, so it is no part of the checks."""
        return self._bucket.answer()


def _of_bucket(settings: Settings) -> Check:
    try:
        next(files_of(settings).stored_before(utc_now()), None)
    except AppError:
        return AWAY
    return GOOD


def _of_broker(url: str) -> Check:
    """Whether Redis answers."""
    import redis  # noqa: PLC0415 - one machine alone needs nothing of Redis

    client = redis.Redis.from_url(url, socket_connect_timeout=BROKER_SECONDS, socket_timeout=BROKER_SECONDS)
    try:
        client.ping()
    except redis.RedisError:
        return AWAY
    finally:
        client.close()
    return GOOD


def _of_database(database: Database) -> Checks:
    try:
        with database.read() as session:
            migrations = _migrations(migrate.revision_of(session.connection()))
            worker = _worker(hindrance(session, QUEUE)) if migrations.is_good else UNKNOWN
    except (SQLAlchemyError, OSError):
        return WITHOUT_DATABASE
    return {"database": GOOD, "migrations": migrations, "worker": worker}


def _migrations(revision: str | None) -> Check:
    return GOOD if revision == _head() else Check(False, "not at this version's schema")


@lru_cache(maxsize=1)
def _head() -> str:
    """Reads every migration, which a probe each second must not."""
    return migrate.head_revision()


def _worker(found: str) -> Check:
    if not found:
        return GOOD
    return Check(False, "none was heard of lately" if found == NO_WORKER else "can't reach the broker")
