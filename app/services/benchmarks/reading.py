"""A file with a benchmark to its problems. All that is wrong with it is told at once, row by row."""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from app.errors import InvalidInput
from app.execution.languages import LANGUAGES, Unusable
from app.services.benchmarks import evalplus, humaneval, mbpp, own
from app.services.benchmarks.rows import BenchmarkFile, BenchmarkRow
from app.services.imports.cells import Cells
from app.services.imports.problems import ProblemList
from app.services.imports.reading import Row, read_rows
from app.services.imports.sources import Bounded, Bundle
from app.words import gettext, human_number

MOST_PROBLEMS = 20_000
RUNNABLE = ("python", *LANGUAGES)


@dataclass(frozen=True, slots=True)
class Layout:
    """How one kind of file is read."""

    columns: Mapping[str, list[str]]
    read: Callable[[Cells], BenchmarkRow]
    needed: Sequence[str]  # fields whose column must be there
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    rows: Callable[[Bounded, ProblemList], Iterator[Row]] = read_rows


LAYOUTS: dict[str, Layout] = {
    "humaneval": Layout(humaneval.COLUMNS, humaneval.read_humaneval, ("key", "prompt", "entry_point", "tests")),
    "mbpp": Layout(mbpp.COLUMNS, mbpp.read_mbpp, ("key", "description", "code", "tests"), mbpp.ALIASES),
    "evalplus": Layout(
        evalplus.COLUMNS, evalplus.read_evalplus, ("key", "prompt", "entry_point"), rows=evalplus.read_lines
    ),
    "own": Layout(own.COLUMNS, own.read_own, ("prompt", "tests"), own.ALIASES),
}


def read_benchmark(bundle: Bundle, layout: str, language: str = "python") -> BenchmarkFile:
    """All problems of the one file; BadFile lists everything that is wrong with it."""
    chosen = _layout(layout)
    check_language(layout, language)
    if len(bundle.names) != 1:
        raise InvalidInput(
            gettext("A benchmark is one file; this upload has %(number)s.", number=human_number(len(bundle.names))),
            remedy=gettext("Choose the file with the problems."),
        )
    problems, found = ProblemList(), BenchmarkFile(layout, language=language)
    with bundle.open(bundle.names[0]) as stream:
        for row in chosen.rows(stream, problems):
            _add(found, chosen, row, problems)
    if not found.rows and not problems.count:
        problems.add(gettext("The file holds no problems."))
    problems.raise_if_any()
    return found


def _layout(name: str) -> Layout:
    if name not in LAYOUTS:
        raise InvalidInput(
            gettext("There is no layout %(name)s.", name=repr(name)),
            remedy=gettext("Known layouts: %(known)s.", known=", ".join(LAYOUTS)),
        )
    return LAYOUTS[name]


def _add(found: BenchmarkFile, layout: Layout, row: Row, problems: ProblemList) -> None:
    columns = _columns(layout, row)
    missing = [layout.columns[name][0] for name in layout.needed if name not in columns]
    if missing:
        problems.stop(
            gettext("There is no column %(names)s.", names=", ".join(map(repr, missing))),
            row=row.number,
            remedy=gettext("Is it another layout? Known layouts: %(known)s.", known=", ".join(LAYOUTS)),
        )
    cells = Cells(row, columns, problems)
    read = layout.read(cells)
    if not cells.bad:
        check_tests(cells, read, found.language)
    if cells.bad:
        return
    if read.key in found.keys:
        cells.fail(
            gettext("There is a problem %(key)s already.", key=repr(read.key)),
            cells.column("key"),
            gettext("Give each problem a name of its own."),
        )
        return
    found.keys.add(read.key)
    found.rows.append(read)
    if len(found.rows) > MOST_PROBLEMS:
        problems.stop(gettext("A benchmark has at most %(most)s problems.", most=human_number(MOST_PROBLEMS)))


def check_language(layout: str, language: str) -> None:
    """InvalidInput where no program in the language can be run, or the layout is for Python alone."""
    if language not in RUNNABLE:
        raise InvalidInput(
            gettext("No program in %(language)s can be run here.", language=repr(language)),
            remedy=gettext("Known languages: %(known)s.", known=", ".join(RUNNABLE)),
        )
    if language != "python" and layout != "own":
        raise InvalidInput(
            gettext("The layout %(name)s is for Python alone.", name=repr(layout)),
            remedy=gettext("Use the layout 'own' for other languages."),
        )


def check_tests(cells: Cells, read: BenchmarkRow, language: str = "python") -> None:
    """Tests that can't be read, or have nothing to check, would fail every program."""
    column = cells.column("tests")
    if language != "python":
        _check_as(cells, read, language)
        return
    try:
        tree = ast.parse(read.tests)
    except (SyntaxError, ValueError, RecursionError) as error:
        cells.fail(gettext("The tests are no Python: %(error)s.", error=str(error)), column)
        return
    defined = {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}
    if "check" in defined and not read.entry_point:
        cells.fail(
            gettext("The tests define check(candidate), and nothing says which function that is."),
            column,
            gettext("Name it in entry_point."),
        )


def _check_as(cells: Cells, read: BenchmarkRow, language: str) -> None:
    whole = read.prompt + (read.canonical_solution or "") + "\n" + read.tests
    try:
        LANGUAGES[language].files(whole)
    except Unusable as reason:
        cells.fail(
            gettext("The tests can't be run: %(reason)s.", reason=str(reason)),
            cells.column("tests"),
            gettext("docs/sandbox.md tells what tests in this language look like."),
        )


def _columns(layout: Layout, row: Row) -> dict[str, list[str]]:
    """The columns of this row that hold the fields."""
    found: dict[str, list[str]] = {}
    for name, usual in layout.columns.items():
        names = layout.aliases.get(name, usual)
        present = [each for each in names if each in row.values]
        if present:
            found[name] = present[:1]
    return found
