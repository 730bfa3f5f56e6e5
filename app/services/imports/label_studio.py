"""Label Studio's JSON as the rows of a long table: a row for each answer, or for each system's output.

What a task's data says in single values are columns of each of its rows, under their own names.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from app.services.imports.problems import ProblemList
from app.services.imports.reading import Row
from app.services.imports.request import Kind
from app.words import gettext

TASK = {"data", "annotations"}
Values = dict[str, Any]


def is_task(values: Values) -> bool:
    """Whether the object is one of Label Studio's tasks."""
    return values.keys() >= TASK and isinstance(values["data"], dict) and isinstance(values["annotations"], list)


def unfolded(rows: Iterable[Row], kind: Kind, problems: ProblemList) -> Iterator[Row]:
    """The rows as they are, but for tasks: these become rows of what is imported."""
    given: set[tuple[Any, ...]] = set()
    for row in rows:
        if not is_task(row.values):
            yield row
        elif kind == "outputs":
            yield from _outputs(row, given)
        else:
            yield from _answers(row, problems)


def _outputs(row: Row, given: set[tuple[Any, ...]]) -> Iterator[Row]:
    """Each output once: other questions about the same text are further tasks."""
    data = row.values["data"]
    if data.get("role", "main") != "main" or data.get("original") is not None:
        return
    problem = {name: data[name] for name in ("problem", "intent", "context", "references") if name in data}
    for system in data.get("systems") or ():
        key = (str(data.get("problem")), str(system), data.get("text"))
        if key not in given:
            given.add(key)
            yield Row(row.number, {**problem, "system": system, "output": data.get("text")})


def _answers(row: Row, problems: ProblemList) -> Iterator[Row]:
    data = {name: each for name, each in row.values["data"].items() if not isinstance(each, dict | list)}
    about = {name: each for name, each in data.items() if name not in ("text", "original", "context")}
    for annotation in row.values["annotations"]:
        if not isinstance(annotation, dict):
            problems.add(gettext("Expected an object with named values."), row=row.number, column="annotations")
            continue
        common = about | _about_person(annotation)
        if annotation.get("was_cancelled"):
            yield Row(row.number, common | {"skipped": True, "label": None, "text": None})
            continue
        for result in annotation.get("result") or ():
            if answer := _answer(result, row.number, problems):
                times = {name: result.get(name) or common[name] for name in ("created_at", "updated_at")}
                yield Row(row.number, common | answer | times)


def _about_person(annotation: Values) -> Values:
    person = annotation.get("completed_by")
    worker = person.get("email") or person.get("id") if isinstance(person, dict) else person
    flags = {name: annotation.get(name, False) for name in ("surplus", "swapped", "excluded")}
    times = {name: annotation.get(name) for name in ("created_at", "updated_at")}
    return {"worker": worker, "skipped": False, **flags, **times}


def _answer(result: Any, number: int, problems: ProblemList) -> Values | None:
    kind = result.get("type") if isinstance(result, dict) else None
    value = result.get("value") if isinstance(result, dict) else None
    if kind not in _READERS or not isinstance(value, dict):
        message = gettext("A result of type %(kind)s can't be read.", kind=repr(kind))
        remedy = gettext("These can: %(names)s.", names=", ".join(_READERS))
        problems.add(message, row=number, column="annotations", remedy=remedy)
        return None
    return {"question": result.get("from_name"), **_READERS[kind](value)}


def _choices(value: Values) -> Values:
    """One choice may be a value of a scale; any number of them may be labels."""
    names = value.get("choices") or []
    label = names[0] if isinstance(names, list) and len(names) == 1 else None
    return {"label": label, "text": json.dumps(names, ensure_ascii=False)}


def _text(value: Values) -> Values:
    texts = value.get("text")
    return {"label": None, "text": "\n".join(map(str, texts)) if isinstance(texts, list) else texts}


_READERS: dict[str, Callable[[Values], Values]] = {
    "choices": _choices,
    "textarea": _text,
    "rating": lambda value: {"label": value.get("rating"), "text": None},
    "number": lambda value: {"label": value.get("number"), "text": None},
}
