"""The published study folder: NAME.json with the outputs, graderK.NAME.json with one person's grades each.

Rows with the same intent become one problem with a reference for each row; the first row's outputs stand, as in the
published analysis; an annotator's grades of the merged rows become one: their mean, halves rounded by a seeded coin.
A problem's key is the number of its first row, from 0, as the images of the HearthStone study are named; or what
CodeJury's own export says: then rows with the same intent stay apart.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from app.once import computed_once
from app.services.imports.cells import Cells, name_of, number_of
from app.services.imports.material import REFERENCE, Batch, GradeRow, OutputRow, ProblemRow
from app.services.imports.problems import ProblemList
from app.services.imports.reading import Row, read_rows
from app.services.imports.sources import Bundle
from app.services.imports.storable import BadValue
from app.services.imports.study_folder import StudyFolder
from app.statistics.merging import merge_grades
from app.words import gettext

INTENT, SNIPPET, GRADE, KEY = "intent", "snippet", "grade-", "problem_key"
OTHER_REFERENCE = re.compile(rf"{SNIPPET} ([2-9]|[1-9]\d{{1,3}})")
NOT_GRADED = (None, -1)
SCALE = (0, 1, 2, 3, 4)
# Of the coin that rounds merged grades: fixed, so that the same folder gives the same grades in any study.
MERGE_SEED = 0
COLUMNS = {INTENT: [INTENT], "reference": [SNIPPET], "problem": [KEY]}


@dataclass(slots=True)
class Places:
    """Where each row of the file went."""

    keys: list[str] = field(default_factory=list)  # the problem of each row
    references: list[list[str]] = field(default_factory=list)  # the names of the references of each row
    rows: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class Answer:
    """What one person's file says of one output."""

    value: Any
    row: int
    file: str
    column: str
    number: float = 0.0


