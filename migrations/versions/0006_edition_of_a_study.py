"""The edition of what a study asks: it tells a web process whether what it remembers still stands

Revision ID: 0006
Revises: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

TABLES = ("instruments", "questions", "form_versions")
VERBS = {"INSERT": "NEW", "UPDATE": "NEW", "DELETE": "OLD"}


def upgrade() -> None:
    op.add_column("studies", sa.Column("edition", sa.Integer(), nullable=False, server_default="0"))
    if op.get_bind().dialect.name == "sqlite":
        for table in TABLES:
            for verb, row in VERBS.items():
                op.execute(
                    f"CREATE TRIGGER {table}_{verb.lower()}_edition AFTER {verb} ON {table} "
                    f"BEGIN UPDATE studies SET edition = edition + 1 WHERE id = {row}.study_id; END"  # a word of ours  # nosec B608
                )
        return
    op.execute(
        "CREATE FUNCTION next_edition() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "UPDATE studies SET edition = edition + 1 "
        "WHERE id = CASE WHEN TG_OP = 'DELETE' THEN OLD.study_id ELSE NEW.study_id END; "
        "RETURN NULL; END $$"
    )
    for table in TABLES:
        op.execute(
            f"CREATE TRIGGER {table}_edition AFTER INSERT OR UPDATE OR DELETE ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION next_edition()"
        )


def downgrade() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    for table in TABLES:
        if is_sqlite:
            for verb in VERBS:
                op.execute(f"DROP TRIGGER {table}_{verb.lower()}_edition")
        else:
            op.execute(f"DROP TRIGGER {table}_edition ON {table}")
    if not is_sqlite:
        op.execute("DROP FUNCTION next_edition()")
    op.drop_column("studies", "edition")
