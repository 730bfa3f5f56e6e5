"""What perturbed prompts do to models: the page, its tables as files, all of it as JSON, and a pair of samples."""

from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Request, Response
from sqlalchemy.orm import Session

from app.charts.glossary import terms_of
from app.charts.robustness_models import category_label
from app.charts.robustness_samples import completeness, is_incomplete, left_out
from app.charts.tables import Table
from app.charts.verdicts import counts_in_words, weak_walls
from app.errors import NotFound
from app.perturbations import Category
from app.services.analysis.computation import canonical_json
from app.services.execution.programs import shown_prompt
from app.services.execution_results.exhibits import find_table
from app.services.exports.chart_tables import table_csv, table_latex, tables_latex
from app.services.perturbing import find_set
from app.services.robustness_results.document import robustness_results
from app.services.robustness_results.exhibits import closer_exhibits, no_results, summary_exhibits
from app.services.robustness_results.pairs import Answer, answered_pair
from app.services.robustness_results.sets import other_sets
from app.services.robustness_results.views import Wanted, view_of
from app.storage.models import Benchmark
from app.web.access import RESEARCHER
from app.web.code_view import PairView, view_pair
from app.web.database import ReadSession
from app.web.downloads import attachment
from app.web.figures import figure_script, file_stem
from app.web.parameters import LAST_ROW, QueriedRow, RowId
from app.web.templating import render
from app.words import ENGLISH, gettext, speaking

router = APIRouter(prefix="/benchmarks/{benchmark}")

Name = Annotated[str, Query(max_length=300)]
CategoryName = Literal["docstring", "function_name", "syntax", "format"]
FILES = {"csv": (table_csv, "text/csv; charset=utf-8"), "tex": (table_latex, "application/x-tex")}
LONGEST_SHOWN = 10_000  # characters of each text; downloads have all


def wanted(
    *,
    generation: Annotated[list[Annotated[int, Query(ge=1, le=LAST_ROW)]] | None, Query(max_length=100)] = None,
    category: Annotated[list[CategoryName] | None, Query(max_length=4)] = None,
    k: Annotated[int, Query(ge=1, le=1000)] = 1,
    second: Annotated[str, Query(max_length=80)] = "",
    a: Name = "",
    b: Name = "",
    closer: CategoryName | None = None,
    of: QueriedRow = None,
) -> Wanted:
    """What of the results somebody wants to see; all models and categories by default."""
    categories = tuple(map(Category, category or ()))
    pair = (a, b) if a and b else None
    return Wanted(tuple(generation or ()), categories, k, second, pair, Category(closer) if closer else None, of)


Asked = Annotated[Wanted, Depends(wanted)]


@router.get("/robustness", dependencies=[RESEARCHER])
def robustness_page(request: Request, session: ReadSession, benchmark: str, asked: Asked) -> Response:
    """Who keeps how much of its pass@k, under which changes, and what breaks."""
    made = find_set(session, benchmark)
    view = view_of(session, made, asked)
    document = view.shown.document
    runs = [run for each in document["models"] for run in each["generations"]]
    return render(
        request,
        "benchmarks/robustness.html",
        benchmark=made,
        document=document,
        view=view,
        categories=[(name, category_label(name)) for name in view.measured],
        exhibits=summary_exhibits(view.shown),
        closer=closer_exhibits(view.shown),
        empty=no_results(document),
        others=other_sets(session, made),
        warnings=weak_walls([wall for run in runs for wall in run["walls"]]),
        incomplete=completeness(document) if is_incomplete(document) else "",
        left_out=left_out(document),
        counts_in_words=counts_in_words,
        terms=terms_of("robustness"),
        files=lambda name, ending: (
            f"/benchmarks/{made.slug}/robustness/tables/{quote(name, safe='')}.{ending}?{view.query}"
        ),
        figure_script=figure_script,
        file_stem=file_stem,
    )


@router.get("/robustness/tables/{file_name}", dependencies=[RESEARCHER])
def table_file(session: ReadSession, benchmark: str, file_name: str, asked: Asked) -> Response:
    """A table as CSV or LaTeX."""
    name, _, ending = file_name.rpartition(".")
    if ending not in FILES:
        raise NotFound(gettext("Tables can be had as .csv and .tex."))
    made = find_set(session, benchmark)
    write, media_type = FILES[ending]
    with speaking(ENGLISH):  # a file is for papers and programs: the same whoever asks
        table = find_table(_tables(session, made, asked), name)
        content = write(table)
    return attachment(content, f"{file_stem(made.slug, table.name)}.{ending}", media_type)


@router.get("/robustness.tex", dependencies=[RESEARCHER])
def all_tables(session: ReadSession, benchmark: str, asked: Asked) -> Response:
    """Every table of the page in one LaTeX file."""
    made = find_set(session, benchmark)
    with speaking(ENGLISH):
        content = tables_latex(_tables(session, made, asked))
    return attachment(content, f"{file_stem(made.slug, 'robustness')}.tex", FILES["tex"][1])


def _tables(session: Session, made: Benchmark, asked: Wanted) -> list[Table]:
    shown = view_of(session, made, asked).shown
    return [table for each in (*summary_exhibits(shown), *closer_exhibits(shown)) for table in each.tables]


@router.get("/robustness.json", dependencies=[RESEARCHER])
def document_file(session: ReadSession, benchmark: str, asked: Asked) -> Response:
    """All numbers of the models that the page shows, with what made them."""
    made = find_set(session, benchmark)
    text = canonical_json(robustness_results(session, made, asked.generations))
    return attachment(text.encode(), f"{made.slug}-robustness.json", "application/json")


@router.get("/robustness/pairs/{completion_id}", dependencies=[RESEARCHER])
def show_pair(request: Request, session: ReadSession, benchmark: str, completion_id: RowId) -> Response:
    """A sample before and after: both prompts, both completions, what became of them."""
    made = find_set(session, benchmark)
    found = answered_pair(session, made, completion_id)
    before, after, mode = found.before, found.after, found.generation.prompt_mode
    prompts = gettext("Nominal prompt"), gettext("Changed prompt")
    completions = gettext("Completion of the nominal prompt"), gettext("Completion of the changed prompt")
    return render(
        request,
        "benchmarks/robustness_pair.html",
        benchmark=made,
        found=found,
        category=category_label(after.row.category or ""),
        prompts=_pair(shown_prompt(before.row, mode), shown_prompt(after.row, mode), made.language, prompts),
        completions=_pair(_written(before), _written(after), made.language, completions),
        longest=LONGEST_SHOWN,
        is_cut=any(len(each) > LONGEST_SHOWN for each in (_written(before), _written(after))),
    )


def _written(answer: Answer) -> str:
    return answer.completion.text if answer.completion else ""


def _pair(first: str, second: str, language: str, names: tuple[str, str]) -> PairView:
    return view_pair(first[:LONGEST_SHOWN], second[:LONGEST_SHOWN], language, names)
