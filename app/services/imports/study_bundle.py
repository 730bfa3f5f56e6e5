"""A study that CodeJury exported, as one zip: everything that its numbers follow from, text byte for byte.

Only study.json and the .jsonl files are read; the .csv files are for spreadsheets, which bend some text.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from app.errors import InvalidInput, Problem
from app.services.imports.cells import name_of, text_of
from app.services.imports.material import Batch, GradeRow, OutputRow, ProblemRow, ScoreRow
from app.services.imports.problems import ProblemList
from app.services.imports.reading import read_rows
from app.services.imports.sources import Bundle
from app.storage.files import chunks_of

ABOUT, SUMS = "study.json", "SHA256SUMS"
PROBLEMS, OUTPUTS, GRADES, SCORES = "problems.jsonl", "outputs.jsonl", "grades.jsonl", "imported-scores.jsonl"
NEEDED = (ABOUT, PROBLEMS, OUTPUTS, GRADES, SCORES)
SUM_LINE = re.compile(r"([0-9a-f]{64})  (.+)")

Text = Annotated[str, AfterValidator(text_of)]
Name = Annotated[str, AfterValidator(name_of)]
Number = Annotated[int | float, Field(allow_inf_nan=False)]
MetricName = Annotated[Name, Field(max_length=80)]
Tick = Callable[[int], None]


class _Row(BaseModel):
    """One object of a bundle. What a later version adds is passed over."""

    model_config = ConfigDict(strict=True)


class Choice(_Row):
    """One answer on a scale."""

    value: Number
    key: Text
    label: Text
    description: Text = ""


class Scale(_Row):
    """The answers of a question, in rising order."""

    choices: Annotated[list[Choice], Field(min_length=2)]


class QuestionRow(_Row):
    """What is asked of an item."""

    name: Annotated[Name, Field(max_length=80)]
    text: Text
    scale: Scale


class AnnotatorRow(_Row):
    """Who graded, by pseudonym."""

    pseudonym: Name
    kind: Literal["person", "simulated", "imported"]


class MetricRow(_Row):
    """A metric whose scores were computed elsewhere, with the signature that analyses print."""

    name: MetricName
    label: MetricName
    signature: Annotated[Text, Field(min_length=1, max_length=500)]


class StudyAbout(_Row):
    """study.json: the settings, and what stands in no other file."""

    slug: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,80}$")]
    title: Annotated[Text, Field(min_length=1, max_length=200)]
    description: Text = ""
    instructions: Text = ""
    notice: Text = ""
    language: Annotated[Text, Field(max_length=40)] = "python"
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    grades_per_item: Annotated[int, Field(ge=1, le=100)]
    claim_minutes: Annotated[int, Field(ge=1, le=10_080)] = 60
    merge_identical: bool
    include_references: bool
    codebleu_variant: Literal["corrected", "published"]
    questions: Annotated[list[QuestionRow], Field(min_length=1)]
    systems: list[Name]
    annotators: list[AnnotatorRow]
    imported_metrics: list[MetricRow]

    def settings(self) -> dict[str, Any]:
        """The columns of a study that the import sets; it begins as a draft, under a title of its own."""
        own = {"slug", "title", "questions", "systems", "annotators", "imported_metrics", "seed"}
        return self.model_dump(exclude=own)


class _Problem(_Row):
    problem: Name
    intent: Text | None
    context: Text | None
    tests: Text | None
    references: list[Text]
    image: str | None


class _Output(_Row):
    problem: Name
    system: Name
    output: Text


class _Grade(_Row):
    problem: Name
    system: Name
    worker: Name
    label: Number
    question: Name
    surplus: bool
    created_at: Annotated[datetime, Field(strict=False)]
    updated_at: Annotated[datetime, Field(strict=False)]


class _Score(_Row):
    problem: Name
    system: Name
    metric: MetricName
    score: Annotated[float, Field(ge=0, le=1, strict=False)]


def is_study_bundle(bundle: Bundle) -> bool:
    """Whether the upload is what an export wrote."""
    return {ABOUT, SUMS, OUTPUTS} <= set(bundle.names)


def read_about(bundle: Bundle) -> StudyAbout:
    """The settings; InvalidInput names what can't be used."""
    try:
        return StudyAbout.model_validate_json(bundle.read(ABOUT))
    except ValidationError as error:
        problems = [Problem(_words(each), file=ABOUT) for each in error.errors()[:50]]
        raise InvalidInput("The bundle's settings can't be used. Nothing was stored.", problems) from error


