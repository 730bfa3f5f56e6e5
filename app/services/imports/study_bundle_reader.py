"""An exported study read twice: once to check every line before anything is stored, once to store line by line.

However long it is, little of it is in memory: the names that lines speak of, and the scores of other metrics.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

from pydantic import ValidationError

from app.errors import InvalidInput, Problem
from app.services.imports.material import Batch, ScoreRow
from app.services.imports.problems import ProblemList
from app.services.imports.reading import read_rows
from app.services.imports.sources import Bundle
from app.services.imports.storable import BadValue
from app.services.imports.study_bundle_about import StudyAbout, in_words
from app.services.imports.study_bundle_answers import Asked
from app.services.imports.study_bundle_files import (
    EVENTS,
    FILES,
    GRADES,
    ITEMS,
    OUTPUTS,
    PROBLEMS,
    SCORES,
    VARIANTS,
    File,
)
from app.services.imports.study_bundle_places import Places
from app.services.imports.study_bundle_rows import EventLine, ProblemLine, ScoreLine
from app.services.imports.study_bundle_values import Rows, Values
from app.storage.files import chunks_of
from app.words import gettext

KNOWN = tuple(dict.fromkeys([*(file.name for file in FILES), SCORES]))
NEEDED = tuple(name for name in KNOWN if name not in {file.name for file in FILES if file.optional})
NEEDED_OF_MATERIAL = (PROBLEMS, ITEMS, OUTPUTS)
MOST_TOLD = 50
Tick = Callable[[int], None]


class ExportedStudy:
    """The upload, and how it is read."""

    def __init__(self, bundle: Bundle, about: StudyAbout) -> None:
        self.bundle = bundle
        self.about = about
        self.images: set[str] = set()
        self.asked = Asked(about.instruments)
        self.is_small = False  # so that it can be kept in mind which rows there were
        self.totals = {name: self._count(name) for name in KNOWN}

    @property
    def counts(self) -> dict[str, int]:
        """What would be added, as imports tell of it."""
        of = self.totals
        return {
            "problems": of[PROBLEMS],
            "systems": len(self.about.systems),
            "outputs": of[OUTPUTS],
            "grades": of[GRADES],
            "scores": of[SCORES],
            "variants": of[VARIANTS],
        }

    def read_into(self, batch: Batch, problems: ProblemList, tick: Tick, max_rows: int | None) -> None:
        """Check every line; scores go to the batch. More than ``max_rows`` are counted only."""
        batch.exported = self
        if max_rows is not None and sum(self.totals.values()) > max_rows:
            batch.rows, batch.is_sample = max_rows, True
            return
        self.is_small = max_rows is not None
        batch.systems = dict.fromkeys(self.about.systems)
        checked = Rows(self._places(), asked=self.asked)
        for file in FILES:
            for _ in self._checked(file, checked, batch, problems, tick):
                pass
        for _, original in checked.repeats:
            self._check(lambda: checked.places.item(*original), problems, ITEMS)  # noqa: B023 - called at once
        for number, score in self._lines(SCORES, ScoreLine, problems):
            batch.rows += 1
            batch.scores.append(ScoreRow(score.problem, score.system, score.metric, score.score, number, SCORES))
        self._check_names(batch, problems)

    def rows(self, file: File, rows: Rows) -> Iterator[Values]:
        """The rows of a file, for storing. It was checked, so whatever is wrong now stops everything."""
        problems = ProblemList()
        with self.bundle.again() as bundle:
            for _, line in _lines(bundle, file.name, file.line, problems):
                yield from file.rows(rows, line)
        problems.raise_if_any()

    def first_submission(self) -> str | None:
        """The id of the first submission in the history."""
        with self.bundle.again() as bundle:
            events = _lines(bundle, EVENTS, EventLine, ProblemList())
            return next((line.submission for _, line in events if line.submission), None)

    def twice(self, file: File) -> InvalidInput:
        """The rows of a file that contradict each other in a way that only the database saw."""
        found = []
        once = Once(file)
        with self.bundle.again() as bundle:
            for number, line in _lines(bundle, file.name, file.line, ProblemList()):
                try:
                    once.check(line, number)
                except BadValue as error:
                    found.append(Problem(error.message, row=number, file=file.name))
        return InvalidInput(
            gettext("%(name)s holds something twice. Nothing was stored.", name=file.name),
            found[:MOST_TOLD],
            remedy=gettext("Export the study again."),
        )

    def _places(self) -> Places:
        places = Places()
        places.systems = {name: number for number, name in enumerate(self.about.systems)}
        places.instruments = {each.name: number for number, each in enumerate(self.about.instruments)}
        asked = [question.name for each in self.about.instruments for question in each.questions]
        places.questions = {name: number for number, name in enumerate(asked)}
        places.first_instrument = self.first_instrument
        return places

    @property
    def first_instrument(self) -> str:
        """Of those that ask about outputs."""
        return next((each.name for each in self.about.instruments if each.kind == "output"), "")

    def _checked(
        self, file: File, rows: Rows, batch: Batch, problems: ProblemList, tick: Tick
    ) -> Iterator[list[Values]]:
        def spoiled(values: Values) -> None:
            _note_name(file, SimpleNamespace(**values), rows.places)

        is_first = file is next(each for each in FILES if each.name == file.name)
        faults = problems if is_first else ProblemList()  # of lines that were told of already
        once = Once(file)
        for number, line in _lines(self.bundle, file.name, file.line, faults, spoiled):
            batch.rows += 1
            tick(batch.rows)
            try:
                self._note(file, line, rows.places)
                if self.is_small:  # of many rows, the database finds what stands there twice
                    once.check(line, number)
                yield list(file.rows(rows, line))
            except BadValue as error:
                problems.add(error.message, row=number, remedy=error.remedy, file=file.name)

    def _note(self, file: File, line: Any, places: Places) -> None:
        if isinstance(line, ProblemLine) and line.image:
            self.images.add(line.image)
            if line.image not in self.bundle.names:
                raise BadValue(gettext("The bundle has no image %(image)s.", image=repr(line.image)))
        if not _note_name(file, line, places):
            raise BadValue(gettext("This stands in the file already."))

    def _check_names(self, batch: Batch, problems: ProblemList) -> None:
        for score in batch.scores:
            if score.metric not in batch.signatures:
                problems.add(
                    gettext("No imported metric is called %(metric)s.", metric=repr(score.metric)),
                    row=score.row,
                    file=SCORES,
                )

    def _check(self, look: Callable[[], object], problems: ProblemList, file: str) -> None:
        try:
            look()
        except BadValue as error:
            problems.add(error.message, file=file)

    def _lines(self, name: str, model: Any, problems: ProblemList) -> Iterator[tuple[int, Any]]:
        return _lines(self.bundle, name, model, problems)

    def _count(self, name: str) -> int:
        if name not in self.bundle.names:
            return 0
        with self.bundle.open(name) as stream:
            counts = (chunk.count(b"\n") for chunk in chunks_of(stream))  # type: ignore[arg-type]
            return sum(counts)


class Once:
    """Finds rows of a file that say what an earlier one said, or take its place."""

    def __init__(self, file: File) -> None:
        self._seen: list[tuple[Callable[[Any], Any], dict[Any, int]]] = [(key, {}) for key in file.once]

    def check(self, line: Any, number: int) -> None:
        """BadValue names the earlier row. Without a key there is nothing to be twice."""
        earlier = [_earlier(known, key(line), number) for key, known in self._seen]
        if rows := [row for row in earlier if row is not None]:
            raise BadValue(gettext("Row %(row)s says the same, or takes its place.", row=rows[0]))


def _earlier(known: dict[Any, int], key: Any, number: int) -> int | None:
    """The row that had the key before; this one's is noted. Without a key there is nothing to be twice."""
    first = known.setdefault(key, number) if key is not None else number
    return None if first == number else first


def _note_name(file: File, line: Any, places: Places) -> bool:
    """Remember what other lines call this one, even one that can't be used; False where another has that name."""
    if not file.part:
        return True
    known = getattr(places, file.part)
    with suppress(AttributeError, TypeError):  # a line that can't be used may lack its name
        key = file.key(line)
        if key in known:
            return False
        known[key] = len(known)
    return True


def _lines(
    bundle: Bundle,
    name: str,
    model: Any,
    problems: ProblemList,
    spoiled: Callable[[Values], None] = lambda _: None,
) -> Iterator[tuple[int, Any]]:
    """The lines of a file with their numbers; none where there is no such file, or nothing in it.

    ``spoiled`` hears of those that can't be used.
    """
    if name not in bundle.names or not bundle.size(name):
        return
    with bundle.open(name) as stream:
        for row in read_rows(stream, problems, file=name):
            try:
                line = model.model_validate(row.values)
            except ValidationError as error:
                for each in error.errors():
                    problems.add(in_words(each), row=row.number, file=name)
                spoiled(row.values)
                continue
            yield row.number, line
