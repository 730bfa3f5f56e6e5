"""What automatic checks said of a study's changed prompts where it came from: its perturbed set need not be here

Revision ID: 0015
Revises: 0014
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "variant_scores",
        sa.Column("variant_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("signature", sa.String(500), nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["variant_id"], ["variants.id"], name=op.f("fk_variant_scores_variant_id_variants")
        ),
        sa.PrimaryKeyConstraint("variant_id", "name", name=op.f("pk_variant_scores")),
    )


def downgrade() -> None:
    op.drop_table("variant_scores")
