"""What researchers read about the grades themselves: agreement, the survey of prompts, and whether it is enough."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Form, Query, Request, Response
from sqlalchemy.orm import Session

from app.charts.exhibit import Exhibit
from app.charts.glossary import terms_of
from app.errors import NotFound
from app.services.agreement import StoredMeasurement, all_documents, find_measurement, request_agreement
from app.services.agreement.changes import brings_scores
from app.services.agreement.requests import RUN_KIND
from app.services.dashboards import pending_run
from app.services.dashboards.naturalness import study_exhibits
from app.services.dashboards.naturalness_of_sets import other_sets
from app.services.dashboards.reliability import (
    MOST_PAIRS_SHOWN,
    WEIGHTS,
    Asked,
    agreement_exhibits,
    chosen_pair,
    enough_exhibits,
    find_measured_table,
    lacks_systems,
    pair_document,
    survey_exhibits,
    systems_of,
    what_is_asked,
    what_is_missing,
)
from app.services.exports.chart_tables import table_csv, table_latex
from app.services.naturalness.asked_sets import set_of
from app.services.runs import views
from app.services.studies import find_study
from app.storage.models import Study
from app.web.access import RESEARCHER, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.downloads import attachment
from app.web.figures import figure_script, file_stem
from app.web.htmx import redirect
from app.web.templating import render
from app.words import ENGLISH, gettext, speaking

router = APIRouter(prefix="/studies/{slug}")

Name = Annotated[str | None, Query(max_length=300)]
PAGES = {
    "agreement": "/reliability",
    "survey": "/reliability/survey",
    "enough": "/enough",
    "naturalness": "/naturalness",
}
FILES = {"csv": (table_csv, "text/csv; charset=utf-8"), "tex": (table_latex, "application/x-tex")}


@router.get("/reliability", dependencies=[RESEARCHER])
def agreement_page(
    *,
    request: Request,
    session: ReadSession,
    slug: str,
    question: Name = None,
    label: Name = None,
    weight: Name = "linear",
) -> Response:
    """How far annotators agree on a question."""
    study = find_study(session, slug)
    asked = what_is_asked(session, study)
    chosen = asked.choose(question)
    stored = find_measurement(session, study, "agreement", chosen.name) if chosen else None
    exhibits = agreement_exhibits(stored, label, weight or "linear", most_pairs=MOST_PAIRS_SHOWN) if stored else []
    shown = label or (chosen.labels[0] if chosen and chosen.labels else None)
    about: dict[str, Any] = {"question": chosen, "label": shown, "weight": weight, "weights": WEIGHTS}
    files = _files(study, question=chosen.name if chosen else None, label=shown)
    return _page(
        request, session, study, "agreement", asked=asked, stored=stored, exhibits=exhibits, files=files, **about
    )


@router.get("/reliability/survey", dependencies=[RESEARCHER])
def survey_page(request: Request, session: ReadSession, slug: str) -> Response:
    """Naturalness and semantic similarity, in the form of the robustness papers."""
    study = find_study(session, slug)
    asked = what_is_asked(session, study)
    if not asked.has_survey:
        raise NotFound(
            gettext("This study asks neither for naturalness nor for semantic similarity."),
            remedy=gettext("Add the ready-made instruments to its questionnaire."),
        )
    stored = find_measurement(session, study, "survey")
    exhibits = survey_exhibits(stored) if stored else []
    return _page(
        request,
        session,
        study,
        "survey",
        asked=asked,
        stored=stored,
        exhibits=exhibits,
        files=_files(study),
        question=None,
    )


@router.get("/naturalness", dependencies=[RESEARCHER])
def naturalness_page(request: Request, session: ReadSession, slug: str) -> Response:
    """How natural a perturbed set's changes are: people, automatic checks, and one by the other."""
    study = find_study(session, slug)
    if study.set_slug is None:
        raise NotFound(
            gettext("This study was not made of a perturbed set."),
            remedy=gettext(
                "Make one on the page of a perturbed set: it asks people whether the changes are natural."
            ),
        )
    stored, made_of = find_measurement(session, study, "naturalness"), set_of(session, study)
    return _page(
        request,
        session,
        study,
        "naturalness",
        asked=what_is_asked(session, study),
        stored=stored,
        exhibits=study_exhibits(session, study, stored) if stored else [],
        files=_files(study),
        question=None,
        made_of=made_of,
        brings_scores=brings_scores(session, study),
        others=other_sets(session, made_of) if made_of else (),
    )


