"""The active time of each step, and indexes from which the pages of a big study are read

Revision ID: 0005
Revises: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

NUMBER = {
    "sqlite": "CASE WHEN json_type(details, '$.{0}') IN ('integer', 'real') THEN json_extract(details, '$.{0}') END",
    "postgresql": "CASE WHEN jsonb_typeof(details -> '{0}') = 'number' THEN (details ->> '{0}')::float8 END",
}
FLAGGED = sa.text("flag_note IS NOT NULL")


def upgrade() -> None:
    # Stored on PostgreSQL, whose trigger against changes sees no rewrite; SQLite adds only columns reckoned on reading.
    reckoned = sa.Computed(_active_ms(), persisted=None if op.get_bind().dialect.name == "sqlite" else True)
    op.add_column("grade_events", sa.Column("active_ms", sa.Float(), reckoned, nullable=True))
    op.create_index("ix_grade_events_time", "grade_events", ["annotator_id", "active_ms"])
    op.create_index(
        "ix_assignments_flagged", "assignments", ["annotator_id"], sqlite_where=FLAGGED, postgresql_where=FLAGGED
    )
    op.drop_index("ix_grades_question_id", "grades")
    op.create_index("ix_grades_counted", "grades", ["question_id", "item_id", "surplus", "annotator_id", "value"])


def downgrade() -> None:
    op.drop_index("ix_grades_counted", "grades")
    op.create_index("ix_grades_question_id", "grades", ["question_id"])
    op.drop_index("ix_assignments_flagged", "assignments")
    op.drop_index("ix_grade_events_time", "grade_events")
    op.drop_column("grade_events", "active_ms")


def _active_ms() -> str:
    number = NUMBER[op.get_bind().dialect.name]
    submit, hidden, idle, active = (
        f"({number.format(name)})" for name in ("submit_ms", "hidden_ms", "idle_ms", "active_ms")
    )
    measured = f"coalesce({submit} - coalesce({hidden}, 0) - coalesce({idle}, 0), {active})"
    return f"CASE WHEN kind <> 'flag' THEN {measured} END"
