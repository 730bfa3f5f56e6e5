"""What is graded: problems and outputs as they are stored, and samples of them as items."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import ConfigDict, Field

from app.services.listings import first_items, first_outputs, first_problems
from app.services.questionnaires.instruments import instrument_named
from app.services.sampling.samples import KIND_OF_SOURCE, Sample, draw_sample, make_items
from app.services.sampling.spec import SampleSpec, parse_spec
from app.services.studies import find_study
from app.storage.models import Instrument, Item, Output
from app.web.access import CurrentPrincipal
from app.web.api.once import once
from app.web.api.paging import After, Limit, Page, page_of
from app.web.api.permissions import CHANGE, READ, READ_DESK
from app.web.api.shapes import Incoming, Outgoing, body
from app.web.database import ReadSession, WriteSession
from app.web.studies import LockedStudy

router = APIRouter(prefix="/studies/{slug}", tags=["material"])

SOURCES = {kind: source for source, kind in KIND_OF_SOURCE.items()}


class ProblemShown(Outgoing):
    """What the code was asked for."""

    model_config = ConfigDict(from_attributes=True)

    problem: str = Field(validation_alias="key")
    position: int
    intent: str | None
    context: str | None
    tests: str | None


class OutputShown(Outgoing):
    """One system's text for one problem."""

    problem: str
    system: str
    output: str


class ItemShown(Outgoing):
    """What people grade. ``load``: grades and open claims that count towards the target."""

    item: int
    problem: str
    instrument: str
    text: str
    original: str | None
    stratum: str
    is_reference: bool
    load: int
    skips: int
    retired_at: datetime | None


class WantedSample(Incoming):
    """Of which instrument, and how: the fields of the page Sample, all of which have a default."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"instrument": "helpfulness", "spec": {"seed": 1}}]})

    instrument: str = Field(max_length=80)
    spec: dict[str, Any] = Field(default_factory=dict)


class Stratum(Outgoing):
    """How many items of a stratum are drawn, of how many there are."""

    drawn: int
    available: int


class SampleShown(Outgoing):
    """What was drawn. ``digest`` names the items by content: the same sample again has the same."""

    drawn: int
    new: int
    known: int
    digest: str
    strata: dict[str, Stratum]


@router.get("/problems", dependencies=[READ])
def list_problems(session: ReadSession, slug: str, after: After, limit: Limit = 50) -> Page[ProblemShown]:
    """The study's problems."""
    found = first_problems(session, find_study(session, slug), after.row, limit)
    return page_of(found, ProblemShown.model_validate, after)


@router.get("/outputs", dependencies=[READ])
def list_outputs(session: ReadSession, slug: str, after: After, limit: Limit = 50) -> Page[OutputShown]:
    """The study's outputs."""
    found = first_outputs(session, find_study(session, slug), after.row, limit)
    return page_of(found, _output, after)


@router.get("/items", dependencies=[READ_DESK])
def list_items(session: ReadSession, slug: str, after: After, limit: Limit = 50) -> Page[ItemShown]:
    """The study's items; practice and checks stand under checks."""
    return page_of(first_items(session, find_study(session, slug), after.row, limit), _item, after)


@router.post("/sample/check", dependencies=[CHANGE])
def check_sample(session: ReadSession, slug: str, wanted: Annotated[WantedSample, body(WantedSample)]) -> SampleShown:
    """What a sample would draw; nothing is stored."""
    study = find_study(session, slug)
    instrument = instrument_named(session, study, wanted.instrument)
    return _sample(draw_sample(session, study, instrument, _spec(instrument, wanted)))


@router.post("/sample", dependencies=[CHANGE], status_code=201)
@once
def make_sample(
    principal: CurrentPrincipal,
    wanted: Annotated[WantedSample, body(WantedSample)],
    session: WriteSession,
    study: LockedStudy,
) -> SampleShown:
    """Draw a sample, and make its items."""
    instrument = instrument_named(session, study, wanted.instrument)
    return _sample(make_items(session, principal.actor, study, instrument, _spec(instrument, wanted)))


def _spec(instrument: Instrument, wanted: WantedSample) -> SampleSpec:
    return parse_spec(wanted.spec | {"source": SOURCES[instrument.kind]})


def _sample(sample: Sample) -> SampleShown:
    strata = {name: Stratum(drawn=drawn, available=there) for name, (drawn, there) in sample.strata.items()}
    return SampleShown(
        drawn=len(sample.drawn), new=sample.new, known=sample.known, digest=sample.digest, strata=strata
    )


def _output(row: tuple[Output, str, str]) -> OutputShown:
    output, problem, system = row
    return OutputShown(problem=problem, system=system, output=output.text)


def _item(row: tuple[Item, str, str]) -> ItemShown:
    item, problem, instrument = row
    named = {name: getattr(item, name) for name in ItemShown.model_fields if hasattr(item, name)}
    return ItemShown(item=item.id, problem=problem, instrument=instrument, **named)
