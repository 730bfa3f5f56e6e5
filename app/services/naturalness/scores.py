"""What the automatic checks say of a whole set: mean scores by transformation and by category."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.perturbations import Category
from app.services.benchmarks.which import tasks_by_row
from app.services.kept import kept_while
from app.services.naturalness.checks import NAMES, checks_for
from app.services.naturalness.runs import changed_rows
from app.statistics.robustness_scores import mean_scores
from app.storage.models import Benchmark, BenchmarkProblem, ChangeScore

DRAWS, SEED = 10_000, 0
Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Checked:
    """How far a set is checked: of ``changed`` rows ``scored`` have a score by some check, ``without`` were compared
    and have none."""

    changed: int
    scored: int
    without: int


@dataclass(frozen=True, slots=True)
class SetScores:
    """MeanScore documents of all checks, by the strata of each; what made them."""

    transformations: list[Document]
    categories: list[Document]
    signatures: dict[str, str]
    draws: int = DRAWS
    seed: int = SEED


def how_far(session: Session, made: Benchmark) -> Checked:
    """Counts of the set's rows."""
    names = {name for check in checks_for(made.language) for name in check.names}
    of_set = changed_rows(made)
    changed = session.scalar(select(func.count()).select_from(BenchmarkProblem).where(*of_set)) or 0
    by_row = (
        select(ChangeScore.problem_id, func.count(ChangeScore.score).label("scores"))
        .join(BenchmarkProblem)
        .where(*of_set, ChangeScore.name.in_(names))
        .group_by(ChangeScore.problem_id)
        .subquery()
    )
    found = select(func.count(), func.count().filter(by_row.c.scores == 0)).select_from(by_row)
    known, without = session.execute(found).one()
    return Checked(changed, known - without, without)


def set_scores(session: Session, made: Benchmark) -> SetScores:
    """The means, kept in this process until scores are added."""
    stamp = tuple(session.execute(_stamp(made)).one())
    return kept_while(session, ("set scores", made.id), stamp, lambda: _set_scores(session, made))


def _stamp(made: Benchmark) -> Any:
    """Each run of the checks only adds or replaces."""
    return (
        select(func.count(), func.max(ChangeScore.run_id), func.sum(ChangeScore.score))
        .join(BenchmarkProblem)
        .where(*changed_rows(made))
    )


def _set_scores(session: Session, made: Benchmark) -> SetScores:
    tasks = tasks_by_row(session, made.id)
    rows = session.execute(
        select(
            *(ChangeScore.name, ChangeScore.signature, ChangeScore.score),
            *(BenchmarkProblem.id, BenchmarkProblem.transformation, BenchmarkProblem.category),
        )
        .join(BenchmarkProblem, BenchmarkProblem.id == ChangeScore.problem_id)
        .where(*changed_rows(made), ChangeScore.score.is_not(None))
        .order_by(BenchmarkProblem.position)
    )
    by_check: dict[str, list[tuple[str, str, str, float]]] = defaultdict(list)
    signatures: dict[str, str] = {}
    for name, signature, score, row, transformation, category in rows:
        by_check[name].append((tasks[row], transformation or "", category or "", float(score or 0.0)))
        signatures[name] = signature
    return SetScores(
        [each for name in NAMES for each in _means(name, by_check[name], 1)],
        [each for name in NAMES for each in _means(name, by_check[name], 2)],
        signatures,
    )


def _means(check: str, rows: list[tuple[str, str, str, float]], stratum: int) -> Iterator[Document]:
    if rows:
        columns = list(zip(*rows, strict=True))
        found = mean_scores(check, columns[0], columns[stratum], columns[3], draws=DRAWS, seed=SEED)
        yield from map(asdict, found)


def of_categories(scores: list[Document], categories: tuple[Category, ...]) -> list[Document]:
    """Of transformations those of these categories; as their names begin."""
    return [each for each in scores if each["stratum"].split("/")[0] in categories]
