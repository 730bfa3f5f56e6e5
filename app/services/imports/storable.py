"""Text that a database and a page can hold: the checks below all readers."""

from app.words import gettext


class BadValue(ValueError):
    """Why a value can't be used, what to do, and which field it was read from (where that is known)."""

    def __init__(self, message: str, remedy: str | None = None, *, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.field = field


def check_storable(text: str) -> None:
    """BadValue when no database can hold the text."""
    if "\0" in text:
        raise BadValue(
            gettext("Character %(index)s is NUL, which can't be stored.", index=text.index(chr(0)) + 1),
            gettext("Remove it."),
        )
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise BadValue(
                gettext(
                    "Character %(start)s is half of a surrogate pair (U+%(code)s).",
                    start=error.start + 1,
                    code=format(ord(text[error.start]), "04X"),
                ),
                gettext("Replace or remove it; it stands for no character."),
            ) from error


def legible(text: str) -> str:
    """The text with what can't be stored written as ``\\udc80``: for names that a file system hands us."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")
