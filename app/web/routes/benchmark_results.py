"""What models solve of a benchmark: the page, its tables as files, all of it as JSON."""

from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Query, Request, Response
from sqlalchemy.orm import Session

from app.charts.glossary import terms_of
from app.charts.pass_at_k_samples import completeness
from app.charts.verdicts import counts_in_words, weak_walls
from app.errors import NotFound
from app.services.analysis.computation import canonical_json
from app.services.benchmarks import find_benchmark
from app.services.execution_results.exhibits import benchmark_exhibits, find_table
from app.services.execution_results.pass_at_k import benchmark_results, compared_pair
from app.services.exports.chart_tables import table_csv, table_latex
from app.storage.models import Benchmark
from app.web.access import RESEARCHER
from app.web.database import ReadSession
from app.web.downloads import attachment
from app.web.figures import figure_script, file_stem
from app.web.templating import render
from app.words import ENGLISH, gettext, speaking

router = APIRouter(prefix="/benchmarks/{benchmark}")

Name = Annotated[str | None, Query(max_length=300)]
FILES = {"csv": (table_csv, "text/csv; charset=utf-8"), "tex": (table_latex, "application/x-tex")}


@router.get("/results", dependencies=[RESEARCHER])
def results_page(request: Request, session: ReadSession, benchmark: str, a: Name = None, b: Name = None) -> Response:
    """Which model solves more, and whether that is more than chance."""
    found = find_benchmark(session, benchmark)
    document = benchmark_results(session, found)
    pair = _pair(document, a, b)
    runs = [run for each in document["models"] for run in each["generations"]]
    return render(
        request,
        "benchmarks/results.html",
        benchmark=found,
        document=document,
        exhibits=benchmark_exhibits(document, _compared(session, found, pair)),
        pair=pair,
        names=[each["name"] for each in document["models"]],
        warnings=weak_walls([wall for run in runs for wall in run["walls"]]),
        incomplete=completeness(document) if any(run["incomplete"] for run in runs) else "",
        counts_in_words=counts_in_words,
        terms=terms_of("benchmark-results"),
        files=_files(found.slug, pair),
        figure_script=figure_script,
        file_stem=file_stem,
    )


@router.get("/results/tables/{file_name}", dependencies=[RESEARCHER])
def table_file(session: ReadSession, benchmark: str, file_name: str, a: Name = None, b: Name = None) -> Response:
    """A table as CSV or LaTeX."""
    name, _, ending = file_name.rpartition(".")
    if ending not in FILES:
        raise NotFound(gettext("Tables can be had as .csv and .tex."))
    found = find_benchmark(session, benchmark)
    document = benchmark_results(session, found)
    write, media_type = FILES[ending]
    with speaking(ENGLISH):  # a file is for papers and programs: the same whoever asks
        exhibits = benchmark_exhibits(document, _compared(session, found, _pair(document, a, b)))
        table = find_table((table for each in exhibits for table in each.tables), name)
        content = write(table)
    return attachment(content, f"{file_stem(found.slug, table.name)}.{ending}", media_type)


@router.get("/results.json", dependencies=[RESEARCHER])
def document_file(session: ReadSession, benchmark: str) -> Response:
    """All numbers of the page, with what made them."""
    found = find_benchmark(session, benchmark)
    text = canonical_json(benchmark_results(session, found))
    return attachment(text.encode(), f"{found.slug}-results.json", "application/json")


def _pair(document: dict[str, Any], a: str | None, b: str | None) -> tuple[str, str] | None:
    """The models asked for; by default the two that solve most."""
    if a and b:
        return a, b
    first = next(iter(document["compared"]), None)
    return (first["a"], first["b"]) if first else None


def _compared(session: Session, benchmark: Benchmark, pair: tuple[str, str] | None) -> dict[str, Any] | None:
    return compared_pair(session, benchmark, pair) if pair else None


def _files(slug: str, pair: tuple[str, str] | None) -> Any:
    """Addresses of the page's tables: of the same two models."""
    query = f"?{urlencode(dict(zip('ab', pair, strict=True)))}" if pair else ""
    return lambda name, ending: f"/benchmarks/{slug}/results/tables/{quote(name, safe='')}.{ending}{query}"
