"""Of a survey of a perturbed set: what changed each item, and what automatic checks say of it."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.perturbing.variants import HALF_MARK
from app.storage.models import Benchmark, BenchmarkProblem, ChangeScore, Item, Problem, Run, Study, Variant

CHECKS = "change_checks"  # the kind of the runs that score a set's changes


@dataclass(frozen=True, eq=False)
class Changes:
    """category_of: of each transformation. scores: of each check by item, as far as there are any."""

    category_of: Mapping[str, str]
    scores: Mapping[str, Mapping[str, float]]
    signatures: Mapping[str, str]


def item_key(problem: str, identity: str) -> str:
    """Names the item by content, so that another installation with the same data gives the same bytes."""
    return f"{problem}\x1f{identity}"


def load_changes(session: Session, study: Study) -> Changes | None:
    """None where the study is no survey of a perturbed set."""
    if study.set_slug is None:
        return None
    rows = session.execute(
        select(Problem.key, Item.identity, Variant.transformation, Variant.category, Variant.seed)
        .join(Item, Item.problem_id == Problem.id)
        .join(Variant, Variant.id == Item.variant_id)
        .where(Item.study_id == study.id, Item.role == "main")
        .order_by(Problem.key, Item.identity)
    ).all()
    # As the set's rows are called: see app.services.perturbing.variants.
    items = {
        item_key(problem, identity): f"{problem.removesuffix(HALF_MARK)} · {name} · {seed}"
        for problem, identity, name, _, seed in rows
    }
    known, signatures = _scores(session, study.set_slug, sorted(set(items.values())))
    scores = {
        check: {item: by_row[row] for item, row in items.items() if row in by_row} for check, by_row in known.items()
    }
    return Changes({name: category for _, _, name, category, _ in rows}, scores, signatures)


def _scores(session: Session, set_slug: str, keys: list[str]) -> tuple[dict[str, dict[str, float]], dict[str, str]]:
    """By check and row, and each check's signature."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    signatures: dict[str, str] = {}
    rows = session.execute(
        select(ChangeScore.name, ChangeScore.signature, BenchmarkProblem.key, ChangeScore.score)
        .join(BenchmarkProblem, BenchmarkProblem.id == ChangeScore.problem_id)
        .join(Benchmark, Benchmark.id == BenchmarkProblem.benchmark_id)
        .where(Benchmark.slug == set_slug, BenchmarkProblem.key.in_(keys), ChangeScore.score.is_not(None))
        .order_by(ChangeScore.name, BenchmarkProblem.key)
    )
    for name, signature, key, score in rows:
        found[name][key] = float(score or 0.0)  # one that is missing was left out
        signatures[name] = signature
    return found, signatures


def last_checked(session: Session, study: Study) -> int | None:
    """The newest run that has checked the study's set."""
    here = select(Benchmark.id).where(Benchmark.slug == study.set_slug)
    of_set = Run.payload["set"].as_integer().in_(here)
    done = select(Run.id).where(Run.kind == CHECKS, Run.state == "done", of_set)
    return session.scalar(done.order_by(Run.id.desc()).limit(1))
