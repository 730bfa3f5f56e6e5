"""How long the server takes for each page of a big study's admin and researchers.

python -m benchmarks.desk [--items N] [--only WORD] [DATABASE_URL]

100,000 items, 200 annotators, 500,000 grades of a month that goes on; without a URL, SQLite in a temporary folder. A
database that holds the study already is used again. Through the whole app (sign-in, database, templates) after a
warm-up: CPU ms of this process, "anew" where nothing was kept, and the clock's, as PostgreSQL works elsewhere. Goals:
150 ms a page, 100 ms what pages ask for every few seconds.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from fastapi.testclient import TestClient
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.config import Settings
from app.errors import NotFound
from app.main import create_app
from app.services.agreement import request_agreement
from app.services.analysis import AnalysisParameters, request_analysis
from app.services.desk.runs import request_effect, request_quality
from app.services.exports import Form, request_export
from app.services.exports.requests import ExportRequest
from app.services.kept import forget
from app.services.runs import execute
from app.services.sign_ins import start_session
from app.services.studies import find_study
from app.statistics.consensus import ConsensusMethod
from app.storage import migrate
from app.storage.engine import Database
from app.storage.models import Annotator, Item, Run, Study, User
from benchmarks._graded_study import METRIC, SLUG, fill_graded

ROUNDS = 5
OF_PEOPLE = AnalysisParameters(metrics=(METRIC,), consensus=ConsensusMethod.MEAN)  # scoring takes hours
PAGE_MS, POLLED_MS = 150, 100
POLLED = ("/desk/live", "/analysis-status", "/reliability/status", "/export-status")
DESK = (
    *("/desk", "/desk/live", "/desk/items", "/desk/items?show=apart", "/desk/items?show=retired"),
    *("/desk/items?show=flags", "/desk/items/{item}", "/desk/annotators", "/desk/annotators/{annotator}"),
    *("/desk/quality.csv", "/desk/pay", "/desk/pay.csv", "/desk/log", "/desk/log?kind=annotator+named"),
    *("/desk/settings", "/questionnaire", "/questionnaire/versions", "/way", "/way/checks", "/way/invitations"),
    *(
        "/sample?instrument=helpfulness",
        "/sample?instrument=helpfulness&seed=1&outputs=100&only_these=yes",
        "/import",
    ),
)
RESEARCH = (
    *("", "/systems", "/significance", "/agreement", "/points", "/compare", "/analysis-status"),
    *("/reliability", "/reliability/status", "/reliability/survey", "/enough", "/export", "/export-status"),
    *("/tables/grades-per-item.csv", "/reliability/measurements.json"),
)
ELSEWHERE = ("/studies", "/log", "/runs", "/runs/{run}", "/people", "/account")
API = ("/analysis", "/agreement")


def main() -> None:
    """Fill where nothing is there yet, then print each page's median."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url", nargs="?")
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--only", default="", help="pages whose address holds this word")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        url = given.url or f"sqlite:///{folder}/codejury.sqlite3"
        settings = Settings(CODEJURY_DATA_DIR=folder, DATABASE_URL=url)
        migrate.upgrade(url)
        database = Database(url)
        prepare(database, settings, given.items)
        app = create_app(settings, database)
        cookies = {app.state.session_cookie: admin(database)}
        with TestClient(app, base_url="http://localhost", cookies=cookies) as client:
            for path in pages(database):
                if given.only in path:
                    report(client, path)


def prepare(database: Database, settings: Settings, items: int) -> None:
    """The study with all that is measured of it."""
    with suppress(NotFound), database.read() as session:
        find_study(session, SLUG)
        return
    step("made", lambda: fill_graded(database, items))
    asked: dict[str, Callable[[Session, Study], Run]] = {
        "agreement": request_agreement,
        "analysis": partial(request_analysis, parameters=OF_PEOPLE),
        "quality": partial(request_quality, question="helpfulness", user_id=None),
        "effect": lambda session, study: request_effect(session, study, first(session, Annotator), None),
        "export": partial(request_export, request=ExportRequest(form=Form.WIDE)),
    }
    for name, ask in asked.items():
        with database.write() as session:
            run_id = ask(session, find_study(session, SLUG)).id
        step(name, partial(execute, database, settings, run_id))


def step(name: str, work: Callable[[], object]) -> None:
    """Do it, and say how long it took."""
    start = time.process_time()
    work()
    print(f"{name}: {time.process_time() - start:.1f} CPU s", flush=True)


def pages(database: Database) -> list[str]:
    """Every address, that of one item, one annotator and one run filled in."""
    with database.read() as session:
        run = session.scalars(select(Run.public_id)).first()
        known = {"item": first(session, Item), "annotator": first(session, Annotator), "run": run}
    of_study = [f"/studies/{SLUG}{page}" for page in DESK + RESEARCH]
    addresses = [*ELSEWHERE, *of_study, *(f"/api/v1/studies/{SLUG}{page}" for page in API)]
    return [address.format(**known) for address in addresses]


def first(session: Session, table: type[Item | Annotator]) -> int:
    """A row's number."""
    return session.scalars(select(table.id).order_by(table.id)).first() or 0


def report(client: TestClient, path: str) -> None:
    """Print the page's median, and whether it keeps to the goal."""
    measure(client, path)
    anew = measure_anew(client, path)
    times = [measure(client, path) for _ in range(ROUNDS)]
    work, wall, size = (statistics.median(each) for each in zip(*times, strict=True))
    goal = POLLED_MS if path.endswith(POLLED) else PAGE_MS
    late = "  LATE" if work > goal else ""
    print(
        f"{path:<70} {work:7.1f} ms of work ({anew:.1f} anew) {wall:7.1f} ms {size / 1024:5.0f} KB{late}", flush=True
    )


def measure_anew(client: TestClient, path: str) -> float:
    """The same where nothing is kept from a request before; see app.services.kept."""
    forget(client.app.state.database.engine)  # type: ignore[attr-defined]
    return measure(client, path)[0]


def measure(client: TestClient, path: str) -> tuple[float, float, int]:
    """One request: CPU and wall milliseconds, and the answer's size."""
    work, wall = time.process_time(), time.perf_counter()
    answer = client.get(path, headers={"HX-Request": "true"} if path.endswith(POLLED) else {})
    taken = 1000 * (time.process_time() - work), 1000 * (time.perf_counter() - wall)
    if answer.status_code not in (200, 404):  # a study need not have all pages
        answer.raise_for_status()
    return *taken, len(answer.content)


def admin(database: Database) -> str:
    """The cookie of one more admin."""
    with database.write() as session:
        email = f"benchmark-{time.time_ns()}@example.org"
        user = User(email=email, name="benchmark", role="admin", password_hash="-")
        session.add(user)
        session.flush()
        return start_session(session, user_id=user.id)


if __name__ == "__main__":
    main()
