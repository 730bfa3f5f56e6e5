"""Are a perturbed set's changes natural? What automatic checks say, the surveys of it, and a form that makes one."""

from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, Query, Request
from sqlalchemy.orm import Session
from starlette.datastructures import FormData, QueryParams
from starlette.responses import Response

from app.charts.glossary import terms_of
from app.charts.robustness_models import category_label, transformation_label
from app.errors import AppError, InvalidInput, NotFound
from app.services.dashboards.naturalness_of_sets import (
    beside_it,
    checks_exhibits,
    lacking,
    of_set,
    other_sets,
    surveys_exhibits,
    unlike_checks,
)
from app.services.execution_results.exhibits import find_table
from app.services.exports.chart_tables import table_csv, table_latex
from app.services.naturalness.drawing import DrawnSurvey, draw_survey, transformations_in
from app.services.naturalness.making import make_surveys, titles_of
from app.services.naturalness.runs import newest_checks, request_checks
from app.services.naturalness.spec import SurveySpec, parse_survey
from app.services.perturbing import find_set
from app.services.runs import views
from app.services.sampling.checked import WrongChoices
from app.services.studies import LONGEST_TITLE, new_study_slug, slugify
from app.storage.models import Benchmark
from app.web.access import ADMIN, RESEARCHER, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.downloads import attachment
from app.web.figures import figure_script, file_stem
from app.web.forms import FormInvalid, FormState
from app.web.htmx import redirect
from app.web.templating import render
from app.words import ENGLISH, gettext, speaking

router = APIRouter()

FILES = {"csv": (table_csv, "text/csv; charset=utf-8"), "tex": (table_latex, "application/x-tex")}
COUNTS = ("unperturbed", "perturbed", "pairs", "seed", "annotators")
Second = Annotated[str, Query(max_length=80)]


async def _posted(request: Request) -> FormData:
    return await request.form(max_files=0, max_fields=500)


@router.get("/benchmarks/{benchmark}/naturalness", dependencies=[RESEARCHER])
def naturalness_page(
    *, request: Request, session: ReadSession, principal: CurrentPrincipal, benchmark: str, second: Second = ""
) -> Response:
    """How alike changed prompts are by automatic checks, and the surveys that ask people; another set beside it."""
    made = find_set(session, benchmark)
    known, other = of_set(session, made), beside_it(session, made, second)
    run, query = newest_checks(session, made), f"?{urlencode({'second': second})}" if other else ""
    path = f"/benchmarks/{made.slug}/naturalness/tables"
    return render(
        request,
        "naturalness/of_set.html",
        benchmark=made,
        checked=known.checked,
        known=known,
        other=other,
        others=other_sets(session, made),
        lacking=lacking(other),
        unlike=unlike_checks(known, other),
        run=run,
        view=views.describe(session, run, principal) if run else None,
        said=surveys_exhibits(known, other),
        exhibits=checks_exhibits(known, other),
        terms=terms_of("naturalness"),
        files=lambda name, ending: f"{path}/{quote(name, safe='')}.{ending}{query}",
        figure_script=figure_script,
        file_stem=file_stem,
    )


@router.post("/benchmarks/{benchmark}/naturalness", dependencies=[RESEARCHER])
def check(request: Request, session: WriteSession, principal: CurrentPrincipal, benchmark: str) -> Response:
    """Check all changed prompts that have no current score."""
    made = find_set(session, benchmark)
    request_checks(session, made, user_id=principal.user_id)
    return redirect(request, f"/benchmarks/{made.slug}/naturalness")


@router.get("/benchmarks/{benchmark}/naturalness/tables/{file_name}", dependencies=[RESEARCHER])
def table_file(session: ReadSession, benchmark: str, file_name: str, second: Second = "") -> Response:
    """A table of the page as CSV or LaTeX."""
    name, _, ending = file_name.rpartition(".")
    if ending not in FILES:
        raise NotFound(gettext("Tables can be had as .csv and .tex."))
    made = find_set(session, benchmark)
    write, media_type = FILES[ending]
    with speaking(ENGLISH):  # a file is for papers and programs: the same whoever asks
        sets = of_set(session, made), beside_it(session, made, second)
        exhibits = [*surveys_exhibits(*sets), *checks_exhibits(*sets)]
        table = find_table((table for each in exhibits for table in each.tables), name)
        content = write(table)
    return attachment(content, f"{file_stem(made.slug, table.name)}.{ending}", media_type)


