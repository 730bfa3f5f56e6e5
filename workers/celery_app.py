"""Celery, set up for runs whose row is the truth.

**Transport.** A team uses Redis. Embedded, messages live in the memory of the worker process (``memory://``), because
only that process needs them: the web never sends one; a sweeper inside the worker finds waiting runs in the database
and publishes them to its own process. kombu's other transports without a server promise more and keep less: both
``filesystem://`` and ``sqla+sqlite://`` drop what a killed worker had received, and the former can also hand out a
message file that is half written. A worker that is killed with all its messages loses nothing: the next one starts by
publishing every waiting run again and takes back the running ones, whose process it sees to be gone. Several embedded
workers on one machine (``cpu`` and ``gpu``) work too, since publishing a run is one conditional UPDATE.

**Pool.** Two forked processes do ``cpu`` runs: long Python loops (edit distances of graphs) would block a thread
pool, and a run that eats all memory takes its process with it, not the worker. A ``gpu`` worker is one process
without forking (``solo``), since CUDA can't be initialised in a fork and one model fills a card.
"""

from celery import Celery

from app.config import Settings

# Above any run; Redis sends an unacknowledged message again after it. That would do no harm (the row decides who
# runs), and a lost message needs no such help (the sweeper sends it again after a minute).
VISIBILITY_SECONDS = 24 * 3600
TIME_LIMIT_SECONDS = 12 * 3600


def make_celery(settings: Settings) -> Celery:
    """The Celery app for these settings. It keeps no results and sends nothing but ids of runs."""
    if settings.broker_url:
        from workers import redis_transport  # noqa: PLC0415 - one machine alone needs nothing of Redis

        redis_transport.install()
    celery = Celery("codejury", set_as_current=False)
    celery.conf.update(
        broker_url=settings.broker_url or "memory://localhost",
        broker_transport_options=_transport_options(settings),
        visibility_timeout=VISIBILITY_SECONDS,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,
        task_store_errors_even_if_ignored=False,
        result_backend=None,
        task_acks_late=True,
        # A killed child's message is not sent again by Celery, which counts no attempts: the sweeper does it.
        task_reject_on_worker_lost=False,
        task_publish_retry=False,
        task_time_limit=TIME_LIMIT_SECONDS,
        task_default_queue="cpu",
        task_create_missing_queues=True,
        worker_prefetch_multiplier=1,
        # A run goes on while the broker is away: nothing but its row decides whether it is still wanted.
        worker_cancel_long_running_tasks_on_connection_loss=False,
        worker_soft_shutdown_timeout=2 if settings.mode == "embedded" else 30,
        worker_max_tasks_per_child=200,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
    )
    return celery


def _transport_options(settings: Settings) -> dict[str, object]:
    if settings.mode == "embedded":
        return {"polling_interval": 0.05}
    return {
        "visibility_timeout": VISIBILITY_SECONDS,
        # Shorter than the silence after which a worker counts as gone: its sweeper must not wait longer for a broker
        # that answers nobody.
        "socket_timeout": 8,
        "socket_connect_timeout": 5,
        "socket_keepalive": True,
        "health_check_interval": 25,
    }
