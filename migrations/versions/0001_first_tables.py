"""First tables

Revision ID: 0001
Revises:
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "studies",
        sa.Column("slug", sa.String(length=80), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("instructions", sa.Text(), nullable=False),
        sa.Column("notice", sa.Text(), nullable=False),
        sa.Column("language", sa.String(length=40), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("grades_per_item", sa.Integer(), nullable=False),
        sa.Column("claim_minutes", sa.Integer(), nullable=False),
        sa.Column("merge_identical", sa.Boolean(), nullable=False),
        sa.Column("include_references", sa.Boolean(), nullable=False),
        sa.Column("codebleu_variant", sa.String(length=20), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("state IN ('draft', 'open', 'paused', 'closed')", name=op.f("ck_studies_state")),
        sa.CheckConstraint("claim_minutes > 0", name=op.f("ck_studies_claim_minutes")),
        sa.CheckConstraint("grades_per_item > 0", name=op.f("ck_studies_grades_per_item")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studies")),
        sa.UniqueConstraint("slug", name=op.f("uq_studies_slug")),
    )
    op.create_table(
        "users",
        sa.Column("email", sa.String(length=320), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("password_hash", sa.String(length=300), nullable=False),
        sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("role IN ('admin', 'researcher')", name=op.f("ck_users_role")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("email", name=op.f("uq_users_email")),
    )
    op.create_table(
        "artifacts",
        sa.Column("study_id", sa.Integer(), nullable=True),
        sa.Column("public_id", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("file_name", sa.String(length=300), nullable=False),
        sa.Column("media_type", sa.String(length=100), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_artifacts_study_id_studies")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_artifacts")),
        sa.UniqueConstraint("public_id", name=op.f("uq_artifacts_public_id")),
    )
    with op.batch_alter_table("artifacts", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_artifacts_sha256"), ["sha256"], unique=False)
        batch_op.create_index(batch_op.f("ix_artifacts_study_id"), ["study_id"], unique=False)

    op.create_table(
        "audit_events",
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.String(length=320), nullable=False),
        sa.Column("action", sa.String(length=80), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=True),
        sa.Column(
            "details",
            sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"),
            nullable=False,
        ),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_audit_events_study_id_studies")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_events")),
    )
    with op.batch_alter_table("audit_events", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_audit_events_study_id"), ["study_id"], unique=False)

    op.create_table(
        "invitations",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("label", sa.String(length=200), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("max_uses", sa.Integer(), nullable=True),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("max_uses IS NULL OR uses <= max_uses", name=op.f("ck_invitations_uses")),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_invitations_study_id_studies")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_invitations_token_hash")),
    )
    with op.batch_alter_table("invitations", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_invitations_study_id"), ["study_id"], unique=False)

    op.create_table(
        "annotators",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("pseudonym", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=True),
        sa.Column("order_seed", sa.BigInteger(), nullable=False),
        sa.Column("stopped_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("invitation_id", sa.Integer(), nullable=True),
        sa.Column("ticket_hash", sa.String(length=64), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("kind IN ('person', 'simulated', 'imported')", name=op.f("ck_annotators_kind")),
        sa.ForeignKeyConstraint(
            ["invitation_id"], ["invitations.id"], name=op.f("fk_annotators_invitation_id_invitations")
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_annotators_study_id_studies")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotators")),
        sa.UniqueConstraint("ticket_hash", name=op.f("uq_annotators_ticket_hash")),
        sa.UniqueConstraint("study_id", "pseudonym", name=op.f("uq_annotators_study_id_pseudonym")),
    )
    with op.batch_alter_table("annotators", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_annotators_study_id"), ["study_id"], unique=False)

    op.create_table(
        "questions",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column(
            "scale",
            sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"),
            nullable=False,
        ),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_questions_study_id_studies")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_questions")),
        sa.UniqueConstraint("study_id", "name", name=op.f("uq_questions_study_id_name")),
    )
    with op.batch_alter_table("questions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_questions_study_id"), ["study_id"], unique=False)

    op.create_table(
        "runs",
        sa.Column("public_id", sa.String(length=32), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=True),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("queue", sa.String(length=20), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column(
            "payload",
            sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"),
            nullable=False,
        ),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("unit", sa.String(length=40), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("trace", sa.Text(), nullable=True),
        sa.Column(
            "result",
            sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"),
            nullable=True,
        ),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("worker", sa.String(length=200), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cancel_requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "state IN ('queued', 'running', 'done', 'failed', 'cancelled')", name=op.f("ck_runs_state")
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_runs_study_id_studies")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_runs_user_id_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sa.UniqueConstraint("public_id", name=op.f("uq_runs_public_id")),
    )
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_runs_study_id"), ["study_id"], unique=False)
        batch_op.create_index("ix_runs_waiting", ["state", "published_at"], unique=False)

    op.create_table(
        "workers",
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column(
            "queues",
            sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"),
            nullable=False,
        ),
        sa.Column("concurrency", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workers")),
        sa.UniqueConstraint("name", name=op.f("uq_workers_name")),
    )
    op.create_table(
        "setup_links",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_setup_links_user_id_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_setup_links")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_setup_links_token_hash")),
    )
    op.create_table(
        "systems",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_systems_study_id_studies")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_systems")),
        sa.UniqueConstraint("study_id", "name", name=op.f("uq_systems_study_id_name")),
    )
    op.create_table(
        "analyses",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column(
            "parameters",
            sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"),
            nullable=False,
        ),
        sa.Column(
            "signature",
            sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"),
            nullable=False,
        ),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("pairs", sa.Text(), nullable=False),
        sa.Column(
            "revision", sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"), nullable=False
        ),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_analyses_run_id_runs")),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_analyses_study_id_studies")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_analyses")),
        sa.UniqueConstraint("study_id", "fingerprint", name=op.f("uq_analyses_study_id_fingerprint")),
    )
    with op.batch_alter_table("analyses", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_analyses_study_id"), ["study_id"], unique=False)

    op.create_table(
        "personal_links",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["annotators.id"], name=op.f("fk_personal_links_annotator_id_annotators")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_personal_links")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_personal_links_token_hash")),
    )
    with op.batch_alter_table("personal_links", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_personal_links_annotator_id"), ["annotator_id"], unique=False)

    op.create_table(
        "problems",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("intent", sa.Text(), nullable=True),
        sa.Column("context", sa.Text(), nullable=True),
        sa.Column("tests", sa.Text(), nullable=True),
        sa.Column("image_id", sa.Integer(), nullable=True),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["image_id"], ["artifacts.id"], name=op.f("fk_problems_image_id_artifacts")),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_problems_study_id_studies")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_problems_run_id_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_problems")),
        sa.UniqueConstraint("study_id", "key", name=op.f("uq_problems_study_id_key")),
    )
    op.create_table(
        "scorings",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("label", sa.String(length=80), nullable=False),
        sa.Column("signature", sa.String(length=500), nullable=False),
        sa.Column("imported", sa.Boolean(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_scorings_run_id_runs")),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_scorings_study_id_studies")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_scorings")),
        sa.UniqueConstraint(
            "study_id", "name", "signature", name=op.f("uq_scorings_study_id_name_signature")
        ),
    )
    op.create_table(
        "sign_ins",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("annotator_id", sa.Integer(), nullable=True),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "(user_id IS NULL) <> (annotator_id IS NULL)", name=op.f("ck_sign_ins_one_principal")
        ),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["annotators.id"], name=op.f("fk_sign_ins_annotator_id_annotators")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_sign_ins_user_id_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_ins")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_sign_ins_token_hash")),
    )
    with op.batch_alter_table("sign_ins", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_sign_ins_annotator_id"), ["annotator_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_sign_ins_user_id"), ["user_id"], unique=False)

    op.create_table(
        "items",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("problem_id", sa.Integer(), nullable=False),
        sa.Column("identity", sa.String(length=64), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("load", sa.Integer(), nullable=False),
        sa.Column("shuffle", sa.BigInteger(), nullable=False),
        sa.Column("gradable", sa.Boolean(), nullable=False),
        sa.Column("is_reference", sa.Boolean(), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.CheckConstraint("load >= 0", name=op.f("ck_items_load")),
        sa.ForeignKeyConstraint(["problem_id"], ["problems.id"], name=op.f("fk_items_problem_id_problems")),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_items_study_id_studies")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_items")),
        sa.UniqueConstraint("problem_id", "identity", name=op.f("uq_items_problem_id_identity")),
    )
    with op.batch_alter_table("items", schema=None) as batch_op:
        batch_op.create_index("ix_items_next", ["study_id", "is_reference", "load", "shuffle"], unique=False)

    op.create_table(
        "assignments",
        sa.Column("public_id", sa.String(length=32), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("slot", sa.Integer(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("surplus", sa.Boolean(), nullable=False),
        sa.Column("flag_note", sa.Text(), nullable=True),
        sa.Column("claimed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "state <> 'claimed' OR slot IS NOT NULL", name=op.f("ck_assignments_claim_has_slot")
        ),
        sa.CheckConstraint(
            "state IN ('claimed', 'graded', 'skipped', 'lapsed')", name=op.f("ck_assignments_state")
        ),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["annotators.id"], name=op.f("fk_assignments_annotator_id_annotators")
        ),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name=op.f("fk_assignments_item_id_items")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignments")),
        sa.UniqueConstraint("annotator_id", "item_id", name=op.f("uq_assignments_annotator_id_item_id")),
        sa.UniqueConstraint("annotator_id", "position", name=op.f("uq_assignments_annotator_id_position")),
        sa.UniqueConstraint("item_id", "slot", name=op.f("uq_assignments_item_id_slot")),
        sa.UniqueConstraint("public_id", name=op.f("uq_assignments_public_id")),
    )
    with op.batch_alter_table("assignments", schema=None) as batch_op:
        batch_op.create_index("ix_assignments_lease", ["state", "lease_until"], unique=False)

    op.create_table(
        "grade_events",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("value", sa.Double(), nullable=True),
        sa.Column("previous", sa.Double(), nullable=True),
        sa.Column("surplus", sa.Boolean(), nullable=False),
        sa.Column("submission_id", sa.String(length=64), nullable=True),
        sa.Column(
            "details",
            sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql"),
            nullable=True,
        ),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "kind IN ('grade', 'change', 'withdraw', 'skip', 'flag', 'import')",
            name=op.f("ck_grade_events_kind"),
        ),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["annotators.id"], name=op.f("fk_grade_events_annotator_id_annotators")
        ),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name=op.f("fk_grade_events_item_id_items")),
        sa.ForeignKeyConstraint(
            ["question_id"], ["questions.id"], name=op.f("fk_grade_events_question_id_questions")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_grade_events")),
        sa.UniqueConstraint("submission_id", name=op.f("uq_grade_events_submission_id")),
    )
    with op.batch_alter_table("grade_events", schema=None) as batch_op:
        batch_op.create_index("ix_grade_events_subject", ["annotator_id", "item_id"], unique=False)

    op.create_table(
        "grades",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("value", sa.Float(), nullable=False),
        sa.Column("surplus", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["annotators.id"], name=op.f("fk_grades_annotator_id_annotators")
        ),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name=op.f("fk_grades_item_id_items")),
        sa.ForeignKeyConstraint(
            ["question_id"], ["questions.id"], name=op.f("fk_grades_question_id_questions")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_grades")),
        sa.UniqueConstraint(
            "annotator_id", "item_id", "question_id", name=op.f("uq_grades_annotator_id_item_id_question_id")
        ),
    )
    with op.batch_alter_table("grades", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_grades_item_id"), ["item_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_grades_question_id"), ["question_id"], unique=False)

    op.create_table(
        "outputs",
        sa.Column("problem_id", sa.Integer(), nullable=False),
        sa.Column("system_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name=op.f("fk_outputs_item_id_items")),
        sa.ForeignKeyConstraint(["problem_id"], ["problems.id"], name=op.f("fk_outputs_problem_id_problems")),
        sa.ForeignKeyConstraint(["system_id"], ["systems.id"], name=op.f("fk_outputs_system_id_systems")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_outputs_run_id_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outputs")),
        sa.UniqueConstraint("problem_id", "system_id", name=op.f("uq_outputs_problem_id_system_id")),
    )
    with op.batch_alter_table("outputs", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_outputs_item_id"), ["item_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_outputs_system_id"), ["system_id"], unique=False)

    op.create_table(
        "references",
        sa.Column("problem_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=True),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name=op.f("fk_references_item_id_items")),
        sa.ForeignKeyConstraint(
            ["problem_id"], ["problems.id"], name=op.f("fk_references_problem_id_problems")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_references_run_id_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_references")),
        sa.UniqueConstraint("problem_id", "position", name=op.f("uq_references_problem_id_position")),
    )
    with op.batch_alter_table("references", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_references_item_id"), ["item_id"], unique=False)

    op.create_table(
        "metric_scores",
        sa.Column("scoring_id", sa.Integer(), nullable=False),
        sa.Column("output_id", sa.Integer(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("statistics", sa.LargeBinary(), nullable=False),
        sa.Column("input_hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["output_id"], ["outputs.id"], name=op.f("fk_metric_scores_output_id_outputs")
        ),
        sa.ForeignKeyConstraint(
            ["scoring_id"], ["scorings.id"], name=op.f("fk_metric_scores_scoring_id_scorings")
        ),
        sa.PrimaryKeyConstraint("scoring_id", "output_id", name=op.f("pk_metric_scores")),
    )
    _refuse_changes("grade_events")
    _refuse_changes("audit_events")


def downgrade() -> None:
    _allow_changes("grade_events")
    _allow_changes("audit_events")
    op.drop_table("metric_scores")
    with op.batch_alter_table("references", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_references_item_id"))

    op.drop_table("references")
    with op.batch_alter_table("outputs", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_outputs_system_id"))
        batch_op.drop_index(batch_op.f("ix_outputs_item_id"))

    op.drop_table("outputs")
    with op.batch_alter_table("grades", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_grades_question_id"))
        batch_op.drop_index(batch_op.f("ix_grades_item_id"))

    op.drop_table("grades")
    with op.batch_alter_table("grade_events", schema=None) as batch_op:
        batch_op.drop_index("ix_grade_events_subject")

    op.drop_table("grade_events")
    with op.batch_alter_table("assignments", schema=None) as batch_op:
        batch_op.drop_index("ix_assignments_lease")

    op.drop_table("assignments")
    with op.batch_alter_table("items", schema=None) as batch_op:
        batch_op.drop_index("ix_items_next")

    op.drop_table("items")
    with op.batch_alter_table("sign_ins", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_sign_ins_user_id"))
        batch_op.drop_index(batch_op.f("ix_sign_ins_annotator_id"))

    op.drop_table("sign_ins")
    op.drop_table("scorings")
    op.drop_table("problems")
    with op.batch_alter_table("personal_links", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_personal_links_annotator_id"))

    op.drop_table("personal_links")
    with op.batch_alter_table("analyses", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_analyses_study_id"))

    op.drop_table("analyses")
    op.drop_table("systems")
    op.drop_table("setup_links")
    op.drop_table("workers")
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.drop_index("ix_runs_waiting")
        batch_op.drop_index(batch_op.f("ix_runs_study_id"))

    op.drop_table("runs")
    with op.batch_alter_table("questions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_questions_study_id"))

    op.drop_table("questions")
    with op.batch_alter_table("annotators", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_annotators_study_id"))

    op.drop_table("annotators")
    with op.batch_alter_table("invitations", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_invitations_study_id"))

    op.drop_table("invitations")
    with op.batch_alter_table("audit_events", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_audit_events_study_id"))

    op.drop_table("audit_events")
    with op.batch_alter_table("artifacts", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_artifacts_study_id"))
        batch_op.drop_index(batch_op.f("ix_artifacts_sha256"))

    op.drop_table("artifacts")
    op.drop_table("users")
    op.drop_table("studies")


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


def _allow_changes(table: str) -> None:
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("update", "delete"):
            op.execute(f"DROP TRIGGER {table}_no_{verb}")
        return
    op.execute(f"DROP TRIGGER {table}_append_only ON {table}")
    op.execute(f"DROP FUNCTION {table}_append_only()")
