"""Indexes from which a study's live page is counted

Revision ID: 0003
Revises: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

LEFT_OUT = sa.text("NOT gradable OR retired_at IS NOT NULL")


def upgrade() -> None:
    op.create_index("ix_assignments_pace", "assignments", ["annotator_id", "state", "surplus", "finished_at"])
    op.create_index(
        "ix_items_left_out",
        "items",
        ["instrument_id", "load"],
        sqlite_where=LEFT_OUT,
        postgresql_where=LEFT_OUT,
    )


def downgrade() -> None:
    op.drop_index("ix_items_left_out", "items")
    op.drop_index("ix_assignments_pace", "assignments")
