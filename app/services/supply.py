"""What an annotator's page needs to go on: the items that it lacks, and how far everything is."""

from collections.abc import Collection
from dataclasses import dataclass

from app.services.assignments import open_items
from app.services.pace import Progress, progress
from app.services.shown_items import ShownItem, show_all
from app.services.sitting import Sitting


@dataclass(frozen=True, slots=True)
class Supply:
    """``is_done``: there is nothing to do now; ``is_closed``: nor will there ever be.

    ``progress`` of None: what the page shows, with one graded item more.
    """

    items: tuple[ShownItem, ...]
    is_done: bool
    is_closed: bool
    progress: Progress | None


def supply(sitting: Sitting, have: Collection[str], *, one_more: bool = False) -> Supply:
    """The annotator's open items but for those that the page has, claiming what is missing; the annotator is held.

    ``one_more``: whether one item was graded since the page was told its progress, and nothing else happened.
    """
    claims = open_items(sitting)
    missing = [claim for claim in claims if claim.public_id not in have]
    # Looking it up is a good part of a grade's work. What is graded in another window shows with the next items.
    counts_on = one_more and sitting.study.state == "open" and claims and not missing
    return Supply(
        items=tuple(show_all(sitting, missing, claims)) if missing else (),
        is_done=not claims,
        is_closed=sitting.study.state == "closed",
        progress=None if counts_on else progress(sitting),
    )
