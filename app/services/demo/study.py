"""The demo as a study: stored the way an import is, graded by simulation, open to visitors."""

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.config import Settings
from app.services.agreement import request_agreement
from app.services.analysis import request_analysis
from app.services.demo.annotators import RULE, simulate_grades
from app.services.demo.material import SYSTEMS, demo_problems
from app.services.imports.material import Batch, GradeRow, OutputRow, ProblemRow
from app.services.imports.problems import ProblemList
from app.services.imports.store_grades import plan_grades, store_grades
from app.services.imports.store_material import plan_material, store_material
from app.services.invitation_links import (
    create_invitation,
    invitation_state,
    invitations_of,
    revoke_invitation,
)
from app.services.studies import change_state, create_study
from app.storage.engine import Database
from app.storage.models import Annotator, Study

TITLE = "Demo"
SLUG = "demo"
SEED = 7
# More than the six simulated annotators give, so that a visitor finds every item open.
GRADES_PER_ITEM = 12
LINK_LIFETIME = timedelta(days=30)
LINK_OVERLAP = timedelta(days=1)
LABEL = "Printed at the start"
DESCRIPTION = (
    "Forty small Python problems with the answers of four invented systems, written for CodeJury. Grade some "
    "yourself, then look at what the dashboards say."
)


@dataclass(frozen=True, slots=True)
class DemoLinks:
    """What a first visitor needs: the secret of an invitation."""

    invitation: str


def ensure_demo(database: Database, settings: Settings) -> DemoLinks | None:
    """On a new embedded installation, make the demo; while it is open, a fresh invitation to it at every start."""
    if settings.mode != "embedded":
        return None
    with database.write() as session:
        if session.scalar(select(Study.id).limit(1)) is None:
            make_demo(session)
        return invite_to_demo(session)


def invite_to_demo(session: Session) -> DemoLinks | None:
    """An invitation to the demo; None where it is gone or not open."""
    study = session.scalar(select(Study).where(Study.slug == SLUG, Study.state == "open"))
    if study is None:
        return None
    _revoke_older(session, study)
    token = create_invitation(session, "system", study, label=LABEL, lifetime=LINK_LIFETIME)
    return DemoLinks(token)


def _revoke_older(session: Session, study: Study) -> None:
    """End what earlier starts printed, except of the last day: such a link may be in use right now."""
    for each in invitations_of(session, study):
        if each.label == LABEL and invitation_state(each) == "open" and each.created_at < utc_now() - LINK_OVERLAP:
            revoke_invitation(session, "system", study, each.id)


def make_demo(session: Session) -> Study:
    """Store the demo study with its simulated grades, open it, and ask for its analysis and its agreement."""
    study = create_study(
        session, TITLE, seed=SEED, description=DESCRIPTION, notice=RULE, grades_per_item=GRADES_PER_ITEM
    )
    problems = ProblemList()
    batch = _batch()
    material = plan_material(session, study, batch, problems)
    run = request_analysis(session, study)
    store_material(session, study, batch, material, run_id=run.id, images={})
    grades = plan_grades(session, study, batch, problems)
    problems.raise_if_any()
    store_grades(session, study, grades, {"made_by": "simulation", "rule": RULE, "seed": SEED})
    session.execute(update(Annotator).where(Annotator.study_id == study.id).values(kind="simulated"))
    change_state(session, study, "open")
    request_agreement(session, study)
    return study


def _batch() -> Batch:
    """The demo as if it had been read from a file."""
    batch = Batch(systems=dict.fromkeys(SYSTEMS))
    for row, problem in enumerate(demo_problems(), start=1):
        batch.problems[problem.key] = ProblemRow(
            problem.key, row, intent=problem.intent, references=(problem.reference,)
        )
        for system, output in problem.outputs.items():
            batch.outputs[problem.key, system] = OutputRow(output.text, row)
    batch.grades = [
        GradeRow(each.annotator, each.value, row, problem=each.problem, system=each.system)
        for row, each in enumerate(simulate_grades(demo_problems(), SEED), start=1)
    ]
    return batch
