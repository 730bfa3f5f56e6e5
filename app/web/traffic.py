"""Requests, counted for Prometheus.

Several web processes on one port are one thing to whoever scrapes them, and any of them may answer. They then keep
their counts in files of a folder that they share (PROMETHEUS_MULTIPROC_DIR, which ``codejury web`` makes for its
processes), whose sum is right whoever is asked, and stays right when one of them dies.
"""

import os
from collections.abc import Iterable
from functools import cache

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from app.web.process import COUNTS_FOLDER

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# From a grade's few milliseconds to an upload's minute.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)

_own = CollectorRegistry()
_requests = Counter(
    "codejury_http_requests", "Requests that were answered.", ("method", "route", "status"), registry=_own
)
_seconds = Histogram(
    "codejury_http_request_seconds",
    "From a request's arrival to the beginning of its answer.",
    ("method", "route"),
    buckets=BUCKETS,
    registry=_own,
)


def count(method: str, route: str, status: int, seconds: float) -> None:
    """Count one request. There are only so many routes and methods, whatever is sent."""
    requests, times = _counters(known_method(method), route, status)
    requests.inc()
    times.observe(seconds)


@cache  # to look one up among the labels takes a lock and more
def _counters(method: str, route: str, status: int) -> tuple[Counter, Histogram]:
    return _requests.labels(method, route, str(status)), _seconds.labels(method, route)


def known_method(method: str) -> str:
    """A method that there is: anybody may send any word."""
    return method if method in METHODS else "other"


class Traffic(Collector):
    """What all processes of this ``codejury web`` counted."""

    def collect(self) -> Iterable[Metric]:
        """The sums."""
        if COUNTS_FOLDER not in os.environ:
            return _own.collect()
        collector: Iterable[Metric] = MultiProcessCollector(None).collect()  # type: ignore[no-untyped-call]
        return collector
