"""The demo study shows something on each dashboard, and says everywhere that its annotators are simulated."""

import ast
from datetime import timedelta

import time_machine
from sqlalchemy import func, select

from app.clock import utc_now
from app.config import Settings
from app.services.agreement import find_measurement
from app.services.analysis import latest_analysis
from app.services.analysis.inputs import load_grades
from app.services.demo import ensure_demo
from app.services.demo.annotators import ANNOTATORS, simulate_grades
from app.services.demo.material import SYSTEMS, demo_problems
from app.services.exports.grade_table import grade_rows
from app.services.invitation_links import create_invitation, invitation_state, invitations_of
from app.services.runs import execute
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.models import Annotator, Grade, Item, Output, Run


def test_the_material_is_whole() -> None:
    problems = demo_problems()
    assert len({problem.key for problem in problems}) == len(problems) >= 40
    assert len({problem.intent for problem in problems}) == len(problems)
    repeats = 0
    for problem in problems:
        ast.parse(problem.reference)
        assert tuple(problem.outputs) == SYSTEMS
        assert all(0 <= output.quality <= 4 for output in problem.outputs.values())
        repeats += len(SYSTEMS) - len({output.text for output in problem.outputs.values()})
    assert repeats >= 5  # one system repeats others now and then


def test_simulated_grades_follow_from_the_seed() -> None:
    problems = demo_problems()
    first = list(simulate_grades(problems, 7))
    assert first == list(simulate_grades(problems, 7)) != list(simulate_grades(problems, 8))
    assert {grade.annotator for grade in first} == {annotator.name for annotator in ANNOTATORS}
    assert {grade.value for grade in first} == {0, 1, 2, 3, 4}


def test_the_first_start_makes_it_and_the_next_one_does_not(database: Database, settings: Settings) -> None:
    first = ensure_demo(database, settings)
    second = ensure_demo(database, settings)
    assert first
    assert second
    assert first != second
    with database.read() as session:
        study = find_study(session, "demo")
        assert "simulated" in study.notice
        assert len(invitations_of(session, study)) == 2
        assert set(session.scalars(select(Annotator.kind))) == {"simulated"}
        outputs, items = session.scalar(select(func.count(Output.id))), session.scalar(select(func.count(Item.id)))
        assert outputs == 160
        assert items is not None
        assert items < outputs + 40  # identical outputs are one item
        assert session.scalar(select(func.count(Grade.id)))


def test_starts_do_not_pile_up_open_invitations(database: Database, settings: Settings) -> None:
    now = utc_now()
    for hours in (0, 1, 26, 27):
        with time_machine.travel(now + timedelta(hours=hours), tick=False):
            ensure_demo(database, settings)
            with database.write() as session:
                create_invitation(session, "test", find_study(session, "demo"), label="By hand")
    with database.read() as session, time_machine.travel(now + timedelta(hours=27), tick=False):
        rows = [(each.label, invitation_state(each)) for each in invitations_of(session, find_study(session, "demo"))]
    printed = [state for label, state in rows if label != "By hand"]
    assert printed == ["open", "open", "revoked", "revoked"]
    assert {state for label, state in rows if label == "By hand"} == {"open"}


def test_a_team_is_not_given_a_demo_unasked(database: Database, settings: Settings) -> None:
    assert ensure_demo(database, settings.model_copy(update={"broker_url": "redis://localhost"})) is None


def test_its_analysis_tells_the_systems_apart(database: Database, settings: Settings) -> None:
    ensure_demo(database, settings)
    with database.read() as session:
        run_id = session.scalars(select(Run.id).where(Run.kind == "analysis")).one()
    assert execute(database, settings, run_id)
    with database.read() as session:
        assert session.get_one(Run, run_id).state == "done", session.get_one(Run, run_id).message
        analysis = latest_analysis(session, find_study(session, "demo"))
    assert analysis is not None
    assert not analysis.stale
    document = analysis.document
    human = {each["name"]: each["scores"]["human"]["score"] for each in document["systems"] if not each["synthetic"]}
    assert human["oak"] > human["birch"] > human["cedar"] > human["elm"]
    assert document["pairs"] > 100
    assert "simulated" in document["study"]["notice"]


def test_its_agreement_is_measured_too(database: Database, settings: Settings) -> None:
    ensure_demo(database, settings)
    with database.read() as session:
        run_id = session.scalars(select(Run.id).where(Run.kind == "agreement")).one()
    assert execute(database, settings, run_id)
    with database.read() as session:
        study = find_study(session, "demo")
        for kind in ("agreement", "enough"):
            found = find_measurement(session, study, kind, "helpfulness")
            assert found is not None
            assert not found.stale


def test_the_exported_grades_are_those_that_the_analysis_counts(database: Database, settings: Settings) -> None:
    ensure_demo(database, settings)
    with database.read() as session:
        study = find_study(session, "demo")
        counted = len(load_grades(session, study, None).labels)
        rows = list(grade_rows(session, study))
    assert sum(not row["is_reference"] and not row["surplus"] for row in rows) == counted < len(rows)
