"""Rows of a table seen through the mapping of its columns."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice

from app.errors import InvalidInput
from app.services.imports.cells import Cells
from app.services.imports.formats import Format, choose_format
from app.services.imports.problems import BadFile, ProblemList
from app.services.imports.reading import Row
from app.services.imports.request import ImportRequest
from app.words import gettext

SAMPLE = 50


class Table:
    """The rows, and the format that their columns suggest. JSON rows may bring new columns at any time."""

    def __init__(self, rows: Iterable[Row], request: ImportRequest, problems: ProblemList) -> None:
        rows = iter(rows)
        self._request = request
        self._problems = problems
        self.sample: list[Row] = []
        self._is_broken = False
        self._take_sample(rows)
        self._rows = chain(self.sample, rows)
        if not self.sample:
            if not problems.count:
                problems.add(gettext("The file has a head and no rows."))
            raise problems.failure()
        self.columns = list(dict.fromkeys(name for row in self.sample for name in row.values))
        self.format = self._choose_format()

    def _take_sample(self, rows: Iterator[Row]) -> None:
        """A file that breaks off within the sample tells of the rows before, too."""
        try:
            self.sample.extend(islice(rows, SAMPLE))
        except BadFile:
            if not self.sample:
                raise
            self._is_broken = True

    def __iter__(self) -> Iterator[Cells]:
        known = set(self.columns)
        for row in self._rows:
            if not row.values.keys() <= known:
                self.columns += [name for name in row.values if name not in known]
                known = set(self.columns)
                self.format = self._choose_format()
            yield Cells(row, self.format.columns, self._problems)
        if self._is_broken:
            raise self._problems.failure()

    def _choose_format(self) -> Format:
        try:
            return choose_format(self._request, self.columns)
        except InvalidInput as error:
            self._problems.stop_because(error)
