"""Are a perturbed set's changes natural? What automatic checks say, the surveys of it, and a form that makes one."""

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Request
from sqlalchemy.orm import Session
from starlette.datastructures import FormData, QueryParams
from starlette.responses import Response

from app.charts.glossary import terms_of
from app.charts.robustness_models import category_label, transformation_label
from app.errors import AppError, NotFound
from app.services.dashboards.naturalness import set_exhibits, surveys_exhibits, surveys_of
from app.services.execution_results.exhibits import find_table
from app.services.exports.chart_tables import table_csv, table_latex
from app.services.naturalness.drawing import DrawnSurvey, draw_survey, transformations_in
from app.services.naturalness.making import make_surveys
from app.services.naturalness.runs import newest_checks, request_checks
from app.services.naturalness.scores import how_far, set_scores
from app.services.naturalness.spec import SurveySpec, parse_survey
from app.services.perturbing import find_set
from app.services.runs import views
from app.storage.models import Benchmark
from app.web.access import ADMIN, RESEARCHER, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.downloads import attachment
from app.web.figures import figure_script, file_stem
from app.web.forms import FormState
from app.web.htmx import redirect
from app.web.templating import render
from app.words import ENGLISH, gettext, speaking

router = APIRouter()

FILES = {"csv": (table_csv, "text/csv; charset=utf-8"), "tex": (table_latex, "application/x-tex")}
COUNTS = ("unperturbed", "perturbed", "pairs", "seed", "annotators")
LONGEST_TITLE = 200
Title = Annotated[str, Query(max_length=LONGEST_TITLE)]


async def _posted(request: Request) -> FormData:
    return await request.form(max_files=0, max_fields=500)


@router.get("/benchmarks/{benchmark}/naturalness", dependencies=[RESEARCHER])
def naturalness_page(request: Request, session: ReadSession, principal: CurrentPrincipal, benchmark: str) -> Response:
    """How alike changed prompts are by automatic checks, and the surveys that ask people."""
    made = find_set(session, benchmark)
    run, surveys, scores = newest_checks(session, made), surveys_of(session, made), set_scores(session, made)
    return render(
        request,
        "naturalness/of_set.html",
        benchmark=made,
        checked=how_far(session, made),
        scores=scores,
        run=run,
        view=views.describe(session, run, principal) if run else None,
        surveys=surveys,
        said=surveys_exhibits(surveys),
        exhibits=set_exhibits(made, scores),
        terms=terms_of("naturalness"),
        files=lambda name, ending: f"/benchmarks/{made.slug}/naturalness/tables/{quote(name, safe='')}.{ending}",
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
def table_file(session: ReadSession, benchmark: str, file_name: str) -> Response:
    """A table as CSV or LaTeX."""
    name, _, ending = file_name.rpartition(".")
    if ending not in FILES:
        raise NotFound(gettext("Tables can be had as .csv and .tex."))
    made = find_set(session, benchmark)
    write, media_type = FILES[ending]
    with speaking(ENGLISH):  # a file is for papers and programs: the same whoever asks
        exhibits = [*surveys_exhibits(surveys_of(session, made)), *set_exhibits(made, set_scores(session, made))]
        table = find_table((table for each in exhibits for table in each.tables), name)
        content = write(table)
    return attachment(content, f"{file_stem(made.slug, table.name)}.{ending}", media_type)


@router.get("/benchmarks/{benchmark}/survey", dependencies=[ADMIN])
def choose_survey(request: Request, session: ReadSession, benchmark: str, title: Title = "") -> Response:
    """The choices and, once there are any, what they would draw. The address holds them: the same again, the same."""
    made = find_set(session, benchmark)
    chosen = request.query_params
    if "seed" not in chosen:
        return _page(request, session, made, FormState(_first(made)))
    form = FormState({**chosen, "title": title, "transformations": chosen.getlist("transformations")})
    try:
        drawn = draw_survey(session, made, _spec(chosen))
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
    single = {name: str(value) for name, value in posted.items()}
    form = FormState({**single, "transformations": posted.getlist("transformations")})
    try:
        with session.begin_nested():
            studies = make_surveys(
                session,
                made,
                _spec(posted),
                title=single.get("title", "")[:LONGEST_TITLE],
                separate=single.get("separate") == "yes",
                actor=principal.actor,
            )
    except AppError as error:
        return _refused(request, session, made, form, error)
    target = f"/studies/{studies[0].slug}/desk" if len(studies) == 1 else f"/benchmarks/{made.slug}/naturalness"
    return redirect(request, target)


def _first(made: Benchmark) -> dict[str, Any]:
    """What the form offers: the paper's numbers."""
    usual = SurveySpec().model_dump(mode="json", exclude={"transformations"})
    title = gettext("%(name)s: are the changes natural?", name=made.name)
    return {name: str(value) for name, value in usual.items()} | {"title": title, "transformations": []}


def _spec(chosen: QueryParams | FormData) -> SurveySpec:
    """The survey that the fields say; an empty count is none."""
    values: dict[str, Any] = {name: chosen.get(name) or 0 for name in COUNTS if name in chosen}
    return parse_survey(values | {"transformations": tuple(map(str, chosen.getlist("transformations")))})


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
