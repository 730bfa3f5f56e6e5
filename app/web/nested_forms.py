"""Forms that hold lists: fields named "questions.0.scale.choices.2.key" become lists in dicts, and lists rearrange.

A button that adds, removes, copies or moves a row sends its place and the deed as ``do``: "questions.1.up". The page
is then shown again with what was typed, rearranged; nothing is stored until the form is saved.
"""

import copy
import re
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Depends, Request

from app.errors import InvalidInput, Problem
from app.web.body_limit import allow_more
from app.web.forms import MOST_PROSE, is_storable
from app.words import gettext

Draft = dict[str, Any]
MOST_FIELDS = 4_000
_NAME = re.compile(r"[a-z_]+(\.([a-z_]+|\d{1,3})){0,6}")
# What belongs to a row itself and not to its copy.
OWN = ("id", "name")


async def _nested_posted(request: Request) -> Draft:
    allow_more(request, MOST_PROSE)
    form = await request.form(max_files=0, max_fields=MOST_FIELDS)
    return nested({name: value for name, value in form.items() if isinstance(value, str)})


# Only on routes with a permission: it raises what a request may send.
NestedPosted = Annotated[Draft, Depends(_nested_posted)]


def nested(posted: Mapping[str, str]) -> Draft:
    """The fields as dicts and lists; InvalidInput where they can't be."""
    tree: Draft = {}
    for name, value in posted.items():
        if not _NAME.fullmatch(name):
            raise InvalidInput(gettext("The form has a field that isn’t its own."))
        if not is_storable(value):
            words = gettext("It holds a character that can’t be stored (NUL, or half of a surrogate pair).")
            raise InvalidInput(gettext("Something in the form can’t be stored."), [Problem(words, field=name)])
        _put(tree, name.split("."), value.replace("\r\n", "\n"))
    found = _listed(tree)
    return found if isinstance(found, dict) else {}


def _put(tree: Draft, steps: list[str], value: str) -> None:
    place = tree
    for step in steps[:-1]:
        place = place.setdefault(step, {})
        if not isinstance(place, dict):
            raise InvalidInput(gettext("The form has a field that isn’t its own."))
    place[steps[-1]] = value


def _listed(node: Any) -> Any:
    """Dicts whose keys are all numbers are lists, in the order of these."""
    if not isinstance(node, dict):
        return node
    children = {key: _listed(value) for key, value in node.items()}
    if children and all(key.isdecimal() for key in children):
        return [children[key] for key in sorted(children, key=int)]
    return children


def flat(draft: Any, place: str = "") -> dict[str, str]:
    """The draft as fields again."""
    if isinstance(draft, str):
        return {place: draft}
    children = enumerate(draft) if isinstance(draft, list) else draft.items()
    found: dict[str, str] = {}
    for name, child in children:
        found |= flat(child, f"{place}.{name}" if place else str(name))
    return found


def steering(draft: Draft, name: str) -> str:
    """A field that steers the page and is no part of what is edited; taken out of the draft."""
    return str(draft.pop(name, ""))


def rearrange(draft: Draft, deed: str, blank: Draft | None = None) -> str:
    """Do the deed ("questions.1.up", "questions.add"); the place that it concerns now. One that can't be is none."""
    *steps, verb = deed.split(".")
    if verb == "add":
        return _append(draft, steps, blank or {})
    rows, index = _rows(draft, steps[:-1]), int(steps[-1]) if steps and steps[-1].isdecimal() else -1
    if not 0 <= index < len(rows):
        return ""
    if verb == "remove":
        del rows[index]
        index = min(index, len(rows) - 1)
    elif verb == "copy":
        index += 1
        rows.insert(index, {key: copy.deepcopy(each) for key, each in rows[index - 1].items() if key not in OWN})
    elif verb in ("up", "down"):
        index = _swap(rows, index, index + (1 if verb == "down" else -1))
    return ".".join([*steps[:-1], str(index)]) if rows else ".".join(steps[:-1])


def _append(draft: Draft, steps: list[str], blank: Draft) -> str:
    holder: Any = draft
    for step in steps[:-1]:
        holder = _child(holder, step)
    if not isinstance(holder, dict) or not steps:
        return ""
    rows = holder.setdefault(steps[-1], [])
    if not isinstance(rows, list):
        return ""
    rows.append(blank)
    return ".".join([*steps, str(len(rows) - 1)])


def _rows(draft: Draft, steps: list[str]) -> list[Any]:
    found: Any = draft
    for step in steps:
        found = _child(found, step)
    return found if isinstance(found, list) else []


def _child(node: Any, step: str) -> Any:
    if isinstance(node, list) and step.isdecimal() and int(step) < len(node):
        return node[int(step)]
    return node.get(step) if isinstance(node, dict) else None


def _swap(rows: list[Any], here: int, there: int) -> int:
    if not 0 <= there < len(rows):
        return here
    rows[here], rows[there] = rows[there], rows[here]
    return there
