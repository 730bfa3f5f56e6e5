"""What Prometheus reads: traffic as this server counted it, all else as it stands in the database at that moment."""

import platform
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app import __version__
from app.config import Settings
from app.services.status import work
from app.storage.engine import Database
from app.web.traffic import Traffic


def exposition(settings: Settings, database: Database) -> bytes:
    """All of it, in Prometheus' text format."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Traffic())
    registry.register(Installation(settings, database))
    return generate_latest(registry)


class Installation(Collector):
    """The installation as a whole. While the database is away, only that is told."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self._settings = settings
        self._database = database

    def collect(self) -> Iterator[Metric]:
        """Read at each scrape: two web processes never tell two stories."""
        yield self._build()
        stored: list[Metric] = []
        try:
            with self._database.read() as session:
                stored = [_grades(session), *_queues(session), *_ended(session)]
        except (SQLAlchemyError, OSError):
            pass  # codejury_database_up says so
        up = GaugeMetricFamily("codejury_database_up", "Whether the database answered this scrape.")
        up.add_metric([], bool(stored))
        yield up
        yield from stored

    def _build(self) -> Metric:
        info = InfoMetricFamily("codejury_build", "The version that answers.")
        kind = "sqlite" if self._settings.is_sqlite else "postgresql"
        about = {"version": __version__, "python": platform.python_version()}
        info.add_metric([], {**about, "database": kind, "mode": self._settings.mode})
        return info


def _grades(session: Session) -> Metric:
    grades = CounterMetricFamily("codejury_grades", "Grades that were given or changed.", labels=["kind"])
    for kind, number in work.accepted_grades(session).items():
        grades.add_metric([kind], number)
    return grades


def _queues(session: Session) -> Iterator[Metric]:
    waiting = GaugeMetricFamily("codejury_runs_waiting", "Runs that wait.", labels=["queue"])
    running = GaugeMetricFamily("codejury_runs_running", "Runs that go on.", labels=["queue"])
    oldest = GaugeMetricFamily(
        "codejury_run_oldest_wait_seconds", "How long the run that waits longest has waited.", labels=["queue"]
    )
    workers = GaugeMetricFamily("codejury_workers", "Workers that live and take the queue.", labels=["queue"])
    heartbeat = GaugeMetricFamily(
        "codejury_worker_heartbeat_age_seconds",
        "Since a worker of the queue was heard of; nothing where none was within the hour.",
        labels=["queue"],
    )
    for state in work.queue_states(session):
        waiting.add_metric([state.name], state.waiting)
        running.add_metric([state.name], state.running)
        oldest.add_metric([state.name], state.oldest.total_seconds())
        workers.add_metric([state.name], state.workers)
        if state.silence is not None:
            heartbeat.add_metric([state.name], state.silence.total_seconds())
    yield from (waiting, running, oldest, workers, heartbeat)


def _ended(session: Session) -> Iterator[Metric]:
    """Gauges of the last day: a run that is tried again loses its old outcome, which no counter may."""
    labels = ["kind", "outcome"]
    number = GaugeMetricFamily("codejury_runs_ended_last_day", "Runs that ended within a day.", labels=labels)
    seconds = GaugeMetricFamily(
        "codejury_run_seconds_last_day", "The time that their last attempts took, in all.", labels=labels
    )
    longest = GaugeMetricFamily("codejury_run_longest_seconds_last_day", "The longest of these times.", labels=labels)
    for each in work.ended_lately(session):
        number.add_metric([each.kind, each.outcome], each.number)
        seconds.add_metric([each.kind, each.outcome], each.seconds)
        longest.add_metric([each.kind, each.outcome], each.longest)
    yield from (number, seconds, longest)
