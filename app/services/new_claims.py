"""Claim items that an annotator hasn't had yet: the check that is due, or the best of the candidates."""

from app.errors import Busy
from app.services.candidates import LOOK_AHEAD, Candidate, arrange, candidates
from app.services.claims import Last, Quest, Taken, add_claims, raise_free_loads, raise_load
from app.services.study_options import options_of
from app.services.way.check_items import claim_check
from app.storage.models import Assignment
from app.words import gettext

# Where nobody misses them, several are claimed in one go, which costs little more than claiming one. With still more
# the answer that brings them would be late: each has to be coloured.
OF_PLENTY = 3
# Each round is lost to somebody else's success, so this many in a row mean that something is stuck.
ROUNDS = 200


def claim_new(quest: Quest, last: Last, room: int, *, may_wait: bool) -> list[Assignment]:
    """The next item, or where there are plenty the next few, up to ``room``; none where there is none.

    ``may_wait``: whether this transaction may wait for somebody who is at an item just now.
    """
    for _ in range(ROUNDS):
        found = candidates(quest)
        if not found:
            return []
        check = claim_check(quest, last)
        if check is not None:
            return [check]
        is_plenty = len(found) == LOOK_AHEAD and not options_of(quest.study).checks.are_any
        most = min(room, OF_PLENTY) if is_plenty else 1
        taken = _take(quest, found, last.problem_id, most, may_wait=may_wait)
        if taken:
            return add_claims(quest, taken, last)
        if not may_wait:
            return []
    raise Busy(
        gettext("Too many people ask for the same items at this moment."),
        remedy=gettext("Try again in a few seconds."),
    )


def _take(
    quest: Quest, found: list[Candidate], last_problem: int | None, most: int, *, may_wait: bool
) -> list[Taken]:
    """Raise the load of the best items, those that somebody is at left out; if all are busy, wait for the first when
    allowed.
    """
    preferred = arrange(found, last_problem, complete=len(found) < LOOK_AHEAD)
    taken = _take_free(quest, _first_choices(preferred, most))
    for candidate in preferred:
        if taken:
            return taken
        taken = _take_free(quest, [candidate])
    if not taken and may_wait and (load := raise_load(quest.session, preferred[0].item_id, quest.limit)):
        taken = [Taken(preferred[0].item_id, preferred[0].problem_id, load)]
    return taken


def _first_choices(preferred: list[Candidate], most: int) -> list[Candidate]:
    """The best ones, each of another problem than the one before it where that can be."""
    chosen = preferred[:1]
    while len(chosen) < most:
        left = [each for each in preferred if each not in chosen]
        chosen += arrange(left, chosen[-1].problem_id, complete=False)[:1]
    return chosen


def _take_free(quest: Quest, chosen: list[Candidate]) -> list[Taken]:
    loads = raise_free_loads(quest.session, [each.item_id for each in chosen], quest.limit)
    return [Taken(each.item_id, each.problem_id, loads[each.item_id]) for each in chosen if each.item_id in loads]
