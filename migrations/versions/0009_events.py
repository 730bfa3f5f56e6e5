"""Events: what happened in studies, for programs that listen, and addresses that are told

Revision ID: 0009
Revises: 0008
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "study_events",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("data", JSON, nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_study_events_study_id_studies")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_study_events")),
        sa.UniqueConstraint("key", name=op.f("uq_study_events_key")),
    )
    op.create_index("ix_study_events_stream", "study_events", ["study_id", "id"])
    op.create_table(
        "event_marks",
        sa.Column("grade_event_id", sa.Integer(), nullable=False),
        sa.Column("audit_event_id", sa.Integer(), nullable=False),
        sa.Column("runs_at", TIME, nullable=False),
        sa.Column("grades_at", TIME, nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event_marks")),
    )
    op.create_index("ix_runs_finished", "runs", ["finished_at"])
    op.create_table(
        "webhooks",
        sa.Column("public_id", sa.String(32), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("url", sa.String(2000), nullable=False),
        sa.Column("kinds", JSON, nullable=False),
        sa.Column("secret", sa.String(100), nullable=False),
        sa.Column("disabled_at", TIME, nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_webhooks_study_id_studies")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhooks")),
        sa.UniqueConstraint("public_id", name=op.f("uq_webhooks_public_id")),
    )
    op.create_index(op.f("ix_webhooks_study_id"), "webhooks", ["study_id"])
    op.create_table(
        "webhook_deliveries",
        sa.Column("public_id", sa.String(40), nullable=False),
        sa.Column("webhook_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", TIME, nullable=False),
        sa.Column("last_status", sa.Integer(), nullable=True),
        sa.Column("last_error", sa.String(300), nullable=False),
        sa.Column("ended_at", TIME, nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.CheckConstraint(
            "state IN ('waiting', 'delivered', 'failed')", name=op.f("ck_webhook_deliveries_state")
        ),
        sa.ForeignKeyConstraint(["webhook_id"], ["webhooks.id"], name=op.f("fk_webhook_deliveries_webhook_id_webhooks")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_deliveries")),
        sa.UniqueConstraint("public_id", name=op.f("uq_webhook_deliveries_public_id")),
    )
    op.create_index(op.f("ix_webhook_deliveries_webhook_id"), "webhook_deliveries", ["webhook_id"])
    op.create_index("ix_webhook_deliveries_due", "webhook_deliveries", ["state", "next_at"])


def downgrade() -> None:
    op.drop_table("webhook_deliveries")
    op.drop_table("webhooks")
    op.drop_index("ix_runs_finished", "runs")
    op.drop_table("event_marks")
    op.drop_table("study_events")
