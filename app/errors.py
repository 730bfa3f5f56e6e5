"""Failures that a person can understand and act on. One handler turns them into a page, a fragment or JSON."""

from dataclasses import dataclass
from math import ceil

from app.words import N_, gettext


class AppError(Exception):
    """A failure with an HTTP status, what happened, and (when there is something to do) the remedy.

    Who raises it puts ``message`` and ``remedy`` into the reader's language; ``title`` is translated when shown.
    """

    status = 500
    title = N_("Something went wrong")

    def __init__(self, message: str, *, remedy: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def in_words(self) -> str:
        """All of it as plain text: what happened, each problem on a line, the remedy."""
        problems = [str(problem) for problem in getattr(self, "problems", [])]
        return "\n".join(part for part in (self.message, *problems, self.remedy) if part)


class NotFound(AppError):
    """There is no such thing, or it is not this person's to see: the same answer for both."""

    status = 404
    title = N_("Not found")


class UnknownLink(NotFound):
    """No link has this secret, or none any more: perhaps somebody guesses, so it is counted."""


class NotPermitted(AppError):
    """The person is known but may not do this."""

    status = 403
    title = N_("Not allowed")


class SignInNeeded(AppError):
    """Nobody is signed in."""

    status = 401
    title = N_("Please sign in")


class Conflict(AppError):
    """The stored state doesn't allow this now."""

    status = 409
    title = N_("That is no longer possible")


class TooLarge(AppError):
    """More was sent than is accepted."""

    status = 413
    title = N_("Too large")


class TooMany(AppError):
    """Asked too often; ``seconds`` is how long to wait."""

    status = 429
    title = N_("Too many tries")

    def __init__(self, message: str, wait: float) -> None:
        super().__init__(message)
        self.seconds = ceil(wait)


class Busy(AppError):
    """Try again in a moment."""

    status = 503
    title = N_("Busy")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with what was sent: where (row and column count from 1), why, and what to do.

    A file has columns, a form or a request has fields.
    """

    message: str
    row: int | None = None
    column: str | None = None
    remedy: str | None = None
    file: str | None = None
    field: str | None = None

    def __str__(self) -> str:
        place = ", ".join(
            part
            for part in (
                self.file,
                gettext("row %(number)s", number=self.row) if self.row is not None else None,
                gettext("column %(name)s", name=repr(self.column)) if self.column else None,
                gettext("field %(name)s", name=repr(self.field)) if self.field else None,
            )
            if part
        )
        text = f"{place}: {self.message}" if place else self.message
        return f"{text} {self.remedy}" if self.remedy else text


class InvalidInput(AppError):
    """What was sent is not usable; every problem is listed, and nothing was stored."""

    status = 422
    title = N_("That can't be used as it is")

    def __init__(self, message: str, problems: list[Problem] | None = None, *, remedy: str | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.problems = problems or []
