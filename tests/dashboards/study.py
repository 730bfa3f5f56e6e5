"""A small graded study, and the steps that the tests of dashboards share."""

import struct
from datetime import timedelta

from fastapi.testclient import TestClient
from sqlalchemy import select

from app.clock import utc_now
from app.config import Settings
from app.ids import hash_token, new_token
from app.services.analysis import AnalysisParameters, request_analysis
from app.services.runs import execute
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.models import (
    Annotator,
    GradeEvent,
    Item,
    MetricScore,
    Output,
    Question,
    Run,
    Scoring,
    SignIn,
    Study,
    System,
    User,
)
from tests.factories import add_grade, make_study

SLUG = "a-study"
SYSTEMS = ("weak", "<i>middle</i>", "=strong")
METRICS = ("bleu", "chrf", "mine")
PROBLEMS = 24


def make_graded_study(database: Database) -> None:
    """Three systems of rising quality, three annotators, one metric from elsewhere."""
    with database.write() as session:
        study = make_study(session, problems=PROBLEMS, systems=len(SYSTEMS))
        question = session.scalars(select(Question.id).where(Question.study_id == study.id)).one()
        people = [Annotator(study_id=study.id, pseudonym=f"grader{n}", order_seed=n) for n in range(3)]
        scoring = Scoring(study_id=study.id, name="mine", label="Mine <1>", signature="imported:mine", imported=True)
        session.add_all([*people, scoring])
        systems = session.scalars(select(System).where(System.study_id == study.id).order_by(System.position)).all()
        for system, name in zip(systems, SYSTEMS, strict=True):
            system.name = name
        session.flush()
        outputs = session.execute(
            select(Output, System.position).join(System, System.id == Output.system_id).order_by(Output.id)
        )
        for number, (output, quality) in enumerate(outputs.all()):
            score = ((number * 7) % 5 + 3 * quality) / 12
            statistics = struct.pack("<d", score)
            session.add(
                MetricScore(
                    scoring_id=scoring.id, output_id=output.id, score=score, statistics=statistics, input_hash=""
                )
            )
            for person, annotator in enumerate(people):
                # They nearly always agree: M-MSR needs people who do so more often than chance.
                value = float(min(4, quality + (number * 5) % 3 + ((number + 3 * person) % 7 == 0)))
                add_grade(session, annotator, output.item_id, question, value)


def change_a_grade(database: Database) -> None:
    """The study moves on: its analysis becomes stale."""
    with database.write() as session:
        annotator = session.scalars(select(Annotator)).first()
        assert annotator is not None
        item = session.scalars(select(Item.id)).first()
        session.add(GradeEvent(annotator_id=annotator.id, item_id=item, kind="grade", value=1.0))


def analyse(database: Database, settings: Settings, **parameters: object) -> Run:
    """Ask for an analysis and do it here."""
    chosen = AnalysisParameters.model_validate({"metrics": METRICS, "draws": 200, **parameters})
    with database.write() as session:
        run_id = request_analysis(session, find_study(session, SLUG), chosen).id
    execute(database, settings, run_id)
    with database.read() as session:
        run = session.get_one(Run, run_id)
    assert run.state == "done", run.message
    return run


def make_analysed_study(database: Database, settings: Settings) -> None:
    """The study with one analysis."""
    make_graded_study(database)
    analyse(database, settings)


def sign_in(client: TestClient, database: Database, role: str) -> str:
    """Put a user's cookie into the browser; the token."""
    token = new_token()
    with database.write() as session:
        user = User(email=f"{role}@example.org", name=role, role=role, password_hash="-")
        session.add(user)
        session.flush()
        expires = utc_now() + timedelta(hours=1)
        session.add(SignIn(token_hash=hash_token(token), user_id=user.id, last_seen_at=utc_now(), expires_at=expires))
    client.cookies.set(client.app.state.session_cookie, token)  # type: ignore[attr-defined]
    return token


def study_of(database: Database) -> Study:
    with database.read() as session:
        return find_study(session, SLUG)