class StudyReader:
    """Reads one study folder into a batch."""

    def __init__(
        self, bundle: Bundle, folder: StudyFolder, batch: Batch, problems: ProblemList, tick: Callable[[int], None]
    ) -> None:
        self.bundle = bundle
        self.folder = folder
        self.batch = batch
        self.problems = problems
        self.tick = tick
        self.places = Places()
        self.by_intent: dict[str, str] = {}
        self.given: dict[tuple[str, str, str], list[Answer]] = {}  # by annotator, problem, system
        batch.graded_separately = True
        batch.columns, batch.file = COLUMNS, folder.main

    @computed_once
    def systems_by_length(self) -> list[str]:
        """The longest name first: "best-tranx-rerank" also ends like a system "rerank" would."""
        return sorted(self.batch.systems, key=len, reverse=True)

    def read_material(self) -> None:
        """Problems, references and outputs."""
        for number, row in enumerate(self._rows(self.folder.main)):
            cells = Cells(row, COLUMNS, self.problems, self.folder.main)
            known = len(self.batch.problems)
            key = self._problem(cells, number)
            if len(self.batch.problems) > known:
                self._outputs(cells, key)
            else:
                self._compare(row, key)
        if not self.batch.systems and not self.problems.count:
            self.problems.add(
                gettext("No row holds a system's output beside intent and snippet."), file=self.folder.main
            )
        merged = len(self.places.keys) - len(self.batch.problems)
        if merged:
            self.batch.notes.append(
                gettext("%(merged)s rows repeat an earlier intent and were merged into its problem.", merged=merged)
            )

    def read_grades(self) -> None:
        """What each person answered, merged where rows were merged."""
        for annotator, file in self.folder.graders.items():
            for number, row in enumerate(self._grader_rows(file)):
                for system, value in _answers(row.values):
                    self._give(annotator, number, system, Answer(value, row.number, file, GRADE + system))
        for number, values in enumerate(self.places.rows):
            for system, grades in _merged_answers(values):
                for annotator, value in grades.items():
                    self._give(annotator, number, system, Answer(value, number + 1, self.folder.main, GRADE + system))
        self._merge()

    def _merge(self) -> None:
        conflicts = 0
        for (annotator, key, system), answers in self.given.items():
            grades = [answer.number for answer in answers]
            conflicts += len(set(grades)) > 1
            grade = merge_grades(grades, key=(annotator, key, system), seed=MERGE_SEED)
            merged_from = tuple(int(each) for each in grades) if len(grades) > 1 else ()
            row = GradeRow(
                annotator, grade, answers[0].row, key, system, file=answers[0].file, column=answers[0].column
            )
            row.merged_from = merged_from
            self.batch.grades.append(row)
        if conflicts:
            self.batch.notes.append(
                gettext(
                    "%(number)s times one person had graded merged rows differently: the mean stands, halves are "
                    "rounded by a coin that follows from the annotator, the problem and the system alone.",
                    number=conflicts,
                )
            )

    def _rows(self, file: str) -> Iterator[Row]:
        with self.bundle.open(file) as stream:
            for row in read_rows(stream, self.problems, file=file):
                self.batch.rows += 1
                self.tick(self.batch.rows)
                yield row

    def _problem(self, cells: Cells, number: int) -> str:
        intent, references = cells.optional_text(INTENT), cells.texts("reference")
        key = cells.optional_name("problem") if KEY in cells.row.values else None
        if key is None:
            key = self.by_intent.setdefault(intent, str(number)) if intent else str(number)
        problem = self.batch.problems.setdefault(key, ProblemRow(key, cells.row.number, intent))
        first = len(problem.references)
        problem.references += references
        problem.image = problem.image or self.folder.images.get(number)
        self.places.keys.append(key)
        self.places.references.append([_reference_name(first + each) for each in range(len(references))])
        self.places.rows.append(cells.row.values)
        return key

    def _outputs(self, cells: Cells, key: str) -> None:
        for name in cells.row.values:
            if name in (INTENT, SNIPPET, KEY) or name.startswith(GRADE) or _is_score(name, cells.row.values):
                continue
            if cells.row.values[name] is not None:
                text = cells.text(name)
                try:
                    name_of(name)
                except BadValue as error:
                    cells.fail(gettext("A system's name: %(reason)s", reason=error.message), name, error.remedy)
                    continue
                self.batch.systems[name] = None
                self.batch.outputs[key, name] = OutputRow(text, cells.row.number)

    def _compare(self, row: Row, key: str) -> None:
        for system in self.batch.systems:
            first = self.batch.outputs.get((key, system))
            if first is not None and row.values.get(system, first.text) != first.text:
                self.batch.notes.append(
                    gettext(
                        "Row %(number)s repeats the intent of row %(row)s with another output of %(system)s; the "
                        "first one stands.",
                        number=row.number,
                        row=first.row,
                        system=system,
                    )
                )

    def _grader_rows(self, file: str) -> Iterator[Row]:
        if file == self.folder.main:
            yield from (Row(number + 1, values) for number, values in enumerate(self.places.rows))
            return
        count = 0
        for count, row in enumerate(self._rows(file), start=1):
            if count > len(self.places.rows):
                continue
            for name in (INTENT, SNIPPET):
                if row.values.get(name) != self.places.rows[count - 1].get(name):
                    self.problems.add(
                        gettext("It differs from row %(row)s of %(main)s.", row=count, main=self.folder.main),
                        row=row.number,
                        column=name,
                        file=file,
                    )
            yield row
        if count != len(self.places.rows):
            self.problems.add(
                gettext(
                    "It has %(count)s rows, %(main)s has %(rows)s.",
                    count=count,
                    main=self.folder.main,
                    rows=len(self.places.rows),
                ),
                file=file,
            )

    def _reference(self, number: int, name: str) -> str | None:
        """Which of its problem's references a row calls snippet, snippet 2 and so on."""
        match = OTHER_REFERENCE.fullmatch(name)
        place = int(match[1]) - 1 if match else 0
        names = self.places.references[number]
        return names[place] if place < len(names) else None

    def _give(self, annotator: str, number: int, system: str, answer: Answer) -> None:
        name = self._reference(number, system) if _is_reference(system) else system
        try:
            answer.number = number_of(answer.value)
            if answer.number not in SCALE:
                raise BadValue(
                    gettext("%(number)s is not a whole number from 0 to 4.", number=format(answer.number, "g"))
                )
            name_of(annotator)
            if not name or not (_is_reference(system) or system in self.batch.systems):
                raise BadValue(gettext("It grades a system without outputs."))
        except BadValue as error:
            self.problems.add(error.message, row=answer.row, column=answer.column, file=answer.file)
            return
        self.given.setdefault((annotator, self.places.keys[number], name), []).append(answer)


def _is_reference(system: str) -> bool:
    return system == SNIPPET or OTHER_REFERENCE.fullmatch(system) is not None


def _answers(values: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The grades of one person's row: ``grade-<system>``; -1, null and absence mean not graded."""
    for name, value in values.items():
        if name.startswith(GRADE) and value not in NOT_GRADED and not isinstance(value, dict):
            yield name.removeprefix(GRADE), value


def _merged_answers(values: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The grades of a merged file's row: ``grade-<system>``: {annotator: grade}."""
    for name, value in values.items():
        if name.startswith(GRADE) and isinstance(value, dict):
            yield name.removeprefix(GRADE), value


def _reference_name(position: int) -> str:
    return REFERENCE if position == 0 else f"{REFERENCE} {position + 1}"


def _is_score(name: str, values: dict[str, Any]) -> bool:
    """Whether a key is ``metric-system``: a number beside a key that is the system's own."""
    return isinstance(values[name], int | float) and any(
        name.endswith(f"-{other}") for other in values if other not in (INTENT, SNIPPET)
    )
