"""Everything that is wrong with a file, gathered row by row, so that one reading tells all."""

from typing import NoReturn

from app.errors import AppError, InvalidInput, Problem
from app.services.imports.storable import legible
from app.words import N_, gettext, human_number, ngettext

# A file of the wrong kind has a problem in every row; more than this many help nobody and fill the database.
MAX_LISTED = 1000
STOPPED = N_("The file can't be used as it is. Nothing was stored.")


class BadFile(InvalidInput):
    """The file can't be used; its problems are those of a ProblemList, all that were found."""


class ProblemList:
    """What was found so far. The first thousand are kept in words, all are counted."""

    def __init__(self) -> None:
        self._found: list[Problem] = []
        self.count = 0
        self.hint = ""  # how the file was read, where that may be why it has problems

    @property
    def listed(self) -> list[Problem]:
        """Those kept in words, as a person goes through them: by file, as they were read, and row.

        A file is read after those that it speaks of, so that a cause comes before what follows from it.
        """
        order = {file: place for place, file in enumerate(dict.fromkeys(each.file for each in self._found))}
        return sorted(self._found, key=lambda each: (order[each.file], each.row or 0))

    def add(
        self,
        message: str,
        *,
        row: int | None = None,
        column: str | None = None,
        remedy: str | None = None,
        file: str | None = None,
    ) -> None:
        """Note one problem."""
        self.count += 1
        if self.count <= MAX_LISTED:
            column, file = (None if each is None else legible(each) for each in (column, file))
            self._found.append(Problem(legible(message), row=row, column=column, remedy=remedy, file=file))

    def stop(
        self,
        message: str,
        *,
        row: int | None = None,
        column: str | None = None,
        remedy: str | None = None,
        file: str | None = None,
    ) -> NoReturn:
        """Note a problem after which reading on makes no sense, and tell all that was found."""
        self.add(message, row=row, column=column, remedy=remedy, file=file)
        raise self.failure()

    def stop_because(self, error: AppError) -> NoReturn:
        """Tell of this failure, its problems among those found before."""
        for each in getattr(error, "problems", ()):
            self.add(each.message, row=each.row, column=each.column, remedy=each.remedy, file=each.file)
        message = f"{legible(error.message)} {self.hint}".strip()
        raise BadFile(message, self._told(), remedy=legible(error.remedy or "") or None) from error

    def failure(self) -> BadFile:
        """All problems as the error that a person sees."""
        found = ngettext("Found one error:", "Found %(count)s errors:", self.count, count=human_number(self.count))
        return BadFile(" ".join(filter(None, [gettext(STOPPED), self.hint, found])), self._told())

    def _told(self) -> list[Problem]:
        listed = self.listed
        if self.count > len(listed):
            listed.append(Problem(gettext("… and %(number)s more.", number=human_number(self.count - len(listed)))))
        return listed

    def raise_if_any(self) -> None:
        """Stop here unless all was good."""
        if self.count:
            raise self.failure()
