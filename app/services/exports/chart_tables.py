"""A page's table as a file: CSV with all digits, LaTeX as printed; and which tables a bundle holds."""

from collections.abc import Callable, Iterable, Iterator

from sqlalchemy.orm import Session

from app.charts.latex import render_latex
from app.charts.tables import Table
from app.services.analysis import latest_analysis
from app.services.dashboards.exhibits import PAGES, page_exhibits, progress_exhibits, results_of
from app.services.dashboards.progress import grading_progress
from app.services.dashboards.reliability import measured_tables
from app.services.desk.quality import QUALITY_COLUMNS, measure_annotators, quality_row
from app.services.desk.runs import measured_questions
from app.services.execution_results.tables import executed_tables
from app.services.exports.formats import csv_lines
from app.storage.models import Study

Source = Callable[[Session, Study], Iterable[Table]]


def table_csv(table: Table) -> bytes:
    """UTF-8 CSV; cells that a spreadsheet would take for a formula are made text."""
    return b"".join(csv_lines(table.flat_columns(), table.flat_rows()))


def table_latex(table: Table) -> bytes:
    """A LaTeX table with booktabs."""
    return render_latex(table).encode()


def tables_latex(tables: Iterable[Table]) -> bytes:
    """All of them in one file."""
    return b"\n".join(map(table_latex, tables))


def table_members(session: Session, study: Study) -> Iterator[tuple[str, Iterable[bytes]]]:
    """Every table as a file of an archive: those of the pages, and the annotators' quality by each question."""
    for table in study_tables(session, study):
        yield f"tables/{table.name}.csv", [table_csv(table)]
    for question in measured_questions(session, study):
        if people := measure_annotators(session, study, question):
            rows = (quality_row(each.to_json()) for each in people)
            yield f"tables/quality-{question.name}.csv", csv_lines(QUALITY_COLUMNS, rows)


def study_tables(session: Session, study: Study) -> Iterator[Table]:
    """Every table that a bundle holds, each name once."""
    given: set[str] = set()
    for source in SOURCES:
        for table in source(session, study):
            if table.name not in given:
                given.add(table.name)
                yield table


def _progress_tables(session: Session, study: Study) -> Iterable[Table]:
    return [table for each in progress_exhibits(grading_progress(session, study)) for table in each.tables]


def _analysis_tables(session: Session, study: Study) -> Iterable[Table]:
    """What the pages show of the newest analysis."""
    analysis = latest_analysis(session, study)
    results = results_of(analysis) if analysis else None
    if results is None or len(results.originals) < 2:
        return []
    return [table for page in PAGES for each in page_exhibits(page, results) for table in each.tables]


# A page of results adds its own here: all that it shows as tables is then in the bundle.
SOURCES: tuple[Source, ...] = (_progress_tables, _analysis_tables, measured_tables, executed_tables)
