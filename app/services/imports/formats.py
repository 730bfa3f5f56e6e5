"""Which kind of file this is and which column holds what: guesses by name, that a person can change."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.errors import InvalidInput, Problem
from app.services.imports.request import ImportRequest, Kind, Layout
from app.words import gettext

IGNORE = "ignore"
# In the wide layout every column that is nothing else holds one system's outputs.
SYSTEM_COLUMN = "system-outputs"

# Field -> the names by which its column is known, the likeliest first.
PROBLEM = ("problem", "problem_id", "task_id", "problem_key", "question_id", "item_id", "id", "task")
LANGUAGE = ("language", "lang", "programming_language", "code_language")
OUTPUT_FIELDS: dict[str, tuple[str, ...]] = {
    "problem": PROBLEM,
    "intent": ("intent", "prompt", "instruction", "question", "description", "src"),
    "reference": ("reference", "references", "snippet", "canonical_solution", "ref", "target", "gold"),
    "context": ("context",),
    "tests": ("tests", "test", "unit_tests"),
    "image": ("image", "image_file"),
    "image_alt": ("image_alt", "alt", "alt_text", "image_description"),
    "language": LANGUAGE,
}
LONG_FIELDS = OUTPUT_FIELDS | {
    "system": ("system", "model", "system_name", "model_name"),
    "output": ("output", "completion", "prediction", "generation", "hypothesis", "generated_code", "code"),
}
GRADE_FIELDS: dict[str, tuple[str, ...]] = {
    "task": ("task", "item"),
    "problem": PROBLEM[:-1],
    "system": LONG_FIELDS["system"],
    "annotator": ("worker", "annotator", "performer", "grader", "user"),
    "label": ("label", "grade", "value", "answer"),
    "text": ("text",),
    "question": ("question",),
    "instrument": ("instrument",),
    "identity": ("item",),
    "time": ("time", "submitted_at", "created_at", "timestamp"),
    "updated": ("updated_at",),
    "surplus": ("surplus",),
    "swapped": ("swapped",),
    "excluded": ("excluded",),
    "skipped": ("skipped",),
    "role": ("role",),
}
SCORE_FIELDS: dict[str, tuple[str, ...]] = {
    "problem": PROBLEM,
    "system": LONG_FIELDS["system"],
    "metric": ("metric", "metric_name"),
    "score": ("score", "value"),
    "imported": ("imported",),
    "signature": ("signature",),
    "metric_label": ("label", "metric_label"),
}
VARIANT_FIELDS: dict[str, tuple[str, ...]] = {
    "problem": PROBLEM,
    "intent": ("original", "original_prompt", "nominal", "intent", "prompt"),
    "changed": ("changed", "perturbed", "perturbed_prompt", "changed_prompt", "text"),
    "transformation": ("transformation", "perturbation", "method"),
    "category": ("category", "kind_of_transformation"),
    "seed": ("seed",),
    "language": LANGUAGE,
}
TABLE_FIELDS: dict[Kind, dict[str, tuple[str, ...]]] = {
    "grades": GRADE_FIELDS,
    "scores": SCORE_FIELDS,
    "variants": VARIANT_FIELDS,
}
REQUIRED: dict[tuple[Kind, Layout | None], tuple[str, ...]] = {
    ("outputs", "long"): ("problem", "system", "output"),
    ("outputs", "wide"): (SYSTEM_COLUMN,),
    ("grades", None): ("annotator", "label"),
    ("scores", None): ("problem", "system", "metric", "score"),
    ("variants", None): ("problem", "changed", "transformation"),
}


@dataclass(frozen=True, slots=True)
class Format:
    """How a table is read. ``columns``: field to its columns, in the order of the file."""

    kind: Kind
    layout: Layout | None
    columns: Mapping[str, list[str]]

    def field_of(self, column: str) -> str:
        """What a column holds."""
        return next((field for field, columns in self.columns.items() if column in columns), IGNORE)


def fields_of(kind: Kind, layout: Layout | None) -> tuple[str, ...]:
    """The fields that a column may be mapped to."""
    if kind == "outputs":
        return (*OUTPUT_FIELDS, SYSTEM_COLUMN) if layout == "wide" else tuple(LONG_FIELDS)
    return tuple(TABLE_FIELDS[kind])


def guess_kind(columns: Iterable[str]) -> tuple[Kind, Layout | None]:
    """What a table with these columns most likely is."""
    names = {_plain(column) for column in columns}
    if any(name.startswith("grade_") for name in names):
        return "codegen-metrics", None
    if names & set(GRADE_FIELDS["annotator"]) and names & set(GRADE_FIELDS["label"]):
        return "grades", None
    if names & set(SCORE_FIELDS["metric"]) and names & set(SCORE_FIELDS["score"]):
        return "scores", None
    if names & set(VARIANT_FIELDS["transformation"]) and names & set(VARIANT_FIELDS["changed"]):
        return "variants", None
    return "outputs", "long" if names & set(LONG_FIELDS["system"]) else "wide"


def choose_format(request: ImportRequest, columns: list[str]) -> Format:
    """The request's kind, layout and mapping, completed by guesses; InvalidInput when something needed is missing."""
    layout = request.layout or (guess_layout(columns, request.mapping) if request.kind == "outputs" else None)
    unknown = [column for column in request.mapping if column not in columns]
    if unknown:
        raise InvalidInput(
            gettext("The mapping names columns that the file doesn't have."),
            [Problem(gettext("There is no such column."), column=column) for column in unknown],
            remedy=gettext("The file has: %(names)s.", names=", ".join(columns[:40])),
        )
    chosen = Format(request.kind, layout, map_columns(request.kind, layout, columns, request.mapping))
    _check(chosen, columns)
    return chosen


