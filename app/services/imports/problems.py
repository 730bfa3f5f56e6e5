"""Everything that is wrong with a file, gathered row by row, so that one reading tells all."""

from typing import NoReturn

from app.errors import InvalidInput, Problem

# A file of the wrong kind has a problem in every row; more than this many help nobody and fill the database.
MAX_LISTED = 1000
STOPPED = "The file can't be used as it is. Nothing was stored."


class ProblemList:
    """What was found so far. The first thousand are kept in words, all are counted."""

    def __init__(self) -> None:
        self.listed: list[Problem] = []
        self.count = 0

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
            self.listed.append(Problem(message, row=row, column=column, remedy=remedy, file=file))

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

    def failure(self) -> InvalidInput:
        """All problems as the error that a person sees."""
        found = "one problem" if self.count == 1 else f"{self.count:,} problems"
        listed = self.listed
        if self.count > len(listed):
            listed = [*listed, Problem(f"… and {self.count - len(listed):,} more.")]
        return InvalidInput(f"{STOPPED} Found {found}:", listed)

    def raise_if_any(self) -> None:
        """Stop here unless all was good."""
        if self.count:
            raise self.failure()
