"""Draw a sample of what a study holds, as items of one of its instruments: choose, look, make."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.datastructures import FormData, QueryParams
from starlette.responses import RedirectResponse, Response

from app.errors import AppError
from app.services.questionnaires.instruments import instrument_named, instruments_of
from app.services.sampling.candidates import transformations_of
from app.services.sampling.samples import KIND_OF_SOURCE, Sample, draw_sample, make_items
from app.services.sampling.spec import SampleSpec, parse_spec
from app.services.studies import find_study
from app.services.study_settings import lock
from app.storage.models import Instrument, Scoring, Study, System
from app.web.access import ADMIN, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.forms import FormState
from app.web.parameters import LAST_ROW
from app.web.templating import render

router = APIRouter()

SHOWN = 8
MadeCount = Annotated[int | None, Query(ge=0, le=LAST_ROW)]
SOURCES = {kind: source for source, kind in KIND_OF_SOURCE.items()}
COUNTS = ("unchanged", "changed", "outputs")
SEVERAL = ("transformations", "systems")
FLAGS = ("with_references", "only_these")
FIRST = {"seed": "0", "unchanged": "100", "changed": "100", "outputs": "", "bins": "4", "with_references": "yes"}


async def _posted(request: Request) -> FormData:
    return await request.form(max_files=0, max_fields=500)


@router.get("/studies/{slug}/sample", dependencies=[ADMIN])
def choose_sample(request: Request, slug: str, session: ReadSession, done: MadeCount = None) -> Response:
    """The choices and, once there are any, what they would draw. The address holds them: the same again, the same."""
    study = find_study(session, slug)
    chosen = request.query_params
    form = FormState(_shown(chosen) if "instrument" in chosen else dict(FIRST))
    if "seed" not in chosen or "instrument" not in chosen:  # an instrument at most was chosen: nothing is drawn yet
        return _page(request, session, study, form, done=done)
    try:
        instrument = instrument_named(session, study, chosen["instrument"])
        sample = draw_sample(session, study, instrument, _spec(session, study, chosen))
    except AppError as error:
        return _page(
            request, session, study, FormState(form.values, {"": error.in_words()}), status_code=error.status
        )
    return _page(request, session, study, form, sample)


@router.post("/studies/{slug}/sample", dependencies=[ADMIN])
def make_sample(
    slug: str, session: WriteSession, principal: CurrentPrincipal, posted: Annotated[FormData, Depends(_posted)]
) -> Response:
    """Make the items."""
    study = lock(session, slug)
    instrument = instrument_named(session, study, str(posted.get("instrument", "")))
    sample = make_items(session, principal.actor, study, instrument, _spec(session, study, posted))
    return RedirectResponse(f"/studies/{slug}/sample?instrument={instrument.name}&done={sample.new}", status_code=303)


def _spec(session: Session, study: Study, chosen: QueryParams | FormData) -> SampleSpec:
    """The sample that the fields say; an empty count is all."""
    instrument = instrument_named(session, study, str(chosen.get("instrument", "")))
    values: dict[str, Any] = {name: chosen[name] for name in ("seed", "by", "metric", "bins") if chosen.get(name)}
    values |= {name: chosen.get(name) or None for name in COUNTS if name in chosen}
    values |= {name: tuple(map(str, chosen.getlist(name))) for name in SEVERAL}
    values |= {name: chosen.get(name) == "yes" for name in FLAGS}
    return parse_spec(values | {"source": SOURCES[instrument.kind]})


def _shown(chosen: QueryParams) -> dict[str, Any]:
    single = {name: value for name, value in chosen.items() if name not in SEVERAL}
    defaults = {} if "seed" in chosen else FIRST
    return defaults | single | {name: chosen.getlist(name) for name in SEVERAL}


def _page(
    request: Request,
    session: Session,
    study: Study,
    form: FormState,
    sample: Sample | None = None,
    *,
    done: int | None = None,
    status_code: int = 200,
) -> Response:
    instruments = instruments_of(session, study.id)
    return render(
        request,
        "sampling/sample.html",
        status_code=status_code,
        study=study,
        tab="desk",
        form=form,
        instruments=instruments,
        instrument=_instrument(instruments, form),
        sample=sample,
        shown=sample.drawn[:SHOWN] if sample else [],
        transformations=transformations_of(session, study),
        systems=session.scalars(
            select(System.name).where(System.study_id == study.id).order_by(System.position)
        ).all(),
        metric_choices=[("", "–"), *_metrics(session, study)],
        fields_again=request.query_params.multi_items(),
        done=done,
    )


def _systems(session: Session, study: Study) -> list[str]:
    names = select(System.name).where(System.study_id == study.id).order_by(System.position)
    return list(session.scalars(names))


def _metrics(session: Session, study: Study) -> list[tuple[str, str]]:
    names = select(Scoring.name).where(Scoring.study_id == study.id).distinct().order_by(Scoring.name)
    return [(name, name) for name in session.scalars(names)]


def _instrument(instruments: list[Instrument], form: FormState) -> Instrument | None:
    named = [each for each in instruments if each.name == form.values.get("instrument")]
    return next(iter(named or instruments), None)
