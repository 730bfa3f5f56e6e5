"""Long lists a page at a time: a cursor says after which row the next page begins, whatever was added meanwhile."""

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Generic, TypeVar

from fastapi import Depends, Query, Request
from pydantic import BaseModel

from app.errors import InvalidInput, Problem
from app.services.listings import Slice
from app.web.parameters import LAST_ROW
from app.words import gettext

_CURSOR = re.compile(r"([0-9a-f]{8}):([1-9]\d{0,9})")

Item = TypeVar("Item")
Row = TypeVar("Row")


class Page(BaseModel, Generic[Item]):
    """Some of a list. ``next``: the cursor of the page after this one; null at the end."""

    items: list[Item]
    next: str | None


@dataclass(frozen=True, slots=True)
class Start:
    """Where a page begins: after which row, and of which list, since rows of another one say nothing here."""

    of: str
    row: int | None

    def cursor(self, last: int | None) -> str | None:
        """What leads to the page after that row; None at the end."""
        if last is None:
            return None
        return base64.urlsafe_b64encode(f"{self.of}:{last}".encode()).decode().rstrip("=")


def page_of(found: Slice[Row], show: Callable[[Row], Item], after: Start) -> Page[Item]:
    """The rows as they go out."""
    return shown_page([show(each) for each in found.rows], after.cursor(found.last))


def shown_page(items: Sequence[Item], cursor: str | None) -> Page[Item]:
    """A page of what is shown already; ``cursor``: where the next one begins."""
    return Page(items=list(items), next=cursor)


def _after(
    request: Request,
    cursor: Annotated[str | None, Query(max_length=100, description="`next` of the page before.")] = None,
) -> Start:
    of = sha256(request.url.path.encode()).hexdigest()[:8]
    if cursor is None:
        return Start(of, None)
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (binascii.Error, UnicodeError, ValueError):
        text = ""
    found = _CURSOR.fullmatch(text)
    if found is None or found[1] != of or int(found[2]) > LAST_ROW:
        words = gettext("This is no cursor of ours: use “next” of the page before, as it is.")
        raise InvalidInput(gettext("There is no such page."), [Problem(words, field="cursor")])
    return Start(of, int(found[2]))


After = Annotated[Start, Depends(_after)]
Limit = Annotated[int, Query(ge=1, le=200, description="How many at most.")]
