"""Instruments, forms and their versions, kinds of items, variants, the annotator's way

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from app.errors import Conflict

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
TIME = sa.DateTime(timezone=True)
STAGES = (
    "stage IN ('consent', 'profile', 'instructions', 'practice', 'grading', 'closing', 'done', 'failed', 'declined')"
)


def upgrade() -> None:
    _create_tables()
    _add_plain_columns()
    _add_instruments_of_what_is_there()
    _widen_grades()
    for table in ("form_versions", "form_responses"):
        _refuse_changes(table)


def _create_tables() -> None:
    op.create_table(
        "form_versions",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("content", JSON, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.CheckConstraint(
            "kind IN ('consent', 'profile', 'closing', 'questionnaire')", name=op.f("ck_form_versions_kind")
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_form_versions_study_id_studies")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_form_versions")),
        sa.UniqueConstraint("study_id", "kind", "number", name=op.f("uq_form_versions_study_id_kind_number")),
    )
    op.create_index(op.f("ix_form_versions_study_id"), "form_versions", ["study_id"])
    op.create_table(
        "instruments",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("instructions", sa.Text(), nullable=False),
        sa.Column("grades_per_item", sa.Integer(), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.CheckConstraint("kind IN ('output', 'prompt', 'pair')", name=op.f("ck_instruments_kind")),
        sa.CheckConstraint("grades_per_item > 0", name=op.f("ck_instruments_grades_per_item")),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_instruments_study_id_studies")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_instruments")),
        sa.UniqueConstraint("study_id", "name", name=op.f("uq_instruments_study_id_name")),
    )
    op.create_index(op.f("ix_instruments_study_id"), "instruments", ["study_id"])
    op.create_table(
        "form_responses",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("form_version_id", sa.Integer(), nullable=False),
        sa.Column("answers", JSON, nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["annotators.id"], name=op.f("fk_form_responses_annotator_id_annotators")
        ),
        sa.ForeignKeyConstraint(
            ["form_version_id"], ["form_versions.id"], name=op.f("fk_form_responses_form_version_id_form_versions")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_form_responses")),
    )
    op.create_index(op.f("ix_form_responses_annotator_id"), "form_responses", ["annotator_id"])
    op.create_table(
        "variants",
        sa.Column("problem_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("transformation", sa.String(80), nullable=False),
        sa.Column("category", sa.String(40), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("original", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.CheckConstraint("kind IN ('prompt', 'code')", name=op.f("ck_variants_kind")),
        sa.ForeignKeyConstraint(["problem_id"], ["problems.id"], name=op.f("fk_variants_problem_id_problems")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_variants_run_id_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_variants")),
        sa.UniqueConstraint(
            "problem_id",
            "kind",
            "transformation",
            "seed",
            name=op.f("uq_variants_problem_id_kind_transformation_seed"),
        ),
    )


def _add_plain_columns() -> None:
    with op.batch_alter_table("studies") as batch:
        batch.add_column(sa.Column("options", JSON, nullable=False, server_default="{}"))
        batch.add_column(sa.Column("message", sa.Text(), nullable=False, server_default=""))
    with op.batch_alter_table("problems") as batch:
        batch.add_column(sa.Column("image_alt", sa.Text(), nullable=True))
    with op.batch_alter_table("invitations") as batch:
        batch.add_column(sa.Column("source", sa.String(20), nullable=False, server_default="link"))
        batch.add_column(sa.Column("opens_at", TIME, nullable=True))
    with op.batch_alter_table("assignments") as batch:
        batch.add_column(sa.Column("swapped", sa.Boolean(), nullable=False, server_default=sa.false()))
        batch.add_column(sa.Column("skip_reason", sa.Text(), nullable=True))
    with op.batch_alter_table("annotators") as batch:
        batch.add_column(sa.Column("stage", sa.String(20), nullable=False, server_default="grading"))
        batch.add_column(sa.Column("stage_since", TIME, nullable=True))
        batch.add_column(sa.Column("practice_tries", sa.Integer(), nullable=False, server_default="0"))
        batch.add_column(sa.Column("source", sa.String(20), nullable=False, server_default="link"))
        batch.add_column(sa.Column("external_id", sa.String(200), nullable=True))
        batch.add_column(sa.Column("crowd", JSON, nullable=True))
        batch.add_column(sa.Column("excluded_at", TIME, nullable=True))
        batch.add_column(sa.Column("excluded_reason", sa.Text(), nullable=True))
        batch.create_unique_constraint(
            op.f("uq_annotators_study_id_source_external_id"), ["study_id", "source", "external_id"]
        )
        batch.create_check_constraint(
            op.f("ck_annotators_source"), "source IN ('link', 'id', 'prolific', 'mturk')"
        )
        batch.create_check_constraint(op.f("ck_annotators_stage"), STAGES)


def _add_instruments_of_what_is_there() -> None:
    """Each study has asked one question about outputs so far: one instrument, named like the question."""
    op.execute(
        "INSERT INTO instruments (study_id, position, name, title, kind, instructions) "
        "SELECT id, 0, COALESCE((SELECT name FROM questions WHERE study_id = studies.id "
        "ORDER BY position, id LIMIT 1), 'helpfulness'), '', 'output', '' FROM studies ORDER BY id"
    )
    with op.batch_alter_table("questions") as batch:
        batch.add_column(sa.Column("instrument_id", sa.Integer(), nullable=True))
        batch.add_column(sa.Column("kind", sa.String(20), nullable=False, server_default="choice"))
        batch.add_column(sa.Column("help", sa.Text(), nullable=False, server_default=""))
        batch.add_column(sa.Column("required", sa.Boolean(), nullable=False, server_default=sa.true()))
    with op.batch_alter_table("items") as batch:
        batch.add_column(sa.Column("instrument_id", sa.Integer(), nullable=True))
    for table in ("questions", "items"):
        op.execute(
            f"UPDATE {table} SET instrument_id = "  # the two names stand above  # nosec B608
            f"(SELECT id FROM instruments WHERE instruments.study_id = {table}.study_id)"
        )
    _finish_questions()
    _finish_items()


def _finish_questions() -> None:
    with op.batch_alter_table("questions") as batch:
        batch.alter_column("instrument_id", existing_type=sa.Integer(), nullable=False)
        batch.create_index(op.f("ix_questions_instrument_id"), ["instrument_id"])
        batch.create_check_constraint(
            op.f("ck_questions_kind"), "kind IN ('choice', 'labels', 'number', 'comment')"
        )
        batch.create_foreign_key(
            op.f("fk_questions_instrument_id_instruments"), "instruments", ["instrument_id"], ["id"]
        )


def _finish_items() -> None:
    with op.batch_alter_table("items") as batch:
        batch.alter_column("instrument_id", existing_type=sa.Integer(), nullable=False)
        batch.add_column(sa.Column("original", sa.Text(), nullable=True))
        batch.add_column(sa.Column("role", sa.String(20), nullable=False, server_default="main"))
        batch.add_column(sa.Column("stratum", sa.String(80), nullable=False, server_default=""))
        batch.add_column(sa.Column("skips", sa.Integer(), nullable=False, server_default="0"))
        batch.add_column(sa.Column("retired_at", TIME, nullable=True))
        batch.add_column(sa.Column("variant_id", sa.Integer(), nullable=True))
        batch.add_column(sa.Column("repeats_id", sa.Integer(), nullable=True))
        batch.add_column(sa.Column("expected", JSON, nullable=True))
        batch.drop_constraint(op.f("uq_items_problem_id_identity"), type_="unique")
        batch.drop_index("ix_items_next")
        batch.create_index("ix_items_next", ["instrument_id", "role", "is_reference", "load", "shuffle"])
        batch.create_index(op.f("ix_items_problem_id"), ["problem_id"])
        batch.create_index(op.f("ix_items_study_id"), ["study_id"])
        batch.create_index(op.f("ix_items_variant_id"), ["variant_id"])
        batch.create_unique_constraint(
            op.f("uq_items_instrument_id_problem_id_identity"), ["instrument_id", "problem_id", "identity"]
        )
        batch.create_check_constraint(
            op.f("ck_items_role"), "role IN ('main', 'practice', 'loud', 'silent', 'repeat')"
        )
        batch.create_foreign_key(op.f("fk_items_repeats_id_items"), "items", ["repeats_id"], ["id"])
        batch.create_foreign_key(op.f("fk_items_instrument_id_instruments"), "instruments", ["instrument_id"], ["id"])
        batch.create_foreign_key(op.f("fk_items_variant_id_variants"), "variants", ["variant_id"], ["id"])


def _widen_grades() -> None:
    with op.batch_alter_table("grades") as batch:
        batch.alter_column("value", existing_type=sa.Float(), nullable=True)
        batch.add_column(sa.Column("text", sa.Text(), nullable=True))
        batch.add_column(sa.Column("questionnaire_id", sa.Integer(), nullable=True))
        batch.create_foreign_key(
            op.f("fk_grades_questionnaire_id_form_versions"), "form_versions", ["questionnaire_id"], ["id"]
        )
    with op.batch_alter_table("grade_events") as batch:
        batch.add_column(sa.Column("text", sa.Text(), nullable=True))
        batch.add_column(sa.Column("previous_text", sa.Text(), nullable=True))
        batch.add_column(sa.Column("questionnaire_id", sa.Integer(), nullable=True))
        batch.add_column(sa.Column("part", sa.Integer(), nullable=False, server_default="0"))
        batch.drop_constraint(op.f("uq_grade_events_submission_id"), type_="unique")
        batch.create_unique_constraint(op.f("uq_grade_events_submission_id_part"), ["submission_id", "part"])
        batch.create_foreign_key(
            op.f("fk_grade_events_questionnaire_id_form_versions"), "form_versions", ["questionnaire_id"], ["id"]
        )
    _restore_refusal_on_sqlite("grade_events")


def downgrade() -> None:
    _refuse_what_would_be_lost()
    for table in ("form_versions", "form_responses", "grade_events"):
        _allow_changes(table)
    _narrow_grades()
    _drop_item_columns()
    _drop_plain_columns()
    for table in ("variants", "form_responses", "instruments", "form_versions"):
        op.drop_table(table)


def _refuse_what_would_be_lost() -> None:
    """An older schema knows one kind of item: what several instruments made of one output would fall together."""
    twice = sa.text("SELECT 1 FROM items GROUP BY problem_id, identity HAVING count(*) > 1 LIMIT 1")
    if op.get_bind().scalar(twice):
        raise Conflict(
            "A study has several instruments, for which the schema 0001 has no place.",
            remedy="Stay at 0002 or newer. Nothing was changed.",
        )


def _narrow_grades() -> None:
    op.execute("UPDATE grade_events SET submission_id = NULL WHERE part > 0")
    with op.batch_alter_table("grade_events") as batch:
        batch.drop_constraint(op.f("fk_grade_events_questionnaire_id_form_versions"), type_="foreignkey")
        batch.drop_constraint(op.f("uq_grade_events_submission_id_part"), type_="unique")
        batch.create_unique_constraint(op.f("uq_grade_events_submission_id"), ["submission_id"])
        for column in ("part", "questionnaire_id", "previous_text", "text"):
            batch.drop_column(column)
    _refuse_changes("grade_events")
    op.execute("DELETE FROM grades WHERE value IS NULL")
    with op.batch_alter_table("grades") as batch:
        batch.drop_constraint(op.f("fk_grades_questionnaire_id_form_versions"), type_="foreignkey")
        batch.alter_column("value", existing_type=sa.Float(), nullable=False)
        for column in ("questionnaire_id", "text"):
            batch.drop_column(column)


def _drop_item_columns() -> None:
    with op.batch_alter_table("items") as batch:
        for key in ("variant_id_variants", "instrument_id_instruments", "repeats_id_items"):
            batch.drop_constraint(op.f(f"fk_items_{key}"), type_="foreignkey")
        batch.drop_constraint(op.f("uq_items_instrument_id_problem_id_identity"), type_="unique")
        batch.drop_constraint(op.f("ck_items_role"), type_="check")
        for index in ("ix_items_variant_id", "ix_items_study_id", "ix_items_problem_id", "ix_items_next"):
            batch.drop_index(index)
        batch.create_index("ix_items_next", ["study_id", "is_reference", "load", "shuffle"])
        batch.create_unique_constraint(op.f("uq_items_problem_id_identity"), ["problem_id", "identity"])
        for column in (
            *("expected", "repeats_id", "variant_id", "retired_at", "skips"),
            *("stratum", "role", "original", "instrument_id"),
        ):
            batch.drop_column(column)
    with op.batch_alter_table("questions") as batch:
        batch.drop_constraint(op.f("fk_questions_instrument_id_instruments"), type_="foreignkey")
        batch.drop_constraint(op.f("ck_questions_kind"), type_="check")
        batch.drop_index("ix_questions_instrument_id")
        for column in ("required", "help", "kind", "instrument_id"):
            batch.drop_column(column)


def _drop_plain_columns() -> None:
    with op.batch_alter_table("annotators") as batch:
        batch.drop_constraint(op.f("uq_annotators_study_id_source_external_id"), type_="unique")
        for check in ("source", "stage"):
            batch.drop_constraint(op.f(f"ck_annotators_{check}"), type_="check")
        for column in (
            *("excluded_reason", "excluded_at", "crowd", "external_id", "source"),
            *("practice_tries", "stage_since", "stage"),
        ):
            batch.drop_column(column)
    for table, columns in (
        ("assignments", ("skip_reason", "swapped")),
        ("invitations", ("opens_at", "source")),
        ("problems", ("image_alt",)),
        ("studies", ("message", "options")),
    ):
        with op.batch_alter_table(table) as batch:
            for column in columns:
                batch.drop_column(column)


def _refuse_changes(table: str) -> None:
    """Histories only grow: the database itself refuses to change or delete a row."""
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
        return
    op.execute(
        f"CREATE FUNCTION {table}_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{table} is append-only'; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION {table}_append_only()"
    )


def _restore_refusal_on_sqlite(table: str) -> None:
    """SQLite rebuilt the table, and its triggers went with the old one."""
    if op.get_bind().dialect.name == "sqlite":
        _refuse_changes(table)


def _allow_changes(table: str) -> None:
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("update", "delete"):
            op.execute(f"DROP TRIGGER {table}_no_{verb}")
        return
    op.execute(f"DROP TRIGGER {table}_append_only ON {table}")
    op.execute(f"DROP FUNCTION {table}_append_only()")
