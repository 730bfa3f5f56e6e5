"""Released text for what can't be made here: BackTranslation takes it from an imported set of the same problems.

A problem is the same by its name and its prompt: what was made of another prompt is no change of this one.
"""

from typing import Any

from sqlalchemy import Select, and_, func, select
from sqlalchemy.orm import Session, aliased

from app.perturbations.docstring.back_translation import BackTranslation
from app.services.perturbing.recipes import IMPORTED
from app.storage.models import Benchmark, BenchmarkProblem

TAKEN = BackTranslation().name
_mine, _original, _changed = (aliased(BenchmarkProblem) for _ in range(3))


def released_sets(session: Session, problems_of: int) -> list[Benchmark]:
    """The imported sets that hold text for problems of this benchmark, that with the most of them first."""
    found = _same_problems(problems_of, Benchmark).where(Benchmark.recipe["mode"].as_string() == IMPORTED)
    return list(session.scalars(found.group_by(Benchmark.id).order_by(func.count().desc(), Benchmark.id)))


def released_texts(session: Session, problems_of: int, source: str) -> dict[str, str]:
    """The released prompt of each problem of this benchmark, by the problem's name."""
    found = _same_problems(problems_of, _mine.key, _changed.prompt).where(Benchmark.slug == source)
    return dict(session.execute(found).all())


def _same_problems(problems_of: int, *columns: Any) -> Select[Any]:
    """Of the rows that were released, those whose original is a problem of this benchmark."""
    is_same = and_(_mine.key == _original.key, _mine.prompt == _original.prompt)
    return (
        select(*columns)
        .select_from(Benchmark)
        .join(_changed, _changed.benchmark_id == Benchmark.id)
        .join(_original, _original.id == _changed.origin_id)
        .join(_mine, is_same)
        .where(_changed.transformation == TAKEN, _mine.benchmark_id == problems_of)
    )
