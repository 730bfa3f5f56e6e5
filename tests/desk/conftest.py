"""A study that people have graded, and an admin at its desk."""

from dataclasses import dataclass

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.config import Settings
from app.services import assignments
from app.services.runs import execute
from app.storage.engine import Database
from app.storage.models import Run
from tests.dashboards.study import sign_in
from tests.grading.helpers import add_annotators, answer, open_study

DESK = "/studies/a-study/desk"


@dataclass(frozen=True)
class Desk:
    """The study, its people in the order in which they came, and the admin's browser."""

    database: Database
    settings: Settings
    client: TestClient
    study: int
    people: list[int]

    def do_runs(self) -> None:
        """What a worker does."""
        with self.database.read() as session:
            waiting = session.scalars(select(Run.id).where(Run.state == "queued")).all()
        for run in waiting:
            execute(self.database, self.settings, run)
        with self.database.read() as session:
            for run in waiting:
                found = session.get_one(Run, run)
                assert found.state == "done", found.message
                assert found.done == found.total, "what is done is not 0 of 1"

    def get(self, path: str, **more: object) -> str:
        """The page; it must be there."""
        address = path if path.startswith("/studies/") else DESK + path
        found = self.client.get(address, **more)  # type: ignore[arg-type]
        assert found.status_code == 200, found.text
        return found.text


@pytest.fixture
def desk(client: TestClient, database: Database, settings: Settings) -> Desk:
    """Three people have graded all four items, the third one always with 4; a fourth one has begun."""
    study = open_study(database, problems=2, systems=2, grades_per_item=4)
    people = add_annotators(database, study, 4)
    for number, person in enumerate(people[:3]):
        while True:
            with database.write() as session:
                claims = assignments.upcoming(session, person)
            if not claims:
                break
            with database.write() as session:
                value = 4 if number == 2 else (claims[0].item_id + number) % 3
                measured = {"submit_ms": 9000 + 1000 * number, "hidden_ms": 4000, "idle_ms": 3000}
                answer(session, claims[0], value, details=measured | {"first_key_ms": 900, "by": "key"})
    with database.write() as session:
        assignments.upcoming(session, people[3])
    sign_in(client, database, "admin")
    return Desk(database, settings, client, study, people)
