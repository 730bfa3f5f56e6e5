"""Tests and people: whether what passes a study's tests is what people find good, and the outputs where it isn't."""

from collections.abc import Callable
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Query, Request, Response
from sqlalchemy.orm import Session

from app.charts.execution_lists import grades_in_words
from app.charts.glossary import terms_of
from app.charts.reasons import reason_in_words
from app.charts.sentences import METHODS, method_in_words
from app.charts.verdicts import verdict_in_words, weak_walls
from app.charts.words import short
from app.config import Settings
from app.errors import NotFound
from app.services.agreement.questions import AskedQuestion
from app.services.analysis.computation import canonical_json
from app.services.dashboards import pending_run
from app.services.dashboards.reliability import what_is_asked
from app.services.execution.requests import KIND
from app.services.execution_results.exhibits import find_table, has_grades, study_exhibits, study_tables
from app.services.execution_results.joined import study_execution
from app.services.execution_results.listed import listed_outputs
from app.services.exports.chart_tables import table_csv, table_latex
from app.services.runs import views
from app.services.studies import find_study
from app.storage.models import Study
from app.web import benchmark_deeds
from app.web.access import ADMIN, RESEARCHER, CurrentPrincipal
from app.web.code_view import view_code
from app.web.database import ReadSession, WriteSession
from app.web.downloads import attachment
from app.web.figures import figure_script, file_stem
from app.web.htmx import redirect
from app.web.templating import render
from app.words import ENGLISH, gettext, speaking

router = APIRouter(prefix="/studies/{slug}/execution")

Name = Annotated[str | None, Query(max_length=300)]
FILES = {"csv": (table_csv, "text/csv; charset=utf-8"), "tex": (table_latex, "application/x-tex")}
USUAL = "m_msr"


@router.get("", dependencies=[RESEARCHER])
def execution_page(
    *, request: Request, session: ReadSession, slug: str, question: Name = None, consensus: Name = None
) -> Response:
    """Tests beside people."""
    study = find_study(session, slug)
    asked = what_is_asked(session, study)
    chosen, document = _chosen(session, study, question, consensus)
    run = pending_run(session, study, kind=KIND)
    return render(
        request,
        "execution/execution.html",
        study=study,
        tab="execution",
        questions=asked.about_outputs,
        question=chosen,
        consensus=consensus or USUAL,
        methods=METHODS,
        document=document,
        is_executed=any(name != "not_executed" for name in document["verdicts"]),
        is_graded=has_grades(document),
        exhibits=study_exhibits(document),
        lists=list(study_tables(document))[-2:] if has_grades(document) else [],
        listed=listed_outputs(session, document),
        warnings=weak_walls(document["walls"]),
        run=run,
        view=views.glimpse(session, run),
        terms=terms_of("execution"),
        files=_files(study, question=chosen.name if chosen else None, consensus=consensus),
        address=lambda **query: f"/studies/{slug}/execution?{urlencode(query)}",
        view_code=view_code,
        figure_script=figure_script,
        file_stem=file_stem,
        method_in_words=method_in_words,
        reason_in_words=reason_in_words,
        verdict_in_words=verdict_in_words,
        grades_in_words=grades_in_words,
        short=short,
    )


@router.get("/status", dependencies=[RESEARCHER])
def status(request: Request, session: ReadSession, slug: str) -> Response:
    """How far the newest run is; says by a header when it has ended well."""
    study = find_study(session, slug)
    run = pending_run(session, study, kind=KIND)
    answer = render(request, "execution/_status.html", study=study, run=run, view=views.glimpse(session, run))
    if run is None:
        answer.headers["HX-Trigger"] = "analysis-finished"
    return answer


@router.post("", dependencies=[ADMIN])
def run_the_tests(request: Request, session: WriteSession, principal: CurrentPrincipal, slug: str) -> Response:
    """Ask for the study's outputs to be run against their tests, and go back to the page."""
    study = find_study(session, slug)
    settings: Settings = request.app.state.settings
    benchmark_deeds.run_tests_of(session, settings, principal, study)
    return redirect(request, f"/studies/{slug}/execution")


@router.get("/tables/{file_name}", dependencies=[RESEARCHER])
def table_file(
    session: ReadSession, slug: str, file_name: str, question: Name = None, consensus: Name = None
) -> Response:
    """A table as CSV or LaTeX."""
    name, _, ending = file_name.rpartition(".")
    if ending not in FILES:
        raise NotFound(gettext("Tables can be had as .csv and .tex."))
    study = find_study(session, slug)
    _, document = _chosen(session, study, question, consensus)
    write, media_type = FILES[ending]
    with speaking(ENGLISH):  # a file is for papers and programs: the same whoever asks
        table = find_table(study_tables(document), name)
        content = write(table)
    return attachment(content, f"{file_stem(slug, table.name)}.{ending}", media_type)


@router.get("/results.json", dependencies=[RESEARCHER])
def document_file(session: ReadSession, slug: str, question: Name = None, consensus: Name = None) -> Response:
    """All numbers of the page, with what made them."""
    study = find_study(session, slug)
    text = canonical_json(_chosen(session, study, question, consensus)[1])
    return attachment(text.encode(), f"{study.slug}-execution.json", "application/json")


def _chosen(
    session: Session, study: Study, question: str | None, consensus: str | None
) -> tuple[AskedQuestion | None, dict[str, Any]]:
    chosen = what_is_asked(session, study).choose(question, about_outputs=True)
    return chosen, study_execution(session, study, chosen, consensus or USUAL)


def _files(study: Study, **chosen: str | None) -> Callable[[str, str], str]:
    """Addresses of the page's tables: of the same question and consensus."""
    query = urlencode({key: value for key, value in chosen.items() if value is not None})
    path = f"/studies/{study.slug}/execution/tables"
    return lambda name, ending: f"{path}/{quote(name, safe='')}.{ending}" + (f"?{query}" if query else "")
