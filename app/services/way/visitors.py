"""Who comes by an invitation, as the address says: by a platform's parameters, by the team's own id, or unnamed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.errors import InvalidInput
from app.services.way.endings import is_mturk
from app.words import gettext

PROLIFIC = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
MTURK = ("workerId", "assignmentId", "hitId", "turkSubmitTo")
NO_ASSIGNMENT = "ASSIGNMENT_ID_NOT_AVAILABLE"
LONGEST_ID = 200
EXAMPLE_ID = "the-person"  # as our own pages write an id; whoever pastes it is nobody
LONGEST_ADDRESS = 500
_PLATFORM_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
# As a platform's own pattern for addresses has it, where nothing was filled in.
_UNFILLED = re.compile(r"\{\{|\}\}|\$\{|%\}")

Parameters = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Visitor:
    """``external_id``: what the platform or the team calls the person. ``is_preview``: nothing may be stored."""

    source: str = "link"
    external_id: str | None = None
    crowd: dict[str, str] = field(default_factory=dict)
    is_preview: bool = False


def read_visitor(source: str, parameters: Parameters, id_parameter: str) -> Visitor:
    """Who comes, by an invitation of that source; InvalidInput says which part of the address is wrong."""
    if source == "link":
        _refuse_platforms(parameters)
        return Visitor()
    expected = {"prolific": PROLIFIC, "mturk": MTURK}.get(source, (id_parameter,))
    values = _values(parameters, expected)
    return {"prolific": _prolific, "mturk": _mturk}.get(source, _by_id)(values, expected[0])


def _refuse_platforms(parameters: Parameters) -> None:
    """What mail programs add to a link is passed over; a platform's own parameters mean that it is the wrong link."""
    names = {name for name, _ in parameters}
    if names & {*PROLIFIC[:1], *MTURK[:2]}:
        raise InvalidInput(
            gettext("This link isn’t made for people who come from a platform."),
            remedy=gettext("Tell the study’s team: the platform needs an invitation of its own."),
        )


def _values(parameters: Parameters, expected: Sequence[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for name, value in parameters:
        if name not in expected:
            raise _odd(gettext("It holds a part that doesn’t belong there: %(name)s.", name=_short(name)))
        if name in values:
            raise _odd(gettext("It holds %(name)s twice.", name=name))
        if _UNFILLED.search(value):
            raise _odd(gettext("The platform didn’t fill in %(name)s.", name=name))
        values[name] = value
    return values


def _prolific(values: dict[str, str], name: str) -> Visitor:
    for each in PROLIFIC:
        _check_platform_id(each, values.get(each, ""))
    return Visitor("prolific", values[name], _without(values, name))


def _mturk(values: dict[str, str], name: str) -> Visitor:
    if values.get("assignmentId") == NO_ASSIGNMENT:
        return Visitor("mturk", is_preview=True)
    for each in MTURK[:3]:
        _check_platform_id(each, values.get(each, ""))
    address = values.get("turkSubmitTo", "")
    if len(address) > LONGEST_ADDRESS or not is_mturk(address):
        raise _odd(gettext("turkSubmitTo isn’t an address of Mechanical Turk."))
    return Visitor("mturk", values[name], _without(values, name))


def _by_id(values: dict[str, str], name: str) -> Visitor:
    given = values.get(name, "")
    if not given:
        raise _odd(gettext("%(name)s is missing.", name=name))
    if len(given) > LONGEST_ID:
        raise _odd(gettext("%(name)s is longer than %(most)s letters.", name=name, most=LONGEST_ID))
    if not given.isprintable() or any(letter.isspace() for letter in given):
        raise _odd(gettext("%(name)s holds a space, or a character that can’t be seen.", name=name))
    if not any(letter.isalnum() for letter in given) or given == EXAMPLE_ID:
        raise _odd(gettext("%(name)s isn’t filled in.", name=name))
    return Visitor("id", given)


def _check_platform_id(name: str, value: str) -> None:
    if not value:
        raise _odd(gettext("%(name)s is missing.", name=name))
    if not _PLATFORM_ID.fullmatch(value):
        raise _odd(gettext("%(name)s isn’t one: it may hold letters and digits, at most 100.", name=name))


def _without(values: dict[str, str], name: str) -> dict[str, str]:
    return {key: value for key, value in values.items() if key != name}


def _short(name: str) -> str:
    shown = name if len(name) <= 40 else f"{name[:39]}…"
    return "".join(letter if letter.isprintable() else "�" for letter in shown)


def _odd(what: str) -> InvalidInput:
    return InvalidInput(
        gettext("This address can’t be used as it is. %(what)s", what=what),
        remedy=gettext("Open the link again from where you got it; if that doesn’t help, tell the study’s team."),
    )
