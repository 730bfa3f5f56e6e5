"""Perturbed sets: benchmarks made from other ones, whose problems are nominal ones and what became of them

Revision ID: 0012
Revises: 0011
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    _points_to("benchmarks", "parent_id", "benchmarks")
    op.add_column("benchmarks", sa.Column("recipe", JSON, nullable=True))
    _points_to("benchmark_problems", "origin_id", "benchmark_problems")
    op.create_index(op.f("ix_benchmark_problems_origin_id"), "benchmark_problems", ["origin_id"])
    op.add_column("benchmark_problems", sa.Column("transformation", sa.String(100), nullable=True))
    op.add_column("benchmark_problems", sa.Column("category", sa.String(20), nullable=True))
    op.add_column("benchmark_problems", sa.Column("perturbation_seed", sa.Integer(), nullable=True))
    op.add_column("benchmark_problems", sa.Column("form", sa.String(10), nullable=False, server_default="whole"))
    op.add_column("benchmark_problems", sa.Column("unchanged", sa.Text(), nullable=True))
    op.add_column("benchmark_problems", sa.Column("oddity", sa.String(40), nullable=True))
    op.add_column("benchmark_problems", sa.Column("code_after", sa.Text(), nullable=False, server_default=""))


def _points_to(table: str, column: str, other: str) -> None:
    """One statement that both databases know: SQLite need not rebuild the table for it."""
    name = f"fk_{table}_{column}_{other}"
    op.execute(f"ALTER TABLE {table} ADD COLUMN {column} INTEGER CONSTRAINT {name} REFERENCES {other} (id)")


def downgrade() -> None:
    with op.batch_alter_table("benchmark_problems", schema=None) as problems:
        problems.drop_index(op.f("ix_benchmark_problems_origin_id"))
        for name in ("code_after", "oddity", "unchanged", "form", "perturbation_seed", "category", "transformation"):
            problems.drop_column(name)
        problems.drop_column("origin_id")  # and its foreign key with it
    with op.batch_alter_table("benchmarks", schema=None) as benchmarks:
        benchmarks.drop_column("recipe")
        benchmarks.drop_column("parent_id")
