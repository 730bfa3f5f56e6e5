"""What ``codejury doctor`` looks at, one function a subject. None of them changes anything."""

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import redis
from sqlalchemy import make_url
from sqlalchemy.exc import SQLAlchemyError

from app import __version__
from app.cli.explained import reason, remedy, without_secrets
from app.clock import utc_now
from app.config import PROJECT_ROOT, Settings
from app.errors import AppError
from app.services.runs import broker
from app.services.runs.workers import live_workers
from app.storage import migrate
from app.storage.engine import Database
from app.storage.files import files_of

OLDEST_PYTHON = (3, 11)
# Without these, pages don't work as they should.
FRONT_END = ("htmx.min.js", "plotly-cartesian.min.js")
PACKAGES = ("fastapi", "sqlalchemy", "alembic", "celery", "numpy", "scipy", "crowd-kit", "sacrebleu", "plotly")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    subject: str
    grade: Literal["good", "note", "bad"]  # a note: missing, but only some things need it
    state: str
    remedy: str = ""


def examine(settings: Settings) -> list[Finding]:
    """Everything, in the order in which it matters."""
    return [
        Finding("CodeJury", "good", f"{__version__}, {settings.mode} mode"),
        _python(),
        _packages(),
        _front_end(),
        _data_dir(settings),
        *_database_and_workers(settings),
        *_broker(settings),
        *_bucket(settings),
        _wordnet(),
        _torch(),
        _browser(),
    ]


def _python() -> Finding:
    if sys.version_info < OLDEST_PYTHON:
        return Finding("Python", "bad", platform.python_version(), "CodeJury needs Python 3.11 or newer.")
    return Finding("Python", "good", f"{platform.python_version()} on {platform.platform(terse=True)}")


def _packages() -> Finding:
    found, missing = [], []
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        return Finding("Packages", "bad", f"missing: {', '.join(missing)}", "Run: make setup")
    return Finding("Packages", "good", ", ".join(found))


def _front_end() -> Finding:
    vendor = PROJECT_ROOT / "static" / "vendor"
    missing = [name for name in FRONT_END if not (vendor / name).exists()]
    if missing:
        return Finding("Front-end files", "bad", f"missing: {', '.join(missing)}", "Run: make setup")
    return Finding("Front-end files", "good", ", ".join(FRONT_END))


def _data_dir(settings: Settings) -> Finding:
    folder = settings.data_dir.resolve()
    nearest = next(each for each in (folder, *folder.parents) if each.exists())
    if not nearest.is_dir():
        return Finding("Data folder", "bad", f"{folder}: {nearest} is a file", "Correct CODEJURY_DATA_DIR.")
    if not os.access(nearest, os.W_OK):
        return Finding("Data folder", "bad", f"{nearest} can't be written to", "Correct its owner or its mode.")
    if nearest != folder:
        return Finding("Data folder", "note", f"{folder} (not there yet)", "The first `codejury serve` makes it.")
    free = shutil.disk_usage(folder).free / 1e9
    if free < 1:
        return Finding("Data folder", "bad", f"{folder}, {free:.1f} GB free", "Make room on that disk.")
    return Finding("Data folder", "good", f"{folder}, {free:.0f} GB free")


def _database_and_workers(settings: Settings) -> Iterator[Finding]:
    url = make_url(settings.effective_database_url)
    shown = without_secrets(settings.effective_database_url)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").exists():
        yield Finding("Database", "note", f"{shown} (not there yet)", "The first `codejury serve` makes it.")
        return
    database = Database(settings.effective_database_url)
    try:
        schema = _schema(database, shown)
        yield schema
        if schema.grade == "good":
            yield _workers(settings, database)
    except SQLAlchemyError as error:
        yield Finding("Database", "bad", f"{shown} can't be reached: {reason(error)}", remedy(settings))
    finally:
        database.dispose()


def _schema(database: Database, shown: str) -> Finding:
    current, head = migrate.current_revision(database.engine), migrate.head_revision()
    if current != head:
        state = f"{shown}, schema at {current or 'nothing'}, this version needs {head}"
        return Finding("Database", "bad", state, "Run: codejury migrate")
    return Finding("Database", "good", f"{shown}, schema at {head}")


def _workers(settings: Settings, database: Database) -> Finding:
    with database.read() as session:
        workers = live_workers(session)
    if not workers and settings.mode == "embedded":
        return Finding("Workers", "note", "none is running", "`codejury serve` starts one.")
    if not workers:
        return Finding("Workers", "bad", "none is running", "Start one: codejury worker --queue cpu")
    return Finding("Workers", "good", "; ".join(f"{each.name} ({', '.join(each.queues)})" for each in workers))


def _broker(settings: Settings) -> Iterator[Finding]:
    if settings.broker_url is None:
        return
    shown = without_secrets(settings.broker_url)
    client = redis.Redis.from_url(settings.broker_url, socket_connect_timeout=3, socket_timeout=3)
    try:
        client.ping()
        forgets = " ".join(broker.shortcomings(settings.broker_url))
        yield Finding("Broker", "note" if forgets else "good", shown, forgets)
    except redis.RedisError as error:
        yield Finding("Broker", "bad", f"{shown} can't be reached: {error}", "Start Redis, or correct BROKER_URL.")
    finally:
        client.close()


def _bucket(settings: Settings) -> Iterator[Finding]:
    if settings.bucket is None:
        return
    try:
        next(files_of(settings).stored_before(utc_now()), None)
        yield Finding("Bucket", "good", settings.bucket)
    except AppError as error:
        remedy = "Correct CODEJURY_BUCKET, CODEJURY_BUCKET_ENDPOINT or the keys (AWS_ACCESS_KEY_ID …)."
        yield Finding("Bucket", "bad", f"{settings.bucket}: {error.message}", remedy)


def _wordnet() -> Finding:
    if not find_spec("app.metrics.wordnet"):
        return Finding("WordNet", "note", "not looked for")
    status = import_module("app.metrics.wordnet").wordnet_status()
    if status.advice:
        return Finding("WordNet", "note", status.version, status.advice)
    return Finding("WordNet", "good", f"{status.version}, {status.folder}")


def _torch() -> Finding:
    if find_spec("torch") and find_spec("transformers"):
        return Finding("Language models", "good", f"torch {version('torch')}, transformers {version('transformers')}")
    remedy = "Only workers that run language models need it: pip install 'codejury[models]'"
    return Finding("Language models", "note", "torch is not installed", remedy)


def _browser() -> Finding:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path:
        return Finding("Chromium", "good", path)
    return Finding("Chromium", "note", "not found", "Only CodeJury's own tests need it: playwright install chromium")