@router.get("/benchmarks/{benchmark}/survey", dependencies=[ADMIN])
def choose_survey(request: Request, session: ReadSession, benchmark: str) -> Response:
    """The choices and, once there are any, what they would draw. The address holds them: the same again, the same."""
    made = find_set(session, benchmark)
    chosen = request.query_params
    if "seed" not in chosen:
        return _page(request, session, made, FormState(_first(made)))
    try:
        form, spec = _read(chosen)
        for each in titles_of(form.values["title"], separate=form.values.get("separate") == "yes"):
            new_study_slug(each)
        drawn = draw_survey(session, made, spec)
    except FormInvalid as failure:
        return _page(request, session, made, failure.state, status_code=422)
    except AppError as error:
        return _refused(request, session, made, form, error)
    return _page(request, session, made, form, drawn)


@router.post("/benchmarks/{benchmark}/survey", dependencies=[ADMIN])
def make(
    request: Request,
    session: WriteSession,
    principal: CurrentPrincipal,
    benchmark: str,
    *,
    posted: Annotated[FormData, Depends(_posted)],
) -> Response:
    """One draft with both questions, or one for each."""
    made = find_set(session, benchmark)
    try:
        form, spec = _read(posted)
        with session.begin_nested():
            studies = make_surveys(
                session,
                made,
                spec,
                title=form.values["title"],
                separate=form.values.get("separate") == "yes",
                actor=principal.actor,
            )
    except FormInvalid as failure:
        return _page(request, session, made, failure.state, status_code=422)
    except AppError as error:
        return _refused(request, session, made, form, error)
    target = f"/studies/{studies[0].slug}/desk" if len(studies) == 1 else f"/benchmarks/{made.slug}/naturalness"
    return redirect(request, target)


def _first(made: Benchmark) -> dict[str, Any]:
    """What the form offers: the paper's numbers."""
    title = gettext("%(name)s: are the changes natural?", name=made.name)[:LONGEST_TITLE]
    return _usual() | {"title": title, "transformations": []}


def _usual() -> dict[str, Any]:
    usual = SurveySpec().model_dump(mode="json", exclude={"transformations"})
    return {name: str(value) for name, value in usual.items()}


def _read(chosen: QueryParams | FormData) -> tuple[FormState, SurveySpec]:
    """What the form shows and the survey that it says; FormInvalid has each error beside its field."""
    given = {name: str(value) for name, value in chosen.items()}
    several = [str(each) for each in chosen.getlist("transformations")]
    form = FormState(_usual() | {"title": ""} | given | {"transformations": several})
    form.errors |= _errors_of_title(form.values["title"])
    counts: dict[str, Any] = {name: form.values[name] for name in COUNTS}
    try:
        spec = parse_survey(counts | {"transformations": tuple(several)})
    except InvalidInput as error:
        form.errors |= error.by_field if isinstance(error, WrongChoices) else {"": error.in_words()}
    if form.errors:
        raise FormInvalid(form)
    return form, spec


def _errors_of_title(title: str) -> dict[str, str]:
    if not title.strip():
        return {"title": gettext("This is needed.")}
    if len(title) > LONGEST_TITLE:
        return {"title": gettext("Use at most %(number)s characters.", number=LONGEST_TITLE)}
    if not slugify(title):
        return {"title": gettext("A study needs a title with at least one letter or digit.")}
    return {}


def _refused(request: Request, session: Session, made: Benchmark, form: FormState, error: AppError) -> Response:
    if error.status not in (409, 422):
        raise error
    failed = FormState(form.values, {"": error.in_words()})
    return _page(request, session, made, failed, status_code=error.status)


def _page(
    request: Request,
    session: Session,
    made: Benchmark,
    form: FormState,
    drawn: DrawnSurvey | None = None,
    *,
    status_code: int = 200,
) -> Response:
    return render(
        request,
        "naturalness/survey.html",
        status_code=status_code,
        benchmark=made,
        form=form,
        drawn=drawn,
        groups=_by_category(transformations_in(session, made)),
        category_label=category_label,
        transformation_label=transformation_label,
    )


def _by_category(transformations: dict[str, int]) -> dict[str, dict[str, int]]:
    """How many changed prompts each transformation has; its name begins with its category."""
    groups: dict[str, dict[str, int]] = {}
    for name, number in transformations.items():
        groups.setdefault(name.partition("/")[0], {})[name] = number
    return groups
