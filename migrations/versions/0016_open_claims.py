"""Open claims are found by an index of themselves, not by one of all assignments by their state

Revision ID: 0016
Revises: 0015
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

OPEN = sa.text("state = 'claimed'")


def upgrade() -> None:
    op.create_index(
        "ix_assignments_open",
        "assignments",
        ["annotator_id", "lease_until"],
        sqlite_where=OPEN,
        postgresql_where=OPEN,
    )
    op.drop_index("ix_assignments_lease", "assignments")


def downgrade() -> None:
    op.create_index("ix_assignments_lease", "assignments", ["state", "lease_until"])
    op.drop_index("ix_assignments_open", "assignments")
