"""How long the server takes for each page of an analysed study: python -m benchmarks.dashboards STUDY

Reads the installation that CODEJURY_DATA_DIR or DATABASE_URL names, through the whole app (sign-in, database,
templates), after a warm-up. The goal for the CoNaLa study is 150 ms a page.
"""

import statistics
import sys
import time
from datetime import timedelta

from fastapi.testclient import TestClient
from sqlalchemy import delete

from app.clock import utc_now
from app.config import get_settings
from app.ids import hash_token, new_token
from app.main import create_app
from app.storage.engine import Database
from app.storage.models import SignIn, User

PAGES = ("", "/systems", "/significance", "/agreement", "/points", "/compare", "/export")
ROUNDS = 15


def main(study: str) -> None:
    """Print the median and the slowest of the rounds for each page, in milliseconds."""
    app = create_app(get_settings())
    database: Database = app.state.database
    token, user_id = _guest(database)
    try:
        with TestClient(app, base_url="http://localhost", cookies={app.state.session_cookie: token}) as client:
            for page in PAGES:
                times = _measure(client, f"/studies/{study}{page}")
                print(f"{page or '/':<14} median {statistics.median(times):6.1f} ms   slowest {max(times):6.1f} ms")
            with database.write() as session:
                session.execute(delete(SignIn).where(SignIn.user_id == user_id))
                session.execute(delete(User).where(User.id == user_id))
    finally:
        database.dispose()


def _measure(client: TestClient, path: str) -> list[float]:
    times = []
    for _ in range(ROUNDS + 2):
        start = time.perf_counter()
        answer = client.get(path)
        times.append(1000 * (time.perf_counter() - start))
        answer.raise_for_status()
    return times[2:]


def _guest(database: Database) -> tuple[str, int]:
    """A researcher for the time of the measurement."""
    token = new_token()
    with database.write() as session:
        user = User(email=f"{token[:12]}@benchmark.invalid", name="benchmark", role="researcher", password_hash="-")
        session.add(user)
        session.flush()
        expires = utc_now() + timedelta(minutes=10)
        session.add(SignIn(token_hash=hash_token(token), user_id=user.id, last_seen_at=utc_now(), expires_at=expires))
        return token, user.id


if __name__ == "__main__":
    main(sys.argv[1])
