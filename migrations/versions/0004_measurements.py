"""Measurements: what is found out about the grades alone

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "measurements",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("question", sa.String(80), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("signature", JSON, nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("revision", JSON, nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("kind IN ('agreement', 'survey', 'enough')", name=op.f("ck_measurements_kind")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_measurements_run_id_runs")),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_measurements_study_id_studies")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_measurements")),
        sa.UniqueConstraint("study_id", "kind", "question", name=op.f("uq_measurements_study_id_kind_question")),
    )


def downgrade() -> None:
    op.drop_table("measurements")
