"""How long the server takes for each page of the analysed CoNaLa study: python -m benchmarks.dashboards

Through the whole app (sign-in, database, templates), after a warm-up. The goal is 150 ms a page.
"""

import statistics
import tempfile
import time
from pathlib import Path

from fastapi.testclient import TestClient

from app.main import create_app
from app.services.sign_ins import start_session
from app.storage.engine import Database
from app.storage.models import User
from tests.conala_installation import import_and_analyse

PAGES = ("", "/systems", "/significance", "/agreement", "/points", "/compare", "/export")
ROUNDS = 15


def main() -> None:
    """Print the median and the slowest of the rounds for each page, in milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        conala = import_and_analyse(f"sqlite:///{folder}/codejury.sqlite3", Path(folder))
        app = create_app(conala.settings, conala.database)
        token = _researcher(conala.database)
        with TestClient(app, base_url="http://localhost", cookies={app.state.session_cookie: token}) as client:
            for page in PAGES:
                times = _measure(client, f"/studies/conala{page}")
                print(f"{page or '/':<14} median {statistics.median(times):6.1f} ms   slowest {max(times):6.1f} ms")


def _measure(client: TestClient, path: str) -> list[float]:
    times = []
    for _ in range(ROUNDS + 2):
        start = time.perf_counter()
        answer = client.get(path)
        times.append(1000 * (time.perf_counter() - start))
        answer.raise_for_status()
    return times[2:]


def _researcher(database: Database) -> str:
    with database.write() as session:
        user = User(email="benchmark@example.org", name="benchmark", role="researcher", password_hash="-")
        session.add(user)
        session.flush()
        return start_session(session, user_id=user.id)


if __name__ == "__main__":
    main()
