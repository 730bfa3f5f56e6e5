"""Limits that several web processes share, the devices of sessions, and who users are at an OpenID Connect provider

Revision ID: 0007
Revises: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("sign_ins", sa.Column("device", sa.String(60), server_default="", nullable=False))
    op.create_table(
        "rate_limits",
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("level", sa.Double(), nullable=False),
        sa.Column("wait", sa.Double(), nullable=False),
        sa.Column("since", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_rate_limits")),
    )
    op.create_index(op.f("ix_rate_limits_since"), "rate_limits", ["since"])
    op.create_table(
        "user_identities",
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("issuer", sa.String(500), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_user_identities_user_id_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user_identities")),
        sa.UniqueConstraint("issuer", "subject", name=op.f("uq_user_identities_issuer_subject")),
        sa.UniqueConstraint("user_id", "issuer", name=op.f("uq_user_identities_user_id_issuer")),
    )


def downgrade() -> None:
    op.drop_column("sign_ins", "device")
    op.drop_table("user_identities")
    op.drop_index(op.f("ix_rate_limits_since"), "rate_limits")
    op.drop_table("rate_limits")
