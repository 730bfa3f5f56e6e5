"""Problems by their place: a perturbed set has tens of thousands, and its pages ask for one, and for the last

Revision ID: 0014
Revises: 0013
"""

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

NAME, TABLE = "ix_benchmark_problems_place", "benchmark_problems"


def upgrade() -> None:
    op.create_index(NAME, TABLE, ["benchmark_id", "position"])


def downgrade() -> None:
    op.drop_index(NAME, TABLE)
