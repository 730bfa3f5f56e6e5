"""The first format of an exported study: one instrument of choices, current grades without their history."""

from collections.abc import Callable, Iterator
from typing import Annotated, TypeVar

from pydantic import Field, ValidationError

from app.services.imports.material import Batch, GradeRow, OutputRow, ProblemRow, ScoreRow
from app.services.imports.problems import ProblemList
from app.services.imports.reading import read_rows
from app.services.imports.sources import Bundle
from app.services.imports.study_bundle_about import ABOUT, At, Name, Part, ShortName, Text, in_words
from app.words import gettext

PROBLEMS, OUTPUTS, GRADES, SCORES = "problems.jsonl", "outputs.jsonl", "grades.jsonl", "imported-scores.jsonl"
NEEDED = (ABOUT, PROBLEMS, OUTPUTS, GRADES, SCORES)
Number = Annotated[int | float, Field(allow_inf_nan=False)]
Tick = Callable[[int], None]


class _Problem(Part):
    problem: Name
    intent: Text | None
    context: Text | None
    tests: Text | None
    references: list[Text]
    image: str | None


class _Output(Part):
    problem: Name
    system: Name
    output: Text


class _Grade(Part):
    problem: Name
    system: Name
    worker: Name
    label: Number
    question: Name
    surplus: bool
    created_at: At
    updated_at: At


class _Score(Part):
    problem: Name
    system: Name
    metric: ShortName
    score: Annotated[float, Field(ge=0, le=1)]


AnyRow = TypeVar("AnyRow", bound=Part)


def read_first_format(bundle: Bundle, problems: ProblemList, batch: Batch, tick: Tick) -> None:
    """Add the rows of all files to the batch."""
    _Reader(bundle, problems, batch, tick).read()


class _Reader:
    """Reads the files of a bundle into a batch; what is wrong goes to the list."""

    def __init__(self, bundle: Bundle, problems: ProblemList, batch: Batch, tick: Tick) -> None:
        self.bundle = bundle
        self.problems = problems
        self.batch = batch
        self.tick = tick

    def read(self) -> None:
        for number, row in self._rows(PROBLEMS, _Problem):
            self._add_problem(number, row)
        for number, output in self._rows(OUTPUTS, _Output):
            self._add_output(number, output)
        for number, grade in self._rows(GRADES, _Grade):
            self.batch.grades.append(_grade_row(number, grade))
        for number, score in self._rows(SCORES, _Score):
            self._add_score(number, score)

    def _rows(self, file: str, model: type[AnyRow]) -> Iterator[tuple[int, AnyRow]]:
        if not self.bundle.size(file):
            return
        with self.bundle.open(file) as stream:
            for row in read_rows(stream, self.problems, file=file):
                self.batch.rows += 1
                self.tick(self.batch.rows)
                try:
                    yield row.number, model.model_validate(row.values)
                except ValidationError as error:
                    for each in error.errors():
                        self.problems.add(in_words(each), row=row.number, file=file)

    def _add_problem(self, number: int, row: _Problem) -> None:
        if row.problem in self.batch.problems:
            self._fail(gettext("This problem stands in the file already."), number, PROBLEMS)
            return
        self.batch.problems[row.problem] = ProblemRow(
            row.problem, number, row.intent, row.context, row.tests, tuple(row.references), row.image
        )

    def _add_output(self, number: int, row: _Output) -> None:
        if row.problem not in self.batch.problems:
            self._fail(
                gettext("%(problems)s has no problem %(problem)s.", problems=PROBLEMS, problem=repr(row.problem)),
                number,
                OUTPUTS,
            )
        elif row.system not in self.batch.systems:
            self._fail(
                gettext("%(about)s names no system %(system)s.", about=ABOUT, system=repr(row.system)),
                number,
                OUTPUTS,
            )
        elif (row.problem, row.system) in self.batch.outputs:
            self._fail(gettext("This output stands in the file already."), number, OUTPUTS)
        else:
            self.batch.outputs[row.problem, row.system] = OutputRow(row.output, number)

    def _add_score(self, number: int, row: _Score) -> None:
        if row.metric not in self.batch.signatures:
            self._fail(
                gettext("%(about)s names no imported metric %(metric)s.", about=ABOUT, metric=repr(row.metric)),
                number,
                SCORES,
            )
            return
        self.batch.scores.append(ScoreRow(row.problem, row.system, row.metric, row.score, number))

    def _fail(self, message: str, number: int, file: str) -> None:
        self.problems.add(message, row=number, file=file)


def _grade_row(number: int, grade: _Grade) -> GradeRow:
    return GradeRow(
        annotator=grade.worker,
        label=grade.label,
        row=number,
        problem=grade.problem,
        system=grade.system,
        question=grade.question,
        at=grade.created_at,
        updated_at=grade.updated_at,
        surplus=grade.surplus,
        file=GRADES,
    )