def read_study_bundle(bundle: Bundle, problems: ProblemList, batch: Batch, tick: Tick) -> None:
    """Add all that the bundle holds to the batch, after its checksums were found right."""
    if not is_study_bundle(bundle):
        raise InvalidInput("This is no bundle that CodeJury exported.", remedy=f"It would hold {ABOUT} and {SUMS}.")
    check_sums(bundle)
    about = read_about(bundle)
    batch.about = about
    batch.systems = dict.fromkeys(about.systems)
    batch.kinds = {each.pseudonym: each.kind for each in about.annotators}
    batch.labels = {each.name: each.label for each in about.imported_metrics}
    batch.signatures = {each.name: each.signature for each in about.imported_metrics}
    _Reader(bundle, problems, batch, tick).read()


def check_sums(bundle: Bundle) -> None:
    """Refuse a bundle of which a file was changed, or is missing, since it was written."""
    sums = {}
    for line in bundle.read(SUMS).decode("utf-8", "replace").splitlines():
        if match := SUM_LINE.fullmatch(line):
            sums[match[2]] = match[1]
    missing = [name for name in (*NEEDED, *sums) if name not in sums or name not in bundle.names]
    wrong = [Problem("It is missing, or has no checksum.", file=name) for name in dict.fromkeys(missing)]
    wrong += [
        Problem(f"Its SHA-256 is not the one in {SUMS}: it was changed after the export.", file=name)
        for name, expected in sums.items()
        if name in bundle.names and _sha256(bundle, name) != expected
    ]
    if wrong:
        remedy = "Export the study again, and import that file unchanged."
        raise InvalidInput("The bundle is not as it was exported. Nothing was stored.", wrong, remedy=remedy)


def _sha256(bundle: Bundle, name: str) -> str:
    digest = hashlib.sha256()
    with bundle.open(name) as stream:
        for chunk in chunks_of(stream):  # type: ignore[arg-type]
            digest.update(chunk)
    return digest.hexdigest()


AnyRow = TypeVar("AnyRow", bound=_Row)


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
                        self.problems.add(_words(each), row=row.number, file=file)

    def _add_problem(self, number: int, row: _Problem) -> None:
        if row.problem in self.batch.problems:
            self._fail("This problem stands in the file already.", number, PROBLEMS)
            return
        self.batch.problems[row.problem] = ProblemRow(
            row.problem, number, row.intent, row.context, row.tests, tuple(row.references), row.image
        )

    def _add_output(self, number: int, row: _Output) -> None:
        if row.problem not in self.batch.problems:
            self._fail(f"{PROBLEMS} has no problem {row.problem!r}.", number, OUTPUTS)
        elif row.system not in self.batch.systems:
            self._fail(f"{ABOUT} names no system {row.system!r}.", number, OUTPUTS)
        elif (row.problem, row.system) in self.batch.outputs:
            self._fail("This output stands in the file already.", number, OUTPUTS)
        else:
            self.batch.outputs[row.problem, row.system] = OutputRow(row.output, number)

    def _add_score(self, number: int, row: _Score) -> None:
        if row.metric not in self.batch.signatures:
            self._fail(f"{ABOUT} names no imported metric {row.metric!r}.", number, SCORES)
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


def _words(error: Any) -> str:
    """A finding of pydantic with the place where it is."""
    place = ".".join(str(part) for part in error["loc"])
    message = str(error["msg"]).removeprefix("Value error, ").rstrip(".")
    return f"{place}: {message}." if place else f"{message}."
