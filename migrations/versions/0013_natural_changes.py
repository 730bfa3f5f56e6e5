"""Surveys of perturbed sets, and what automatic checks say of their changes

Revision ID: 0013
Revises: 0012
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

KINDS = "'agreement', 'survey', 'enough'"


def upgrade() -> None:
    op.create_table(
        "change_scores",
        sa.Column("problem_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("signature", sa.String(500), nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["problem_id"], ["benchmark_problems.id"], name=op.f("fk_change_scores_problem_id_benchmark_problems")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_change_scores_run_id_runs")),
        sa.PrimaryKeyConstraint("problem_id", "name", name=op.f("pk_change_scores")),
    )
    op.add_column("studies", sa.Column("set_slug", sa.String(80), nullable=True))
    _allow(f"{KINDS}, 'naturalness'")


def downgrade() -> None:
    op.execute("DELETE FROM measurements WHERE kind = 'naturalness'")
    _allow(KINDS)
    op.drop_column("studies", "set_slug")
    op.drop_table("change_scores")


def _allow(kinds: str) -> None:
    """Of measurements these kinds."""
    with op.batch_alter_table("measurements", schema=None) as measurements:
        measurements.drop_constraint(op.f("ck_measurements_kind"), type_="check")
        measurements.create_check_constraint(op.f("ck_measurements_kind"), f"kind IN ({kinds})")
