"""Which perturbed set a study asks about. A study keeps its short name, by which an imported one finds it again."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.perturbing.variants import key_of_copy
from app.storage.models import Benchmark, BenchmarkProblem, Problem, Study, Variant

LOOKED_AT = 200  # of a study's changed prompts


def set_of(session: Session, study: Study) -> Benchmark | None:
    """The set that a study asks about, where it is here: another set of that name holds other prompts."""
    made = session.scalar(select(Benchmark).where(Benchmark.slug == study.set_slug))
    return made if made is not None and _asks_about(session, study, made) else None


def studies_of(session: Session, made: Benchmark) -> list[Study]:
    """The studies that ask about a set."""
    named = session.scalars(select(Study).where(Study.set_slug == made.slug).order_by(Study.id))
    return [each for each in named if _asks_about(session, each, made)]


def _asks_about(session: Session, study: Study, made: Benchmark) -> bool:
    """Whether the set holds the study's changed prompts, letter by letter."""
    wanted = select(Problem.key, Variant.transformation, Variant.seed, Variant.text)
    mine = wanted.join(Variant, Variant.problem_id == Problem.id).where(Problem.study_id == study.id)
    rows = session.execute(mine.order_by(Variant.id).limit(LOOKED_AT))
    texts = {key_of_copy(problem, name, seed): text for problem, name, seed, text in rows}
    named = (BenchmarkProblem.benchmark_id == made.id, BenchmarkProblem.key.in_(texts))
    found = session.execute(select(BenchmarkProblem.key, BenchmarkProblem.prompt).where(*named))
    return dict(found.all()) == texts
