"""Are a perturbed set's changes natural? Surveys that ask people, and automatic checks of all changed prompts."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import ConfigDict, Field
from sqlalchemy.orm import Session

from app.services.naturalness.drawing import DrawnSurvey, draw_survey
from app.services.naturalness.making import make_surveys
from app.services.naturalness.runs import newest_checks, request_checks
from app.services.naturalness.scores import how_far, set_scores
from app.services.naturalness.spec import SurveySpec, parse_survey
from app.services.perturbing import find_set
from app.storage.models import Benchmark
from app.web.access import CurrentPrincipal
from app.web.api.once import once
from app.web.api.permissions import CHANGE, COMPUTE, READ
from app.web.api.runs import RunShown, shown_run
from app.web.api.shapes import Incoming, Outgoing, body
from app.web.database import ReadSession, WriteSession

router = APIRouter(prefix="/benchmarks/{benchmark}", tags=["benchmarks"])

Count = Annotated[int, Field(ge=0, le=100_000)]


class WantedDraw(Incoming):
    """How many prompts are asked about, and by how many annotators; the transformations: none named means all."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"perturbed": 100, "pairs": 100, "seed": 7}]})

    unperturbed: Count = 100
    perturbed: Count = 100
    pairs: Count = 100
    seed: Annotated[int, Field(ge=0, lt=2**53)] = 0
    annotators: Annotated[int, Field(ge=1, le=100)] = 5
    transformations: list[Annotated[str, Field(min_length=1, max_length=100)]] = Field([], max_length=100)

    def spec(self) -> SurveySpec:
        """As surveys are asked for."""
        return parse_survey({name: getattr(self, name) for name in SurveySpec.model_fields})


class WantedSurvey(WantedDraw):
    """``separate``: two studies, one for each question."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"title": "Are they natural?", "seed": 7}]})

    title: Annotated[str, Field(min_length=1, max_length=200)]
    separate: bool = False


class StratumShown(Outgoing):
    """One transformation: how many of its changed prompts there are, are asked about alone, and in pairs."""

    model_config = ConfigDict(from_attributes=True)

    category: str
    transformation: str
    available: int
    perturbed: int
    pairs: int


class DrawnShown(Outgoing):
    """What is asked about. ``shared``: perturbed prompts of problems whose own prompt is asked about, too."""

    unperturbed: int
    perturbed: int
    pairs: int
    shared: int
    digest: str = Field(description="Names what was drawn by content: the same again has the same.")
    strata: list[StratumShown]


class SurveyMade(Outgoing):
    """The studies, by short name, and what they ask about."""

    studies: list[str]
    drawn: DrawnShown


class ChecksShown(Outgoing):
    """What automatic checks say: of each check the mean score of each stratum, with its 95 % interval."""

    changed: int
    scored: int
    without: int = Field(description="Rows in which there was nothing to compare.")
    transformations: list[dict[str, Any]]
    categories: list[dict[str, Any]]
    signatures: dict[str, str]
    draws: int
    seed: int
    run: str | None


@router.post("/survey/check", dependencies=[CHANGE])
def check_survey(session: ReadSession, benchmark: str, wanted: Annotated[WantedDraw, body(WantedDraw)]) -> DrawnShown:
    """What a survey would ask about; nothing is stored."""
    return _drawn(draw_survey(session, find_set(session, benchmark), wanted.spec()))


@router.post("/survey", dependencies=[CHANGE], status_code=201)
@once
def make_survey(
    session: WriteSession,
    principal: CurrentPrincipal,
    benchmark: str,
    *,
    wanted: Annotated[WantedSurvey, body(WantedSurvey)],
) -> SurveyMade:
    """A draft that asks people how natural prompts of the set are, and whether pairs mean the same."""
    made, spec = find_set(session, benchmark), wanted.spec()
    studies = make_surveys(session, made, spec, title=wanted.title, separate=wanted.separate, actor=principal.actor)
    return SurveyMade(studies=[each.slug for each in studies], drawn=_drawn(draw_survey(session, made, spec)))


@router.get("/checks", dependencies=[READ])
def show_checks(session: ReadSession, benchmark: str) -> ChecksShown:
    """How alike changed prompts are to their originals, by transformation and by category."""
    return _checks(session, find_set(session, benchmark))


@router.post("/checks", dependencies=[COMPUTE], status_code=202)
@once
def start_checks(session: WriteSession, principal: CurrentPrincipal, benchmark: str) -> RunShown:
    """Check the changed prompts that have no current score."""
    return shown_run(session, request_checks(session, find_set(session, benchmark), user_id=principal.user_id))


def _drawn(found: DrawnSurvey) -> DrawnShown:
    return DrawnShown(
        unperturbed=len(found.unperturbed),
        perturbed=len(found.perturbed),
        pairs=len(found.pairs),
        shared=found.shared,
        digest=found.digest,
        strata=[StratumShown.model_validate(each) for each in found.strata],
    )


def _checks(session: Session, made: Benchmark) -> ChecksShown:
    run = newest_checks(session, made)
    known = asdict(how_far(session, made)) | asdict(set_scores(session, made))
    return ChecksShown(**known, run=run.public_id if run else None)
