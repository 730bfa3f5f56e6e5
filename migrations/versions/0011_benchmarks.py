"""Benchmarks, what models wrote for them, and what became of programs that were run

Revision ID: 0011
Revises: 0010
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
TIME = sa.DateTime(timezone=True)
VERDICTS = "verdict IN ('passed', 'failed', 'error', 'timeout', 'memory', 'blocked', 'sandbox_error', 'not_run')"
ONE_PROGRAM = (
    "(CASE WHEN completion_id IS NULL THEN 0 ELSE 1 END"
    " + CASE WHEN benchmark_problem_id IS NULL THEN 0 ELSE 1 END"
    " + CASE WHEN output_id IS NULL THEN 0 ELSE 1 END) = 1"
)


def upgrade() -> None:
    _benchmarks()
    _generations()
    _columns()
    _executions()


def _points_to(table: str, column: str, other: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{other}.id"], name=op.f(f"fk_{table}_{column}_{other}"))


def _benchmarks() -> None:
    op.create_table(
        "benchmarks",
        sa.Column("slug", sa.String(80), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("layout", sa.String(20), nullable=False),
        sa.Column("language", sa.String(20), nullable=False),
        sa.Column("file_hash", sa.String(64), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.CheckConstraint(
            "layout IN ('humaneval', 'mbpp', 'evalplus', 'own', 'recode', 'study')",
            name=op.f("ck_benchmarks_layout"),
        ),
        _points_to("benchmarks", "user_id", "users"),
        _points_to("benchmarks", "run_id", "runs"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_benchmarks")),
        sa.UniqueConstraint("slug", name=op.f("uq_benchmarks_slug")),
    )
    op.create_index(op.f("ix_benchmarks_file_hash"), "benchmarks", ["file_hash"])
    op.create_table(
        "benchmark_problems",
        sa.Column("benchmark_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("entry_point", sa.String(200), nullable=True),
        sa.Column("tests", sa.Text(), nullable=False),
        sa.Column("canonical_solution", sa.Text(), nullable=True),
        sa.Column("partial", sa.Text(), nullable=True),
        sa.Column("helpers", sa.Text(), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        _points_to("benchmark_problems", "benchmark_id", "benchmarks"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_benchmark_problems")),
        sa.UniqueConstraint("benchmark_id", "key", name=op.f("uq_benchmark_problems_benchmark_id_key")),
    )


def _generations() -> None:
    op.create_table(
        "generations",
        sa.Column("benchmark_id", sa.Integer(), nullable=False),
        sa.Column("label", sa.String(200), nullable=False),
        sa.Column("spec", JSON, nullable=False),
        sa.Column("sampling", JSON, nullable=False),
        sa.Column("samples", sa.Integer(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("prompt_mode", sa.String(20), nullable=False),
        sa.Column("cut_rule", sa.String(40), nullable=False),
        sa.Column("signature", sa.Text(), nullable=True),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.CheckConstraint("samples > 0", name=op.f("ck_generations_samples")),
        _points_to("generations", "benchmark_id", "benchmarks"),
        _points_to("generations", "user_id", "users"),
        _points_to("generations", "run_id", "runs"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_generations")),
    )
    op.create_index(op.f("ix_generations_benchmark_id"), "generations", ["benchmark_id"])
    op.create_table(
        "completions",
        sa.Column("generation_id", sa.Integer(), nullable=False),
        sa.Column("problem_id", sa.Integer(), nullable=False),
        sa.Column("sample", sa.Integer(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("raw", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("finish", sa.String(20), nullable=False),
        sa.Column("trouble", sa.Text(), nullable=True),
        sa.Column("prompt_tokens", sa.Integer(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.CheckConstraint("finish IN ('stop', 'length', 'error')", name=op.f("ck_completions_finish")),
        _points_to("completions", "generation_id", "generations"),
        _points_to("completions", "problem_id", "benchmark_problems"),
        _points_to("completions", "run_id", "runs"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_completions")),
        sa.UniqueConstraint("generation_id", "problem_id", "sample", name=op.f("uq_completions_generation_id_problem_id_sample")),
    )
    op.create_index(op.f("ix_completions_problem_id"), "completions", ["problem_id"])


def _columns() -> None:
    op.add_column("problems", sa.Column("entry_point", sa.String(200), nullable=True))
    op.add_column("problems", sa.Column("code_before", sa.Text(), nullable=True))
    # One statement that both databases know: SQLite need not rebuild the table for it.
    op.execute(
        "ALTER TABLE outputs ADD COLUMN completion_id INTEGER"
        " CONSTRAINT fk_outputs_completion_id_completions REFERENCES completions (id)"
    )
    op.create_index(op.f("ix_outputs_completion_id"), "outputs", ["completion_id"])


def _executions() -> None:
    op.create_table(
        "executions",
        sa.Column("completion_id", sa.Integer(), nullable=True),
        sa.Column("benchmark_problem_id", sa.Integer(), nullable=True),
        sa.Column("output_id", sa.Integer(), nullable=True),
        sa.Column("input_hash", sa.String(64), nullable=False),
        sa.Column("verdict", sa.String(20), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("stderr", sa.Text(), nullable=False),
        sa.Column("stdout", sa.Text(), nullable=False),
        sa.Column("tier", sa.String(20), nullable=True),
        sa.Column("strength", sa.String(20), nullable=True),
        sa.Column("cpu_seconds", sa.Float(), nullable=False),
        sa.Column("wall_seconds", sa.Float(), nullable=False),
        sa.Column("memory_bytes", sa.BigInteger(), nullable=False),
        sa.Column("limits", JSON, nullable=False),
        sa.Column("runtime", sa.String(200), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.CheckConstraint(ONE_PROGRAM, name=op.f("ck_executions_one_program")),
        sa.CheckConstraint(VERDICTS, name=op.f("ck_executions_verdict")),
        _points_to("executions", "completion_id", "completions"),
        _points_to("executions", "benchmark_problem_id", "benchmark_problems"),
        _points_to("executions", "output_id", "outputs"),
        _points_to("executions", "run_id", "runs"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_executions")),
        sa.UniqueConstraint("completion_id", name=op.f("uq_executions_completion_id")),
        sa.UniqueConstraint("benchmark_problem_id", name=op.f("uq_executions_benchmark_problem_id")),
        sa.UniqueConstraint("output_id", name=op.f("uq_executions_output_id")),
    )
    op.create_index("ix_executions_run", "executions", ["run_id"])


def downgrade() -> None:
    op.drop_table("executions")
    with op.batch_alter_table("outputs", schema=None) as outputs:
        outputs.drop_index(op.f("ix_outputs_completion_id"))
        outputs.drop_column("completion_id")  # and its foreign key with it
    op.drop_column("problems", "code_before")
    op.drop_column("problems", "entry_point")
    op.drop_table("completions")
    op.drop_table("generations")
    op.drop_table("benchmark_problems")
    op.drop_table("benchmarks")
