"""The files of an exported study in the order in which they can be stored, and the rows that their lines become."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from app.services.imports import study_bundle_rows as lines
from app.services.imports.study_bundle_about import Part
from app.services.imports.study_bundle_values import Rows, Values
from app.storage.base import Base
from app.storage.models import (
    Annotator,
    Assignment,
    FormResponse,
    FormVersion,
    Grade,
    GradeEvent,
    Item,
    Output,
    Problem,
    Reference,
    Variant,
    VariantScore,
)


@dataclass(frozen=True, slots=True)
class File:
    """A file's lines, the table that they become rows of, and under what name others speak of them.

    ``once``: what no two lines may have in common, where lines have no name; None of a line is in no other's way.
    ``optional``: bundles may lack it, as all did before it came.
    """

    name: str
    line: type[Part]
    table: type[Base]
    rows: Callable[[Rows, Any], Iterator[Values]]
    part: str = ""  # of Places
    key: Callable[[Any], Any] = lambda _: None
    once: tuple[Callable[[Any], Any], ...] = ()
    optional: bool = False


def _item(line: Any) -> tuple[str, str, str]:
    return line.instrument, line.problem, line.item


def _variant(line: Any) -> tuple[str, str, str, int]:
    return line.problem, line.kind, line.transformation, line.seed


def _slot(line: Any) -> Any:
    return None if line.slot is None else (_item(line), line.slot)


def _part(line: Any) -> Any:
    return None if line.submission is None else (line.submission, line.part)


PROBLEMS, VARIANTS, ITEMS, OUTPUTS = "problems.jsonl", "variants.jsonl", "items.jsonl", "outputs.jsonl"
CHANGE_SCORES = "change-scores.jsonl"
FORMS, ANNOTATORS, RESPONSES = "forms.jsonl", "annotators.jsonl", "responses.jsonl"
ASSIGNMENTS, GRADES, EVENTS, SCORES = "assignments.jsonl", "grades.jsonl", "events.jsonl", "imported-scores.jsonl"

FILES = (
    File(PROBLEMS, lines.ProblemLine, Problem, Rows.problem, "problems", lambda line: line.problem),
    File(
        VARIANTS,
        lines.VariantLine,
        Variant,
        Rows.variant,
        "variants",
        _variant,
    ),
    File(
        CHANGE_SCORES,
        lines.ChangeScoreLine,
        VariantScore,
        Rows.change_score,
        once=(lambda line: (_variant(line), line.check),),
        optional=True,
    ),
    File(
        ITEMS,
        lines.ItemLine,
        Item,
        Rows.item,
        "items",
        _item,
    ),
    File(PROBLEMS, lines.ProblemLine, Reference, Rows.references),
    File(OUTPUTS, lines.OutputLine, Output, Rows.output, once=(lambda line: (line.problem, line.system),)),
    File(FORMS, lines.FormLine, FormVersion, Rows.form, "forms", lambda line: (line.kind, line.number)),
    File(ANNOTATORS, lines.AnnotatorLine, Annotator, Rows.annotator, "annotators", lambda line: line.pseudonym),
    File(RESPONSES, lines.ResponseLine, FormResponse, Rows.response),
    File(
        ASSIGNMENTS,
        lines.AssignmentLine,
        Assignment,
        Rows.assignment,
        once=(lambda line: (line.worker, _item(line)), lambda line: (line.worker, line.position), _slot),
    ),
    File(GRADES, lines.GradeLine, Grade, Rows.grade, once=(lambda line: (line.worker, _item(line), line.question),)),
    File(EVENTS, lines.EventLine, GradeEvent, Rows.event, once=(_part,)),
)