@router.get("/enough", dependencies=[RESEARCHER])
def enough_page(
    *, request: Request, session: ReadSession, slug: str, question: Name = None, a: Name = None, b: Name = None
) -> Response:
    """Whether the grades are enough, and how many more it takes."""
    study = find_study(session, slug)
    asked = what_is_asked(session, study)
    chosen = asked.choose(question, about_outputs=True)
    stored = find_measurement(session, study, "enough", chosen.name) if chosen else None
    pair = chosen_pair(stored, (a, b) if a and b else None) if stored else None
    exhibits = enough_exhibits(stored, pair) if stored else []
    about: dict[str, Any] = {
        "question": chosen,
        "systems": systems_of(stored),
        "pair": pair,
        "is_pair_measured": bool(stored and pair and pair_document(stored, pair)),
        "lacks_systems": lacks_systems(session, study) or not asked.about_outputs,
    }
    first, second = pair or (None, None)
    files = _files(study, question=chosen.name if chosen else None, a=first, b=second)
    return _page(
        request, session, study, "enough", asked=asked, stored=stored, exhibits=exhibits, files=files, **about
    )


@router.get("/reliability/status", dependencies=[RESEARCHER])
def status(request: Request, session: ReadSession, slug: str) -> Response:
    """How far the newest run is; says by a header when it has ended well."""
    study = find_study(session, slug)
    run = pending_run(session, study, kind=RUN_KIND)
    view = views.glimpse(session, run)
    answer = render(request, "reliability/_status.html", study=study, run=run, view=view)
    if run is None:
        answer.headers["HX-Trigger"] = "analysis-finished"
    return answer


@router.post("/reliability", dependencies=[RESEARCHER])
def measure(
    *,
    request: Request,
    session: WriteSession,
    principal: CurrentPrincipal,
    slug: str,
    page: Annotated[str, Form()] = "agreement",
    question: Annotated[str, Form(max_length=300)] = "",
) -> Response:
    """Ask for everything to be measured, and go back to the page, which shows its progress."""
    study = find_study(session, slug)
    request_agreement(session, study, user_id=principal.user_id)
    query = f"?{urlencode({'question': question})}" if question else ""
    return redirect(request, f"/studies/{slug}{PAGES.get(page, PAGES['agreement'])}{query}")


@router.get("/reliability/tables/{file_name}", dependencies=[RESEARCHER])
def table_file(
    *,
    session: ReadSession,
    slug: str,
    file_name: str,
    question: Name = None,
    label: Name = None,
    a: Name = None,
    b: Name = None,
) -> Response:
    """A table as CSV or LaTeX."""
    name, _, ending = file_name.rpartition(".")
    if ending not in FILES:
        raise NotFound(gettext("Tables can be had as .csv and .tex."))
    study = find_study(session, slug)
    pair = (a, b) if a and b else None
    write, media_type = FILES[ending]
    with speaking(ENGLISH):  # a file is for papers and programs: the same whoever asks
        table = find_measured_table(session, study, name, question=question, label=label, pair=pair)
        content = write(table)
    stem = file_stem(slug, "-".join(part for part in (question, label, table.name) if part))
    return attachment(content, f"{stem}.{ending}", media_type)


@router.get("/reliability/measurements.json", dependencies=[RESEARCHER])
def documents(session: ReadSession, slug: str) -> Response:
    """All that was measured, byte for byte as stored."""
    study = find_study(session, slug)
    text = all_documents(session, study)
    if text is None:
        raise NotFound(gettext("Nothing of this study has been measured yet."))
    return attachment(text.encode(), f"{study.slug}-measurements.json", "application/json")


def _files(study: Study, **chosen: str | None) -> Callable[[str, str], str]:
    """Addresses of the page's tables: of the same question, label and systems."""
    query = urlencode({key: value for key, value in chosen.items() if value is not None})
    path = f"/studies/{study.slug}/reliability/tables"
    return lambda name, ending: f"{path}/{quote(name, safe='')}.{ending}" + (f"?{query}" if query else "")


def _page(
    request: Request,
    session: Session,
    study: Study,
    page: str,
    *,
    asked: Asked,
    stored: StoredMeasurement | None,
    exhibits: Sequence[Exhibit],
    **about: Any,
) -> Response:
    run = pending_run(session, study, kind=RUN_KIND)
    return render(
        request,
        f"reliability/{page}.html",
        study=study,
        page=page,
        asked=asked,
        stored=stored,
        exhibits=exhibits,
        missing=what_is_missing(session, study, asked),
        run=run,
        view=views.glimpse(session, run),
        terms=terms_of("question-agreement" if page == "agreement" else page),
        figure_script=figure_script,
        file_stem=file_stem,
        address=lambda path, **query: f"/studies/{study.slug}{path}?{urlencode(query)}",
        **about,
    )
