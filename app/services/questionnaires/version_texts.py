"""Versions of forms as lines of text, so that two of them can be compared line by line."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import InvalidInput, NotFound
from app.services.questionnaires.form_content import ConsentForm
from app.services.questionnaires.forms import form_of
from app.storage.models import FormVersion, Study
from app.words import gettext


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the later version, of the earlier one, or of both."""

    state: Literal["same", "added", "removed"]
    text: str


def versions_of(session: Session, study: Study) -> list[FormVersion]:
    """All versions of the study's forms, the newest first."""
    mine = select(FormVersion).where(FormVersion.study_id == study.id)
    return list(session.scalars(mine.order_by(FormVersion.created_at.desc(), FormVersion.id.desc())))


def version_with_id(session: Session, study: Study, version_id: int) -> FormVersion:
    """One of the study's versions."""
    version = session.get(FormVersion, version_id)
    if version is None or version.study_id != study.id:
        raise NotFound(gettext("This study has no such version."))
    return version


def difference(before: FormVersion, after: FormVersion) -> list[Line]:
    """All lines of both, in order: what was removed stands before what came in its place."""
    old, new = lines_of(before), lines_of(after)
    found: list[Line] = []
    for kind, a, b, c, d in SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if kind == "equal":
            found += [Line("same", text) for text in new[c:d]]
        else:
            found += [Line("removed", text) for text in old[a:b]] + [Line("added", text) for text in new[c:d]]
    return found


def lines_of(version: FormVersion) -> list[str]:
    """What the version asks, line by line; one that can't be read as a form of its kind, as it is stored."""
    try:
        return list(_lines_of(version))
    except (AttributeError, InvalidInput, KeyError, TypeError, ValueError):
        return json.dumps(version.content, ensure_ascii=False, indent=2, sort_keys=True).splitlines()


def _lines_of(version: FormVersion) -> Iterator[str]:
    content: Mapping[str, Any] = version.content
    if version.kind == "questionnaire":
        yield from _prose(content["instructions"])
        for instrument in content["instruments"]:
            yield from _instrument(instrument)
        return
    form = form_of(version)
    if isinstance(form, ConsentForm):
        yield from _prose(form.text)
        yield f"[{form.agree}] [{form.decline}]"
    elif form:
        yield from _prose(form.intro)
        for field in form.fields:
            yield from _field(field.model_dump())


def _instrument(instrument: Mapping[str, Any]) -> Iterator[str]:
    yield f"{instrument['title'] or instrument['name']} ({instrument['name']}, {instrument['kind']})"
    yield from _prose(instrument["instructions"])
    for question in instrument["questions"]:
        yield _head(question, question["text"])
        yield from _prose(question["help"])
        yield from _scale(question["scale"])


def _field(field: Mapping[str, Any]) -> Iterator[str]:
    yield _head(field, field["label"])
    yield from _prose(field["help"])
    ends = [f"{name} {field[name]:g}" for name in ("least", "most") if field[name] is not None]
    yield from [f"    {', '.join(ends)}"] if ends else []
    yield from (f"    {option}" for option in field["options"])


def _head(asked: Mapping[str, Any], words: str) -> str:
    required = gettext("required") if asked["required"] else gettext("not required")
    return f"{words} ({asked['name']}, {asked['kind']}, {required})"


def _scale(scale: Mapping[str, Any]) -> Iterator[str]:
    choices: Sequence[Mapping[str, Any]] = scale.get("choices", ())
    for choice in choices:
        value = f"{choice['value']:g}" if "value" in choice else choice["name"]
        words = ": ".join(filter(None, [choice.get("label"), choice.get("description")]))
        key = choice.get("key")
        yield "    " + " ".join(filter(None, [value, f"[{key}]" if key else "", words]))
    rest = [f"{name.replace('_', ' ')} {value}" for name, value in scale.items() if name != "choices" and value != ""]
    yield f"    {', '.join(rest)}"


def _prose(text: str) -> list[str]:
    return text.splitlines()
