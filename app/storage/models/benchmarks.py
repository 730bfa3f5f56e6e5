"""What models are asked: benchmarks, their problems, and what running programs against their tests came to."""

from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Float, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.storage.base import Base, Dated, Identified


class Benchmark(Identified, Dated, Base):
    """Problems with tests, as a file brought them. The same file in the same layout is the same benchmark.

    In the layout 'recode' it is a perturbed set: the problems of the benchmark ``parent_id`` (None: of a released
    folder) and what became of them. ``recipe`` says what the set is to hold: mode, transformations, seeds, source.
    """

    __tablename__ = "benchmarks"
    __table_args__ = (
        CheckConstraint("layout IN ('humaneval', 'mbpp', 'evalplus', 'own', 'recode', 'study')", name="layout"),
    )

    slug: Mapped[str] = mapped_column(String(80), unique=True)
    name: Mapped[str] = mapped_column(String(200))
    layout: Mapped[str] = mapped_column(String(20))
    language: Mapped[str] = mapped_column(String(20), default="python")
    file_hash: Mapped[str] = mapped_column(String(64), index=True)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    run_id: Mapped[int | None] = mapped_column(ForeignKey("runs.id"))  # the run that checks its canonical solutions
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("benchmarks.id"))
    recipe: Mapped[dict[str, Any] | None]


class BenchmarkProblem(Identified, Base):
    """One prompt with the tests that judge what continues it.

    ``tests`` define ``check(candidate)``, or assert by themselves; ``helpers`` is source that the tests need around
    them. ``canonical_solution`` continues the prompt; ``partial`` is the visible half of it.

    In a perturbed set a row is nominal (no ``transformation``) or what a transformation made of the row
    ``origin_id`` by ``perturbation_seed``. ``form``: "half" where the prompt ends with half of the solution; a
    nominal half belongs to its whole. ``unchanged`` says why the prompt is the origin's: such a row is never asked
    nor run, since the origin's completions are its own. ``oddity``: words for what is wrong with a row;
    ``code_after`` follows each program of it, as an alias of a renamed function that is called by its old name.
    """

    __tablename__ = "benchmark_problems"
    __table_args__ = (
        UniqueConstraint("benchmark_id", "key"),
        Index("ix_benchmark_problems_place", "benchmark_id", "position"),  # of a set with tens of thousands of rows
    )

    benchmark_id: Mapped[int] = mapped_column(ForeignKey("benchmarks.id"))
    key: Mapped[str] = mapped_column(String(200))  # the data set's task_id
    position: Mapped[int]
    prompt: Mapped[str] = mapped_column(Text)
    entry_point: Mapped[str | None] = mapped_column(String(200))
    tests: Mapped[str] = mapped_column(Text)
    canonical_solution: Mapped[str | None] = mapped_column(Text)
    partial: Mapped[str | None] = mapped_column(Text)
    helpers: Mapped[str] = mapped_column(Text, default="")
    origin_id: Mapped[int | None] = mapped_column(ForeignKey("benchmark_problems.id"), index=True)
    transformation: Mapped[str | None] = mapped_column(String(100))
    category: Mapped[str | None] = mapped_column(String(20))
    perturbation_seed: Mapped[int | None]
    form: Mapped[str] = mapped_column(String(10), default="whole", server_default="whole")
    unchanged: Mapped[str | None] = mapped_column(Text)
    oddity: Mapped[str | None] = mapped_column(String(40))
    code_after: Mapped[str] = mapped_column(Text, default="", server_default="")


class ChangeScore(Base):
    """How alike a changed row of a perturbed set is to its origin, by one automatic check.

    Rows never change, so a score stands as long as its ``signature`` is the check's own. ``score`` is missing where
    the check says nothing, as data flow of a program that doesn't parse.
    """

    __tablename__ = "change_scores"

    problem_id: Mapped[int] = mapped_column(ForeignKey("benchmark_problems.id"), primary_key=True)
    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    signature: Mapped[str] = mapped_column(String(500))
    score: Mapped[float | None] = mapped_column(Float)
    run_id: Mapped[int | None] = mapped_column(ForeignKey("runs.id"))


class Execution(Identified, Dated, Base):
    """What became of one program: a completion, a benchmark's canonical solution, or a study's output.

    ``input_hash`` covers all that the verdict depends on but the machine: an execution whose inputs changed is made
    again. There is one for each program, the newest.
    """

    __tablename__ = "executions"
    __table_args__ = (
        CheckConstraint(
            "(CASE WHEN completion_id IS NULL THEN 0 ELSE 1 END"
            " + CASE WHEN benchmark_problem_id IS NULL THEN 0 ELSE 1 END"
            " + CASE WHEN output_id IS NULL THEN 0 ELSE 1 END) = 1",
            name="one_program",
        ),
        CheckConstraint(
            "verdict IN ('passed', 'failed', 'error', 'timeout', 'memory', 'blocked', 'sandbox_error', 'not_run')",
            name="verdict",
        ),
        Index("ix_executions_run", "run_id"),
    )

    completion_id: Mapped[int | None] = mapped_column(ForeignKey("completions.id"), unique=True)
    benchmark_problem_id: Mapped[int | None] = mapped_column(ForeignKey("benchmark_problems.id"), unique=True)
    output_id: Mapped[int | None] = mapped_column(ForeignKey("outputs.id"), unique=True)
    input_hash: Mapped[str] = mapped_column(String(64))
    verdict: Mapped[str] = mapped_column(String(20))
    reason: Mapped[str] = mapped_column(Text, default="")
    stderr: Mapped[str] = mapped_column(Text, default="")
    stdout: Mapped[str] = mapped_column(Text, default="")
    tier: Mapped[str | None] = mapped_column(String(20))  # which wall stood around it; None where nothing ran
    strength: Mapped[str | None] = mapped_column(String(20))
    cpu_seconds: Mapped[float] = mapped_column(Float, default=0.0)
    wall_seconds: Mapped[float] = mapped_column(Float, default=0.0)
    memory_bytes: Mapped[int] = mapped_column(BigInteger, default=0)
    limits: Mapped[dict[str, Any]]
    runtime: Mapped[str] = mapped_column(String(200), default="")
    run_id: Mapped[int | None] = mapped_column(ForeignKey("runs.id"))