def guess_layout(columns: list[str], mapping: Mapping[str, str]) -> Layout:
    """Long when one column names the system: no wide table has a system that is called "system"."""
    long = map_columns("outputs", "long", columns, {c: f for c, f in mapping.items() if f in LONG_FIELDS})
    return "long" if "system" in long else "wide"


def map_columns(
    kind: Kind, layout: Layout | None, columns: list[str], mapping: Mapping[str, str]
) -> dict[str, list[str]]:
    """Field to columns: what was said, then what the names suggest."""
    known = fields_of(kind, layout)
    wrong = [field for field in mapping.values() if field not in (*known, IGNORE)]
    if wrong:
        raise InvalidInput(
            gettext("%(wrong)s is not a field of this layout.", wrong=repr(wrong[0])),
            remedy=gettext("Fields: %(names)s.", names=", ".join(known)),
        )
    result: dict[str, list[str]] = {}
    for column in columns:
        if column in mapping and mapping[column] != IGNORE:
            result.setdefault(mapping[column], []).append(column)
    free = [column for column in columns if column not in mapping]
    if kind == "grades" and (item := _identity_column(free, result)):
        result["identity"] = [item]
        free.remove(item)
    for field in known:
        if field not in result and (found := _columns_named(_names(kind, layout).get(field, ()), field, free)):
            result[field] = found
            free = [column for column in free if column not in found]
    if layout == "wide" and free:
        result[SYSTEM_COLUMN] = [c for c in columns if c in free or c in result.get(SYSTEM_COLUMN, ())]
    return result


def _identity_column(free: list[str], said: Mapping[str, list[str]]) -> str | None:
    """A column "item" beside one of problems: an item's own name within its problem, and no task of both."""
    has_problem = "problem" in said or _columns_named(GRADE_FIELDS["problem"], "problem", free)
    found = _columns_named(GRADE_FIELDS["identity"], "identity", free)
    return found[0] if found and has_problem and "identity" not in said else None


def _names(kind: Kind, layout: Layout | None) -> Mapping[str, tuple[str, ...]]:
    if kind == "outputs":
        return OUTPUT_FIELDS if layout == "wide" else LONG_FIELDS
    return TABLE_FIELDS[kind]


def _columns_named(names: tuple[str, ...], field: str, columns: list[str]) -> list[str]:
    for name in names:
        found = [column for column in columns if _plain(column) == name]
        if field == "reference":
            found += [column for column in columns if re.fullmatch(rf"{name}_?\d+", _plain(column))]
        if found:
            return found if field == "reference" else found[:1]
    return []


def _plain(column: str) -> str:
    return re.sub(r"[\s\-]+", "_", column.strip().lower())


def _check(chosen: Format, columns: list[str]) -> None:
    missing = [field for field in REQUIRED[chosen.kind, chosen.layout] if field not in chosen.columns]
    if chosen.kind == "grades" and "task" not in chosen.columns:
        named = "identity" if "identity" in chosen.columns else "system"
        missing += [field for field in ("problem", named) if field not in chosen.columns]
    several = [field for field, names in chosen.columns.items() if len(names) > 1 and not _may_repeat(field)]
    problems = [
        Problem(gettext("No column holds the field %(field)s.", field=repr(field)), row=1) for field in missing
    ]
    problems += [
        Problem(gettext("Several columns hold the field %(field)s.", field=repr(field)), row=1) for field in several
    ]
    if problems:
        raise InvalidInput(
            gettext(
                "The columns don't say all that is needed. The file has: %(names)s.", names=", ".join(columns[:40])
            ),
            problems,
            remedy=_remedy(chosen),
        )


def _remedy(chosen: Format) -> str:
    remedy = gettext("Say which column holds what (on the preview page, or with --map column=field).")
    if chosen.kind != "grades":
        return remedy
    return f"{remedy} " + gettext(
        "What was graded is named by task (problem|system); or by problem and system; or, as prompts and pairs need "
        "it, by problem, instrument and the item’s identity from an export (--map item=identity)."
    )


def _may_repeat(field: str) -> bool:
    return field in ("reference", SYSTEM_COLUMN)
