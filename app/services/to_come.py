"""How many items an annotator has still to come: those held open, and those that could still be handed out."""

from collections.abc import Mapping
from math import ceil

from app.services.candidates import closed_strata, count_free
from app.services.claims import Quest
from app.services.sitting import Sitting
from app.services.study_counts import study_count
from app.services.way.checks_ahead import with_checks
from app.services.way.work import work_of
from app.storage.models import Instrument

# Counting further would cost more the bigger the study, and tell nobody more.
MOST_COUNTED = 1000
# So many are more than MOST_COUNTED, whatever one person has done of them and whatever was retired.
FAR_MORE = 10_000
SENT_AWAY = ("failed", "declined")


def items_to_come(sitting: Sitting, held: Mapping[int, int], seconds: float | None) -> dict[int, int]:
    """By instrument, in order. ``held``: how many are open.

    ``seconds``: the person's own pace, by which a limit of minutes is one of items.
    """
    if sitting.study.state not in ("open", "paused") or sitting.annotator.stage in SENT_AWAY:
        return {}
    free = _handed_out(sitting) if sitting.study.state == "open" else {}
    left = {each.id: held.get(each.id, 0) + free.get(each.id, 0) for each in sitting.instruments}
    return _within_limits(sitting, {key: count for key, count in left.items() if count}, seconds)


def _handed_out(sitting: Sitting) -> dict[int, int]:
    closed = closed_strata(sitting)
    free = {each.id: _free(sitting, each, closed) for each in sitting.instruments}
    return with_checks(sitting, free, most=MOST_COUNTED)


def _free(sitting: Sitting, instrument: Instrument, closed: frozenset[str]) -> int:
    """Main items that this annotator could still get, as far as counted."""
    # Where there are very many, the study's own count tells so; only where there are fewer, each is looked at.
    if not closed and study_count(sitting).open_items.get(instrument.id, 0) >= FAR_MORE:
        return MOST_COUNTED
    return count_free(Quest(sitting.session, sitting.study, instrument, sitting.annotator, closed), MOST_COUNTED)


def _within_limits(sitting: Sitting, left: dict[int, int], seconds: float | None) -> dict[int, int]:
    """What is left of each instrument, no more in all than this person may still grade."""
    limits = sitting.options.limits
    if limits.items is None and limits.minutes is None:
        return left
    work = work_of(sitting.session, sitting.annotator.id, limits)
    rooms = [] if limits.items is None else [limits.items - work.items]
    if limits.minutes is not None and seconds:
        rooms.append(ceil((limits.minutes * 60 - work.active.total_seconds()) / seconds))
    return _first(left, max(0, min(rooms))) if rooms else left


def _first(left: dict[int, int], room: int) -> dict[int, int]:
    """So many of them, in order."""
    allowed = {}
    for instrument_id, count in left.items():
        if taken := min(count, room):
            allowed[instrument_id] = taken
        room -= taken
    return allowed
