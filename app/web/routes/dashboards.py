"""What researchers read: a study's pages, their tables as files, and the form for a new analysis."""

from collections.abc import Callable
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, Form, Query, Request, Response

from app.charts import pair_sentences, sentences
from app.charts.glossary import terms_of
from app.errors import InvalidInput, NotFound
from app.services import dashboards
from app.services.analysis import request_analysis
from app.services.dashboards.exhibits import chosen_metric, chosen_pair, progress_exhibits, results_of
from app.services.exports.chart_tables import table_csv, table_latex
from app.services.runs import views
from app.services.studies import find_study
from app.storage.models import Study
from app.web.access import RESEARCHER, CurrentPrincipal
from app.web.analysis_form import AnalysisForm, filled_form, posted_form, read_parameters
from app.web.database import ReadSession, WriteSession
from app.web.downloads import attachment
from app.web.figures import figure_script, file_stem
from app.web.htmx import redirect
from app.web.parameters import QueriedRow
from app.web.templating import render
from app.words import ENGLISH, gettext, speaking

router = APIRouter(prefix="/studies/{slug}")

Name = Annotated[str | None, Query(max_length=300)]


@router.get("", dependencies=[RESEARCHER])
def overview(request: Request, session: ReadSession, slug: str, analysis: QueriedRow = None) -> Response:
    """Progress and agreement among annotators."""
    return _page(request, session, slug, "overview", analysis)


@router.get("/systems", dependencies=[RESEARCHER])
def systems(request: Request, session: ReadSession, slug: str, analysis: QueriedRow = None) -> Response:
    """Scores and rankings of the systems."""
    return _page(request, session, slug, "systems", analysis)


@router.get("/significance", dependencies=[RESEARCHER])
def significance(request: Request, session: ReadSession, slug: str, analysis: QueriedRow = None) -> Response:
    """Significant pairs by Δ."""
    return _page(request, session, slug, "significance", analysis)


@router.get("/agreement", dependencies=[RESEARCHER])
def agreement(request: Request, session: ReadSession, slug: str, analysis: QueriedRow = None) -> Response:
    """Mismatches of metric and people by Δ."""
    return _page(request, session, slug, "agreement", analysis)


@router.get("/points", dependencies=[RESEARCHER])
def points(
    request: Request, session: ReadSession, slug: str, analysis: QueriedRow = None, metric: Name = None
) -> Response:
    """Each pair of systems as a point."""
    return _page(request, session, slug, "points", analysis, metric=metric)


@router.get("/compare", dependencies=[RESEARCHER])
def compare(
    *, request: Request, session: ReadSession, slug: str, analysis: QueriedRow = None, a: Name = None, b: Name = None
) -> Response:
    """Two systems beside each other."""
    return _page(request, session, slug, "compare", analysis, pair=(a, b) if a and b else None)


@router.get("/analysis-status", dependencies=[RESEARCHER])
def analysis_status(request: Request, session: ReadSession, slug: str) -> Response:
    """How far the newest analysis run is; says by a header when it has ended well."""
    study = find_study(session, slug)
    run = dashboards.pending_run(session, study)
    view = views.glimpse(session, run)
    answer = render(request, "dashboards/_analysis_status.html", study=study, run=run, view=view)
    if run is None:
        answer.headers["HX-Trigger"] = "analysis-finished"
    return answer


@router.get("/analyses", dependencies=[RESEARCHER])
def reload_after_an_error(request: Request, session: ReadSession, slug: str) -> Response:
    """The address that a rejected form leaves behind: whoever opens it wants the study."""
    return redirect(request, page_url(find_study(session, slug), "overview"))


@router.post("/analyses", dependencies=[RESEARCHER])
def start_analysis(
    *,
    request: Request,
    session: WriteSession,
    principal: CurrentPrincipal,
    slug: str,
    form: Annotated[AnalysisForm, Depends(posted_form)],
    page: Annotated[str, Form()] = "overview",
) -> Response:
    """Ask for an analysis, and go back to the page, which shows its progress."""
    study = find_study(session, slug)
    page = page if page in dashboards.PAGES else "overview"
    parameters = read_parameters(form, dashboards.check_readiness(session, study))
    try:
        if parameters is not None:
            request_analysis(session, study, parameters, user_id=principal.user_id)
    except InvalidInput as error:
        form.refuse(error.problems)
    if form.errors:
        return _page(request, session, slug, page, None, form=form)
    return redirect(request, page_url(study, page))


