"""What the faults happen to: a study that people grade, and one that is finished and analysed."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import func, select

from app.config import Settings
from app.services.analysis import AnalysisParameters, request_analysis
from app.services.runs import execute
from app.services.sign_ins import start_session
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.models import Analysis, Annotator, Run, Study
from tests.dashboards.study import METRICS, SLUG, make_graded_study
from tests.factories import make_study
from tests.prepared import prepare


@dataclass(frozen=True)
class Person:
    """An annotator and the cookie of their browser."""

    id: int
    cookie: str


@dataclass(frozen=True)
class Installation:
    """A database with both studies, and where its files lie."""

    database: Database
    settings: Settings
    study_id: int

    @property
    def url(self) -> str:
        """Of the database."""
        return self.settings.effective_database_url

    @property
    def folder(self) -> Path:
        """Of the files."""
        return self.settings.data_dir

    def people(self, count: int) -> list[Person]:
        """So many annotators who are signed in."""
        with self.database.write() as session:
            there = session.scalar(select(func.count()).select_from(Annotator)) or 0
            made = [
                Annotator(study_id=self.study_id, pseudonym=f"F{there + n}", order_seed=(there + n) * 10**15)
                for n in range(count)
            ]
            session.add_all(made)
            session.flush()
            return [Person(each.id, start_session(session, annotator_id=each.id)) for each in made]

    def analysis(self) -> str:
        """The finished study analysed now, as it is stored."""
        chosen = AnalysisParameters.model_validate({"metrics": METRICS, "draws": 100})
        with self.database.write() as session:
            run_id = request_analysis(session, find_study(session, SLUG), chosen).id
        execute(self.database, self.settings, run_id)
        with self.database.read() as session:
            run = session.get_one(Run, run_id)
            assert run.state == "done", run.message
            return session.scalars(select(Analysis.result).order_by(Analysis.id.desc()).limit(1)).one()


def make_studies(database: Database) -> None:
    """The finished one, and one of 40 items that is open."""
    make_graded_study(database)
    with database.write() as session:
        make_study(session, title="Open", problems=20, systems=2, grades_per_item=3, state="open")


@pytest.fixture
def installation(database: Database, settings: Settings) -> Installation:
    """Both studies in a database."""
    prepare(database, "faults", lambda: make_studies(database))
    with database.read() as session:
        study_id = session.scalars(select(Study.id).where(Study.slug == "open")).one()
    return Installation(database, settings, study_id)
