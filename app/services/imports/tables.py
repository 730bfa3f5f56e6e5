"""Rows of a table seen through the mapping of its columns."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice

from app.services.imports.cells import Cells
from app.services.imports.formats import Format, choose_format
from app.services.imports.problems import ProblemList
from app.services.imports.reading import Row
from app.services.imports.request import ImportRequest

SAMPLE = 50


class Table:
    """The rows, and the format that their columns suggest. JSON rows may bring new columns at any time."""

    def __init__(self, rows: Iterable[Row], request: ImportRequest, problems: ProblemList) -> None:
        rows = iter(rows)
        self.sample = list(islice(rows, SAMPLE))
        self._rows = chain(self.sample, rows)
        self._request = request
        self._problems = problems
        if not self.sample:
            if not problems.count:
                problems.add("The file has a head and no rows.")
            raise problems.failure()
        self.columns = list(dict.fromkeys(name for row in self.sample for name in row.values))
        self.format: Format = choose_format(request, self.columns)

    def __iter__(self) -> Iterator[Cells]:
        known = set(self.columns)
        for row in self._rows:
            if not row.values.keys() <= known:
                self.columns += [name for name in row.values if name not in known]
                known = set(self.columns)
                self.format = choose_format(self._request, self.columns)
            yield Cells(row, self.format.columns, self._problems)
