"""Of a survey of a perturbed set: what changed each item, and what automatic checks say of it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Select, exists, select
from sqlalchemy.orm import Session

from app.services.perturbing.variants import key_of_copy
from app.storage.models import (
    Benchmark,
    BenchmarkProblem,
    ChangeScore,
    Item,
    Problem,
    Run,
    Study,
    Variant,
    VariantScore,
)

CHECKS = "change_checks"  # the kind of the runs that score a set's changes
READ_AT_ONCE = 1_000


@dataclass(frozen=True, eq=False)
class Changes:
    """category_of: of each transformation. scores: of each check by item, as far as there are any."""

    category_of: Mapping[str, str]
    scores: Mapping[str, Mapping[str, float]]
    signatures: Mapping[str, str]


class Scored(NamedTuple):
    """What a check says of one of a study's changed texts; ``score`` is missing where it says nothing."""

    variant_id: int
    check: str
    signature: str
    score: float | None


def item_key(problem: str, identity: str) -> str:
    """Names the item by content, so that another installation with the same data gives the same bytes."""
    return f"{problem}\x1f{identity}"


def load_changes(session: Session, study: Study) -> Changes | None:
    """None where the study is no survey of a perturbed set."""
    if study.set_slug is None:
        return None
    rows = session.execute(
        select(Problem.key, Item.identity, Variant.transformation, Variant.category, Variant.id)
        .join(Item, Item.problem_id == Problem.id)
        .join(Variant, Variant.id == Item.variant_id)
        .where(Item.study_id == study.id, Item.role == "main")
        .order_by(Problem.key, Item.identity)
    ).all()
    known: dict[str, dict[int, float]] = defaultdict(dict)
    signatures: dict[str, str] = {}
    for each in scores_of_changes(session, study):
        if each.score is not None:
            known[each.check][each.variant_id] = each.score
            signatures[each.check] = each.signature
    items = {item_key(problem, identity): variant for problem, identity, *_, variant in rows}
    scores = {
        check: {item: of[variant] for item, variant in items.items() if variant in of} for check, of in known.items()
    }
    return Changes({name: category for _, _, name, category, _ in rows}, scores, signatures)


def scores_of_changes(session: Session, study: Study) -> list[Scored]:
    """All that is known, by variant and check. Of each check the study's set speaks where it is here and checked;
    else what came with the study's bundle does, never a mixture of both."""
    found = _of_set(session, study)
    here = {each.check for each in found}
    brought = select(VariantScore.variant_id, VariantScore.name, VariantScore.signature, VariantScore.score)
    mine = brought.join(Variant, Variant.id == VariantScore.variant_id).join(
        Problem, Problem.id == Variant.problem_id
    )
    rows = map(Scored._make, session.execute(mine.where(Problem.study_id == study.id)))
    return sorted([*found, *(each for each in rows if each.check not in here)], key=lambda each: each[:2])


def brings_scores(session: Session, study: Study) -> bool:
    """Whether scores came with the study's bundle."""
    mine = select(Variant.id).join(Problem, Problem.id == Variant.problem_id).where(Problem.study_id == study.id)
    return bool(session.scalar(select(exists().where(VariantScore.variant_id.in_(mine)))))


def _of_set(session: Session, study: Study) -> list[Scored]:
    """A row of another text, as a set of the same name has that is not the one that was asked about, says nothing."""
    asked = _asked(session, study) if study.set_slug is not None else {}
    keys = sorted(asked)
    found: list[Scored] = []
    for start in range(0, len(keys), READ_AT_ONCE):
        for key, prompt, *score in session.execute(_rows_of_set(study, keys[start : start + READ_AT_ONCE])):
            variant, text = asked[key]
            found += [Scored(variant, *score)] if prompt == text else []
    return found


def _asked(session: Session, study: Study) -> dict[str, tuple[int, str]]:
    """The study's changed texts by the keys of the set's rows."""
    rows = session.execute(
        select(Problem.key, Variant.transformation, Variant.seed, Variant.id, Variant.text)
        .join(Variant, Variant.problem_id == Problem.id)
        .where(Problem.study_id == study.id)
        .order_by(Variant.id)
    )
    return {key_of_copy(problem, name, seed): (variant, text) for problem, name, seed, variant, text in rows}


def _rows_of_set(study: Study, keys: Sequence[str]) -> Select[Any]:
    return (
        select(BenchmarkProblem.key, BenchmarkProblem.prompt)
        .add_columns(ChangeScore.name, ChangeScore.signature, ChangeScore.score)
        .join(BenchmarkProblem, BenchmarkProblem.id == ChangeScore.problem_id)
        .join(Benchmark, Benchmark.id == BenchmarkProblem.benchmark_id)
        .where(Benchmark.slug == study.set_slug, BenchmarkProblem.key.in_(keys))
    )


def last_checked(session: Session, study: Study) -> int | None:
    """The newest run that has checked the study's set."""
    here = select(Benchmark.id).where(Benchmark.slug == study.set_slug)
    of_set = Run.payload["set"].as_integer().in_(here)
    done = select(Run.id).where(Run.kind == CHECKS, Run.state == "done", of_set)
    return session.scalar(done.order_by(Run.id.desc()).limit(1))