@router.get("/tables/{file_name}", dependencies=[RESEARCHER])
def table_file(
    *,
    session: ReadSession,
    slug: str,
    file_name: str,
    analysis: QueriedRow = None,
    a: Name = None,
    b: Name = None,
) -> Response:
    """A table as CSV or LaTeX."""
    name, _, ending = file_name.rpartition(".")
    if ending not in ("csv", "tex"):
        raise NotFound(gettext("Tables can be had as .csv and .tex."))
    study = find_study(session, slug)
    stored = dashboards.choose_analysis(session, study, analysis)
    with speaking(ENGLISH):  # a file is for papers and programs: the same whoever asks
        table = dashboards.find_table(
            name,
            results_of(stored) if stored else None,
            dashboards.recent_progress(session, study).value,  # the numbers of the page that links here
            pair=(a, b) if a and b else None,
        )
        content = table_csv(table) if ending == "csv" else table_latex(table)
    media_type = "text/csv; charset=utf-8" if ending == "csv" else "application/x-tex"
    return attachment(content, f"{file_stem(slug, table.name)}.{ending}", media_type)


def page_url(study: Study, page: str, **query: Any) -> str:
    """Address of a page of the study."""
    path = f"/studies/{study.slug}" + ("" if page == "overview" else f"/{page}")
    chosen = {key: value for key, value in query.items() if value is not None}
    return f"{path}?{urlencode(chosen)}" if chosen else path


def _departures(study: Study, readiness: dashboards.Readiness) -> Callable[[dict[str, Any]], str]:
    """In what an analysis with those parameters differs from the study's own."""
    labels = dict(readiness.metrics)
    return lambda parameters: dashboards.departures(parameters, study, readiness.questions, labels)


def _table_urls(study: Study, analysis_id: int | None, pair: tuple[str, str] | None) -> Callable[[str, str], str]:
    """Addresses of the page's tables: of the same analysis and the same two systems."""
    a, b = pair or (None, None)
    chosen = {key: value for key, value in (("analysis", analysis_id), ("a", a), ("b", b)) if value is not None}
    query = f"?{urlencode(chosen)}" if chosen else ""
    return lambda name, ending: f"/studies/{study.slug}/tables/{quote(name, safe='')}.{ending}{query}"


def _page(
    request: Request,
    session: ReadSession,
    slug: str,
    page: str,
    analysis_id: int | None,
    *,
    metric: str | None = None,
    pair: tuple[str, str] | None = None,
    form: AnalysisForm | None = None,
) -> Response:
    study = find_study(session, slug)
    stored = dashboards.choose_analysis(session, study, analysis_id)
    readiness = dashboards.check_readiness(session, study)
    counted = dashboards.recent_progress(session, study) if page == "overview" else None
    progress = counted.value if counted else None
    results = results_of(stored) if stored else None
    history = dashboards.analysis_history(session, study)
    exhibits = dashboards.page_exhibits(page, results, metric=metric, pair=pair) if results else []
    is_newest = stored is None or not history or stored.id == history[0].id
    run = dashboards.pending_run(session, study, is_newest_shown=is_newest)
    return render(
        request,
        f"dashboards/{page}.html",
        status_code=422 if form else 200,
        study=study,
        tab=page,
        analysis=stored,
        analysis_id=analysis_id,
        results=results,
        readiness=readiness,
        progress=progress,
        counted_at=counted.at if counted else None,
        exhibits=[*(progress_exhibits(progress) if progress else []), *exhibits],
        metric=chosen_metric(results, metric) if results and page == "points" else None,
        pair=chosen_pair(results, pair) if results and page == "compare" else None,
        run=run,
        view=views.glimpse(session, run),
        history=history,
        departures=_departures(study, readiness),
        few_problems=dashboards.FEW_PROBLEMS,
        form=form or filled_form(readiness, stored.parameters if stored else None),
        terms=terms_of(page),
        advice=pair_sentences.advice(results) if results else "",
        consensus_methods=sentences.METHODS,
        no_metric=gettext(pair_sentences.NO_METRIC),
        method_in_words=sentences.method_in_words,
        page_url=page_url,
        files=_table_urls(study, analysis_id, pair),
        figure_script=figure_script,
        file_stem=file_stem,
    )
