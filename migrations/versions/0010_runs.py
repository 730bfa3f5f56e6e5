"""Where a run's rate is measured from, and what keeps a worker from working

Revision ID: 0010
Revises: 0009
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("measured_from", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("runs", sa.Column("measured_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("workers", sa.Column("trouble", sa.String(20), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("workers", "trouble")
    op.drop_column("runs", "measured_at")
    op.drop_column("runs", "measured_from")
