"""A study's material and scores as long tables: a row per problem, output, item or score, in one fixed order."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session, aliased

from app.services.exports.chunks import problem_chunks
from app.services.exports.formats import Row, exactly, iso, sorted_keys
from app.storage.models import (
    Instrument,
    Item,
    MetricScore,
    Output,
    Problem,
    Reference,
    Scoring,
    Study,
    System,
    Variant,
)

SCORE_COLUMNS = ("problem", "system", "metric", "score", "signature", "imported", "label")
ROWS_AT_ONCE = 2_000


def score_rows(session: Session, study: Study) -> Iterator[Row]:
    """Every metric's score of every output."""
    rows = session.execute(
        select(Problem.key, System.name, Scoring, MetricScore.score)
        .join(Scoring, Scoring.id == MetricScore.scoring_id)
        .join(Output, Output.id == MetricScore.output_id)
        .join(Problem, Problem.id == Output.problem_id)
        .join(System, System.id == Output.system_id)
        .where(Scoring.study_id == study.id)
        .order_by(Scoring.name, Scoring.id, Problem.position, System.position)
        .execution_options(yield_per=ROWS_AT_ONCE)
    )
    for problem, system, scoring, score in rows:
        yield {
            "problem": problem,
            "system": system,
            "metric": scoring.name,
            "score": score,
            "signature": scoring.signature,
            "imported": scoring.imported,
            "label": scoring.label,
        }


def imported_score_rows(session: Session, study: Study) -> Iterator[Row]:
    """The scores that were computed elsewhere: what else there is can be computed again."""
    for row in score_rows(session, study):
        if row["imported"]:
            yield {name: row[name] for name in ("problem", "system", "metric", "score")}


def problem_rows(session: Session, study: Study) -> Iterator[Row]:
    """Every problem in its order, those without outputs too; ``image`` is the name of its file in the bundle."""
    for chunk in problem_chunks(session, study):
        references = references_of(session, chunk)
        ordered = select(Problem).where(Problem.id.in_(chunk)).order_by(Problem.position, Problem.id)
        for problem in session.scalars(ordered):
            texts = references[problem.id]
            yield {
                "problem": problem.key,
                "intent": problem.intent,
                "context": problem.context,
                "tests": problem.tests,
                "references": [text for text, _ in texts],
                "reference_items": [item for _, item in texts],
                "image": image_name(problem) if problem.image_id is not None else None,
                "image_alt": problem.image_alt,
                **_execution_columns(problem),
            }


def _execution_columns(problem: Problem) -> Row:
    """What tests need to run, where a problem has it: without, the bundle is one that older versions read, too."""
    found = {"entry_point": problem.entry_point, "code_before": problem.code_before}
    return {name: value for name, value in found.items() if value is not None}


def image_name(problem: Problem) -> str:
    """Where a problem's image lies in the bundle: by position, since a key need not be a file's name."""
    return f"images/{problem.position}.png"


def variant_rows(session: Session, study: Study) -> Iterator[Row]:
    """Every changed prompt or code."""
    rows = session.execute(
        select(Variant, Problem.key)
        .join(Problem, Problem.id == Variant.problem_id)
        .where(Problem.study_id == study.id)
        .order_by(Variant.id)
        .execution_options(yield_per=ROWS_AT_ONCE)
    )
    for variant, problem in rows:
        yield {
            "problem": problem,
            "kind": variant.kind,
            "transformation": variant.transformation,
            "category": variant.category,
            "seed": variant.seed,
            "original": variant.original,
            "text": variant.text,
        }


def item_rows(session: Session, study: Study, *, is_template: bool = False) -> Iterator[Row]:
    """Every item, in the order in which they were made; of a template as if nobody had seen it."""
    repeated = aliased(Item)
    rows = session.execute(
        select(Item, Instrument.name, Problem.key, Variant.kind, Variant.transformation, Variant.seed)
        .add_columns(repeated.identity)
        .join(Instrument, Instrument.id == Item.instrument_id)
        .join(Problem, Problem.id == Item.problem_id)
        .outerjoin(Variant, Variant.id == Item.variant_id)
        .outerjoin(repeated, repeated.id == Item.repeats_id)
        .where(Item.study_id == study.id)
        .order_by(Item.id)
        .execution_options(yield_per=ROWS_AT_ONCE)
    )
    for item, instrument, problem, kind, transformation, seed, repeats in rows:
        yield {
            "instrument": instrument,
            "problem": problem,
            "item": item.identity,
            "text": item.text,
            "original": item.original,
            "role": item.role,
            "stratum": item.stratum,
            "shuffle": item.shuffle,
            "gradable": item.gradable,
            "is_reference": item.is_reference,
            "skips": 0 if is_template else item.skips,
            "retired_at": None if is_template else iso(item.retired_at),
            "variant": None if kind is None else [kind, transformation, exactly(seed)],
            "repeats": repeats,
            "expected": sorted_keys(item.expected),
        }


def output_rows(session: Session, study: Study) -> Iterator[Row]:
    """Every output with its problem: the long layout, which CodeJury imports again; ``item`` names its item."""
    for chunk in problem_chunks(session, study):
        references = references_of(session, chunk)
        rows = session.execute(
            select(Problem.id, Problem.key, Problem.intent, Problem.context, System.name, Output.text, Item.identity)
            .join(Output, Output.problem_id == Problem.id)
            .join(System, System.id == Output.system_id)
            .join(Item, Item.id == Output.item_id)
            .where(Problem.id.in_(chunk))
            .order_by(Problem.position, System.position)
        )
        for problem, key, intent, context, system, text, item in rows:
            yield {
                "problem": key,
                "intent": intent,
                "context": context,
                "references": [text for text, _ in references[problem]],
                "system": system,
                "output": text,
                "item": item,
            }


def references_of(session: Session, problems: Sequence[int]) -> dict[int, list[tuple[str, str | None]]]:
    """Each problem's references with the identities of their items, where they are items."""
    rows = session.execute(
        select(Reference.problem_id, Reference.text, Item.identity)
        .outerjoin(Item, Item.id == Reference.item_id)
        .where(Reference.problem_id.in_(problems))
        .order_by(Reference.problem_id, Reference.position)
    )
    references: dict[int, list[tuple[str, str | None]]] = defaultdict(list)
    for problem_id, text, item in rows:
        references[problem_id].append((text, item))
    return references
