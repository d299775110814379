"""first tables

Revision: 0001, after , made 2026-11-30 21:03:37.400829.
"""

import sqlalchemy as sa
from alembic import op

from app.models.base import IdText, Json, Moment

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "projects",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", IdText(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("cut", sa.Integer(), nullable=False),
        sa.Column("cut_fixed_at", Moment(timezone=True), nullable=True),
        sa.Column("context_chars", sa.Integer(), nullable=False),
        sa.Column("embed_url", sa.String(), nullable=True),
        sa.Column("embed_model", sa.String(), nullable=True),
        sa.Column("embed_key_name", sa.String(), nullable=True),
        sa.Column("corpus_stamp", sa.String(), nullable=False),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.CheckConstraint("cut BETWEEN 1 AND 3", name=op.f("ck_projects_cut")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_projects")),
        sa.UniqueConstraint("slug", name=op.f("uq_projects_slug")),
    )
    op.create_table(
        "users",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("email", IdText(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=True),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("email", name=op.f("uq_users_email")),
    )
    op.create_table(
        "workers",
        sa.Column("executor_id", sa.String(), nullable=False),
        sa.Column("seen", Moment(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("executor_id", name=op.f("pk_workers")),
    )
    op.create_table(
        "api_tokens",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("revoked_at", Moment(timezone=True), nullable=True),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_api_tokens_user_id_users")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_tokens")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_api_tokens_token_hash")),
    )
    with op.batch_alter_table("api_tokens", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_api_tokens_user_id"), ["user_id"], unique=False)

    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("verb", sa.String(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("at", Moment(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_audit_project_id_projects")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_audit_user_id_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    with op.batch_alter_table("audit", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_audit_project_id_id"), ["project_id", "id"], unique=False
        )

    op.create_table(
        "documents",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("doc_id", IdText(), nullable=False),
        sa.Column("tags", Json(), nullable=False),
        sa.Column("access", sa.String(), nullable=True),
        sa.Column("current_version_id", sa.Integer(), nullable=True),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["current_version_id"],
            ["document_versions.id"],
            name=op.f("fk_documents_current_version_id_document_versions"),
            use_alter=True,
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_documents_project_id_projects")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_documents")),
        sa.UniqueConstraint(
            "project_id", "doc_id", name=op.f("uq_documents_project_id_doc_id")
        ),
    )
    op.create_table(
        "guidelines",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_guidelines_project_id_projects")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_guidelines")),
        sa.UniqueConstraint(
            "project_id", "version", name=op.f("uq_guidelines_project_id_version")
        ),
    )
    op.create_table(
        "imports",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("name", IdText(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("file_name", sa.String(), nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("skipped", sa.Integer(), nullable=False),
        sa.Column("report", Json(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("at", Moment(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_imports_project_id_projects")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_imports_user_id_users")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_imports")),
        sa.UniqueConstraint(
            "project_id",
            "kind",
            "name",
            "sha256",
            name=op.f("uq_imports_project_id_kind_name_sha256"),
        ),
    )
    op.create_table(
        "links",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("expires_at", Moment(timezone=True), nullable=False),
        sa.Column("used_at", Moment(timezone=True), nullable=True),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_links_user_id_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_links")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_links_token_hash")),
    )
    with op.batch_alter_table("links", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_links_user_id"), ["user_id"], unique=False)

    op.create_table(
        "memberships",
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.CheckConstraint(
            "role IN ('admin', 'adjudicator', 'sme', 'viewer')",
            name=op.f("ck_memberships_role"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_memberships_project_id_projects")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_memberships_user_id_users")
        ),
        sa.PrimaryKeyConstraint("project_id", "user_id", "role", name=op.f("pk_memberships")),
    )
    with op.batch_alter_table("memberships", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_memberships_user_id"), ["user_id"], unique=False)

    op.create_table(
        "plans",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("wave", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("settings", Json(), nullable=False),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.CheckConstraint("kind IN ('validation', 'primary')", name=op.f("ck_plans_kind")),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_plans_project_id_projects")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_plans")),
        sa.UniqueConstraint("project_id", "wave", name=op.f("uq_plans_project_id_wave")),
    )
    op.create_table(
        "pools",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("name", IdText(), nullable=False),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("statistics", Json(), nullable=False),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.Column("extended_at", Moment(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_pools_project_id_projects")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pools")),
        sa.UniqueConstraint("project_id", "name", name=op.f("uq_pools_project_id_name")),
    )
    op.create_table(
        "queries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("query_id", IdText(), nullable=False),
        sa.Column("tags", Json(), nullable=False),
        sa.Column("answerable", sa.Boolean(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("current_version_id", sa.Integer(), nullable=True),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["current_version_id"],
            ["query_versions.id"],
            name=op.f("fk_queries_current_version_id_query_versions"),
            use_alter=True,
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_queries_project_id_projects")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_queries")),
        sa.UniqueConstraint(
            "project_id", "query_id", name=op.f("uq_queries_project_id_query_id")
        ),
    )
    with op.batch_alter_table("queries", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_queries_project_id_position_id"),
            ["project_id", "position", "id"],
            unique=False,
        )

    op.create_table(
        "releases",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("manifest", Json(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_releases_project_id_projects")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_releases_user_id_users")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_releases")),
        sa.UniqueConstraint("project_id", "number", name=op.f("uq_releases_project_id_number")),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("name", IdText(), nullable=False),
        sa.Column("retriever", sa.String(), nullable=True),
        sa.Column("chunking", sa.String(), nullable=True),
        sa.Column("corpus_fingerprint", sa.String(), nullable=True),
        sa.Column("query_fingerprint", sa.String(), nullable=True),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("order_rule", sa.String(), nullable=False),
        sa.Column("pipeline", sa.String(), nullable=True),
        sa.Column("stage", sa.String(), nullable=True),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column("queries_total", sa.Integer(), nullable=False),
        sa.Column("queries_done", sa.Integer(), nullable=False),
        sa.Column("hits_total", sa.Integer(), nullable=False),
        sa.Column("report", Json(), nullable=False),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.Column("finished_at", Moment(timezone=True), nullable=True),
        sa.CheckConstraint("order_rule IN ('score', 'rank')", name=op.f("ck_runs_order_rule")),
        sa.CheckConstraint(
            "state IN ('planned', 'running', 'done', 'failed', 'cancelled')",
            name=op.f("ck_runs_state"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_runs_project_id_projects")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sa.UniqueConstraint("project_id", "name", name=op.f("uq_runs_project_id_name")),
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("seen_at", Moment(timezone=True), nullable=False),
        sa.Column("expires_at", Moment(timezone=True), nullable=False),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_sessions_user_id_users")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_sessions_token_hash")),
    )
    with op.batch_alter_table("sessions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_sessions_user_id"), ["user_id"], unique=False)

    op.create_table(
        "document_versions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("document_ref", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=True),
        sa.Column("length", sa.Integer(), nullable=True),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.CheckConstraint(
            "(text IS NULL) = (length IS NULL)",
            name=op.f("ck_document_versions_length_of_text"),
        ),
        sa.ForeignKeyConstraint(
            ["document_ref"],
            ["documents.id"],
            name=op.f("fk_document_versions_document_ref_documents"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document_versions")),
        sa.UniqueConstraint(
            "document_ref", "sha256", name=op.f("uq_document_versions_document_ref_sha256")
        ),
    )
    op.create_table(
        "evaluations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("cut", sa.Integer(), nullable=False),
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("summary", Json(), nullable=False),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["release_id"], ["releases.id"], name=op.f("fk_evaluations_release_id_releases")
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_evaluations_run_id_runs")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evaluations")),
        sa.UniqueConstraint(
            "release_id",
            "run_id",
            "cut",
            "unit",
            name=op.f("uq_evaluations_release_id_run_id_cut_unit"),
        ),
    )
    with op.batch_alter_table("evaluations", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_evaluations_run_id"), ["run_id"], unique=False)

    op.create_table(
        "judges",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("name", IdText(), nullable=False),
        sa.Column("identity_hash", sa.String(), nullable=False),
        sa.Column("endpoint", sa.String(), nullable=True),
        sa.Column("model", sa.String(), nullable=True),
        sa.Column("parameters", Json(), nullable=False),
        sa.Column("prompt", sa.String(), nullable=True),
        sa.Column("key_name", sa.String(), nullable=True),
        sa.Column("access", Json(), nullable=False),
        sa.Column("own_cut", sa.Integer(), nullable=True),
        sa.Column("guideline_id", sa.Integer(), nullable=True),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["guideline_id"], ["guidelines.id"], name=op.f("fk_judges_guideline_id_guidelines")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_judges_project_id_projects")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judges")),
        sa.UniqueConstraint(
            "project_id", "identity_hash", name=op.f("uq_judges_project_id_identity_hash")
        ),
        sa.UniqueConstraint("project_id", "name", name=op.f("uq_judges_project_id_name")),
    )
    op.create_table(
        "pool_runs",
        sa.Column("pool_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["pool_id"], ["pools.id"], name=op.f("fk_pool_runs_pool_id_pools")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_pool_runs_run_id_runs")),
        sa.PrimaryKeyConstraint("pool_id", "run_id", name=op.f("pk_pool_runs")),
    )
    op.create_table(
        "query_versions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("query_ref", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("need", sa.String(), nullable=False),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["query_ref"], ["queries.id"], name=op.f("fk_query_versions_query_ref_queries")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_query_versions")),
        sa.UniqueConstraint(
            "query_ref", "version", name=op.f("uq_query_versions_query_ref_version")
        ),
    )
    op.create_table(
        "run_queries",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("query_ref", sa.Integer(), nullable=False),
        sa.Column("hits", sa.Integer(), nullable=False),
        sa.Column("milliseconds", sa.Double(), nullable=True),
        sa.Column("cost", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["query_ref"], ["queries.id"], name=op.f("fk_run_queries_query_ref_queries")
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_run_queries_run_id_runs")
        ),
        sa.PrimaryKeyConstraint("run_id", "query_ref", name=op.f("pk_run_queries")),
    )
    op.create_table(
        "batches",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("judge_id", sa.Integer(), nullable=False),
        sa.Column("scope", Json(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=True),
        sa.Column("paused_until", Moment(timezone=True), nullable=True),
        sa.Column("pairs", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.Column("started_at", Moment(timezone=True), nullable=True),
        sa.Column("finished_at", Moment(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state IN ('planned', 'running', 'paused', 'cancelled', 'stopped', 'finished')",
            name=op.f("ck_batches_state"),
        ),
        sa.ForeignKeyConstraint(
            ["judge_id"], ["judges.id"], name=op.f("fk_batches_judge_id_judges")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_batches_project_id_projects")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_batches_user_id_users")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_batches")),
    )
    with op.batch_alter_table("batches", schema=None) as batch_op:
        batch_op.create_index(
            "ix_batches_alive",
            ["state"],
            unique=False,
            postgresql_where=sa.text("state IN ('planned', 'running', 'paused')"),
            sqlite_where=sa.text("state IN ('planned', 'running', 'paused')"),
        )
        batch_op.create_index(batch_op.f("ix_batches_judge_id"), ["judge_id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_batches_project_id_id"), ["project_id", "id"], unique=False
        )

    op.create_table(
        "gate_reports",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("judge_id", sa.Integer(), nullable=False),
        sa.Column("split", sa.String(), nullable=False),
        sa.Column("cut", sa.Integer(), nullable=False),
        sa.Column("labels_hash", sa.String(), nullable=False),
        sa.Column("figures", Json(), nullable=False),
        sa.Column("answer", sa.String(), nullable=False),
        sa.Column("reasons", Json(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("at", Moment(timezone=True), nullable=False),
        sa.CheckConstraint(
            "split IN ('dev', 'test', 'all')", name=op.f("ck_gate_reports_split")
        ),
        sa.ForeignKeyConstraint(
            ["judge_id"], ["judges.id"], name=op.f("fk_gate_reports_judge_id_judges")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_gate_reports_project_id_projects")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_gate_reports_user_id_users")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gate_reports")),
    )
    with op.batch_alter_table("gate_reports", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_gate_reports_judge_id_id"), ["judge_id", "id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_gate_reports_project_id"), ["project_id"], unique=False
        )

    op.create_table(
        "graders",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("name", IdText(), nullable=False),
        sa.Column("pseudonym", sa.String(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("judge_id", sa.Integer(), nullable=True),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.CheckConstraint("kind IN ('sme', 'judge')", name=op.f("ck_graders_kind")),
        sa.ForeignKeyConstraint(
            ["judge_id"], ["judges.id"], name=op.f("fk_graders_judge_id_judges")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_graders_project_id_projects")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_graders_user_id_users")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_graders")),
        sa.UniqueConstraint(
            "project_id", "kind", "name", name=op.f("uq_graders_project_id_kind_name")
        ),
        sa.UniqueConstraint(
            "project_id", "user_id", name=op.f("uq_graders_project_id_user_id")
        ),
    )
    op.create_table(
        "hits",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("query_ref", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("document_version_id", sa.Integer(), nullable=False),
        sa.Column("whole", sa.Boolean(), nullable=False),
        sa.Column("span_start", sa.Integer(), nullable=False),
        sa.Column("span_end", sa.Integer(), nullable=False),
        sa.Column("score", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["document_version_id"],
            ["document_versions.id"],
            name=op.f("fk_hits_document_version_id_document_versions"),
        ),
        sa.ForeignKeyConstraint(
            ["query_ref"], ["queries.id"], name=op.f("fk_hits_query_ref_queries")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_hits_run_id_runs")),
        sa.PrimaryKeyConstraint("run_id", "query_ref", "rank", name=op.f("pk_hits")),
    )
    with op.batch_alter_table("hits", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_hits_document_version_id"), ["document_version_id"], unique=False
        )

    op.create_table(
        "items",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("query_ref", sa.Integer(), nullable=False),
        sa.Column("document_version_id", sa.Integer(), nullable=False),
        sa.Column("whole", sa.Boolean(), nullable=False),
        sa.Column("span_start", sa.Integer(), nullable=False),
        sa.Column("span_end", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.CheckConstraint(
            "0 <= span_start AND (whole OR span_start < span_end)", name=op.f("ck_items_span")
        ),
        sa.ForeignKeyConstraint(
            ["document_version_id"],
            ["document_versions.id"],
            name=op.f("fk_items_document_version_id_document_versions"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_items_project_id_projects")
        ),
        sa.ForeignKeyConstraint(
            ["query_ref"], ["queries.id"], name=op.f("fk_items_query_ref_queries")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_items")),
        sa.UniqueConstraint(
            "query_ref",
            "document_version_id",
            "whole",
            "span_start",
            "span_end",
            name="uq_items_identity",
        ),
    )
    with op.batch_alter_table("items", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_items_document_version_id"), ["document_version_id"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_items_project_id"), ["project_id"], unique=False)

    op.create_table(
        "release_queries",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("query_ref", sa.Integer(), nullable=False),
        sa.Column("query_version_id", sa.Integer(), nullable=False),
        sa.Column("answerable", sa.Boolean(), nullable=True),
        sa.Column("tags", Json(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["query_ref"], ["queries.id"], name=op.f("fk_release_queries_query_ref_queries")
        ),
        sa.ForeignKeyConstraint(
            ["query_version_id"],
            ["query_versions.id"],
            name=op.f("fk_release_queries_query_version_id_query_versions"),
        ),
        sa.ForeignKeyConstraint(
            ["release_id"], ["releases.id"], name=op.f("fk_release_queries_release_id_releases")
        ),
        sa.PrimaryKeyConstraint("release_id", "query_ref", name=op.f("pk_release_queries")),
    )
    op.create_table(
        "scores",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("query_ref", sa.Integer(), nullable=False),
        sa.Column("value", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["evaluation_id"],
            ["evaluations.id"],
            name=op.f("fk_scores_evaluation_id_evaluations"),
        ),
        sa.ForeignKeyConstraint(
            ["query_ref"], ["queries.id"], name=op.f("fk_scores_query_ref_queries")
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "metric", "query_ref", name=op.f("pk_scores")),
    )
    with op.batch_alter_table("scores", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_scores_query_ref"), ["query_ref"], unique=False)

    op.create_table(
        "attempts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("batch_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("started_at", Moment(timezone=True), nullable=False),
        sa.Column("outcome", sa.String(), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("milliseconds", sa.Double(), nullable=True),
        sa.Column("tokens_in", sa.Integer(), nullable=True),
        sa.Column("tokens_out", sa.Integer(), nullable=True),
        sa.Column("tokens_cached", sa.Integer(), nullable=True),
        sa.Column("model", sa.String(), nullable=True),
        sa.Column("answer", sa.String(), nullable=True),
        sa.Column("suspicious", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["batch_id"], ["batches.id"], name=op.f("fk_attempts_batch_id_batches")
        ),
        sa.ForeignKeyConstraint(
            ["item_id"], ["items.id"], name=op.f("fk_attempts_item_id_items")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempts")),
    )
    with op.batch_alter_table("attempts", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_attempts_batch_id_id"), ["batch_id", "id"], unique=False
        )
        batch_op.create_index(
            "ix_attempts_unknown",
            ["batch_id", "item_id"],
            unique=False,
            postgresql_where=sa.text("outcome IS NULL"),
            sqlite_where=sa.text("outcome IS NULL"),
        )

    op.create_table(
        "batch_chunks",
        sa.Column("batch_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["batch_id"], ["batches.id"], name=op.f("fk_batch_chunks_batch_id_batches")
        ),
        sa.PrimaryKeyConstraint("batch_id", "number", name=op.f("pk_batch_chunks")),
    )
    op.create_table(
        "blocks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("plan_id", sa.Integer(), nullable=False),
        sa.Column("query_ref", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("grader_id", sa.Integer(), nullable=True),
        sa.Column("reserved", sa.Boolean(), nullable=False),
        sa.Column("extra", sa.Boolean(), nullable=False),
        sa.Column("lease_until", Moment(timezone=True), nullable=True),
        sa.Column("finished_at", Moment(timezone=True), nullable=True),
        sa.CheckConstraint("state IN ('open', 'held', 'done')", name=op.f("ck_blocks_state")),
        sa.ForeignKeyConstraint(
            ["grader_id"], ["graders.id"], name=op.f("fk_blocks_grader_id_graders")
        ),
        sa.ForeignKeyConstraint(
            ["plan_id"], ["plans.id"], name=op.f("fk_blocks_plan_id_plans")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_blocks_project_id_projects")
        ),
        sa.ForeignKeyConstraint(
            ["query_ref"], ["queries.id"], name=op.f("fk_blocks_query_ref_queries")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_blocks")),
        sa.UniqueConstraint(
            "plan_id",
            "query_ref",
            "grader_id",
            name=op.f("uq_blocks_plan_id_query_ref_grader_id"),
        ),
        sa.UniqueConstraint(
            "plan_id", "query_ref", "seat", name=op.f("uq_blocks_plan_id_query_ref_seat")
        ),
    )
    with op.batch_alter_table("blocks", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_blocks_grader_id_state"), ["grader_id", "state"], unique=False
        )
        batch_op.create_index(
            "ix_blocks_held",
            ["project_id", "grader_id"],
            unique=True,
            postgresql_where=sa.text("state = 'held'"),
            sqlite_where=sa.text("state = 'held'"),
        )
        batch_op.create_index(
            "ix_blocks_lease",
            ["lease_until"],
            unique=False,
            postgresql_where=sa.text("state = 'held'"),
            sqlite_where=sa.text("state = 'held'"),
        )
        batch_op.create_index(
            "ix_blocks_open",
            ["project_id", "position", "id"],
            unique=False,
            postgresql_where=sa.text("state = 'open'"),
            sqlite_where=sa.text("state = 'open'"),
        )
        batch_op.create_index(batch_op.f("ix_blocks_query_ref"), ["query_ref"], unique=False)
        batch_op.create_index(
            "ix_blocks_reserved",
            ["project_id", "grader_id", "position", "id"],
            unique=False,
            postgresql_where=sa.text("state = 'open'"),
            sqlite_where=sa.text("state = 'open'"),
        )

    op.create_table(
        "members",
        sa.Column("pool_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("score", sa.Double(), nullable=True),
        sa.Column("span_start", sa.Integer(), nullable=False),
        sa.Column("span_end", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["item_id"], ["items.id"], name=op.f("fk_members_item_id_items")
        ),
        sa.ForeignKeyConstraint(
            ["pool_id"], ["pools.id"], name=op.f("fk_members_pool_id_pools")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_members_run_id_runs")),
        sa.PrimaryKeyConstraint(
            "pool_id", "item_id", "run_id", "rank", name=op.f("pk_members")
        ),
    )
    with op.batch_alter_table("members", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_members_item_id"), ["item_id"], unique=False)

    op.create_table(
        "pool_items",
        sa.Column("pool_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("gradable", sa.Boolean(), nullable=False),
        sa.Column("best_rank", sa.Integer(), nullable=False),
        sa.Column("run_count", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["item_id"], ["items.id"], name=op.f("fk_pool_items_item_id_items")
        ),
        sa.ForeignKeyConstraint(
            ["pool_id"], ["pools.id"], name=op.f("fk_pool_items_pool_id_pools")
        ),
        sa.PrimaryKeyConstraint("pool_id", "item_id", name=op.f("pk_pool_items")),
    )
    with op.batch_alter_table("pool_items", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_pool_items_item_id"), ["item_id"], unique=False)

    op.create_table(
        "release_labels",
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("value", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("grader_id", sa.Integer(), nullable=True),
        sa.CheckConstraint(
            "source IN ('adjudicated', 'consensus', 'judge')",
            name=op.f("ck_release_labels_source"),
        ),
        sa.CheckConstraint("value BETWEEN 0 AND 3", name=op.f("ck_release_labels_value")),
        sa.ForeignKeyConstraint(
            ["grader_id"], ["graders.id"], name=op.f("fk_release_labels_grader_id_graders")
        ),
        sa.ForeignKeyConstraint(
            ["item_id"], ["items.id"], name=op.f("fk_release_labels_item_id_items")
        ),
        sa.ForeignKeyConstraint(
            ["release_id"], ["releases.id"], name=op.f("fk_release_labels_release_id_releases")
        ),
        sa.PrimaryKeyConstraint("release_id", "item_id", name=op.f("pk_release_labels")),
    )
    with op.batch_alter_table("release_labels", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_release_labels_item_id"), ["item_id"], unique=False
        )

    op.create_table(
        "claims",
        sa.Column("block_id", sa.Integer(), nullable=False),
        sa.Column("grader_id", sa.Integer(), nullable=False),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["block_id"], ["blocks.id"], name=op.f("fk_claims_block_id_blocks")
        ),
        sa.ForeignKeyConstraint(
            ["grader_id"], ["graders.id"], name=op.f("fk_claims_grader_id_graders")
        ),
        sa.PrimaryKeyConstraint("block_id", "grader_id", name=op.f("pk_claims")),
    )
    op.create_table(
        "slots",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("block_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("split", sa.String(), nullable=True),
        sa.Column("stratum", sa.String(), nullable=True),
        sa.Column("inclusion", sa.Double(), nullable=True),
        sa.CheckConstraint(
            "kind IN ('primary', 'training', 'repeat', 'adjudication', 'validation')",
            name=op.f("ck_slots_kind"),
        ),
        sa.CheckConstraint(
            "state IN ('open', 'done', 'skipped', 'cancelled')", name=op.f("ck_slots_state")
        ),
        sa.ForeignKeyConstraint(
            ["block_id"], ["blocks.id"], name=op.f("fk_slots_block_id_blocks")
        ),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name=op.f("fk_slots_item_id_items")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_slots")),
        sa.UniqueConstraint("block_id", "item_id", name=op.f("uq_slots_block_id_item_id")),
        sa.UniqueConstraint("token", name=op.f("uq_slots_token")),
    )
    with op.batch_alter_table("slots", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_slots_block_id_state_position"),
            ["block_id", "state", "position"],
            unique=False,
        )
        batch_op.create_index(batch_op.f("ix_slots_item_id"), ["item_id"], unique=False)

    op.create_table(
        "grades",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slot_id", sa.Integer(), nullable=True),
        sa.Column("slot_kind", sa.String(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("grader_id", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(), nullable=True),
        sa.Column("value", sa.Integer(), nullable=True),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.Column("current", sa.Boolean(), nullable=False),
        sa.Column("supersedes_id", sa.Integer(), nullable=True),
        sa.Column("note", sa.String(), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("context_opened", sa.Boolean(), nullable=False),
        sa.Column("guideline_id", sa.Integer(), nullable=True),
        sa.Column("query_version_id", sa.Integer(), nullable=False),
        sa.Column("document_version_id", sa.Integer(), nullable=False),
        sa.Column("card_hash", sa.String(), nullable=True),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.CheckConstraint("(value IS NULL) = withdrawn", name=op.f("ck_grades_withdrawn")),
        sa.CheckConstraint("value BETWEEN 0 AND 3", name=op.f("ck_grades_value")),
        sa.ForeignKeyConstraint(
            ["document_version_id"],
            ["document_versions.id"],
            name=op.f("fk_grades_document_version_id_document_versions"),
        ),
        sa.ForeignKeyConstraint(
            ["grader_id"], ["graders.id"], name=op.f("fk_grades_grader_id_graders")
        ),
        sa.ForeignKeyConstraint(
            ["guideline_id"], ["guidelines.id"], name=op.f("fk_grades_guideline_id_guidelines")
        ),
        sa.ForeignKeyConstraint(
            ["item_id"], ["items.id"], name=op.f("fk_grades_item_id_items")
        ),
        sa.ForeignKeyConstraint(
            ["query_version_id"],
            ["query_versions.id"],
            name=op.f("fk_grades_query_version_id_query_versions"),
        ),
        sa.ForeignKeyConstraint(
            ["slot_id"], ["slots.id"], name=op.f("fk_grades_slot_id_slots")
        ),
        sa.ForeignKeyConstraint(
            ["supersedes_id"], ["grades.id"], name=op.f("fk_grades_supersedes_id_grades")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_grades")),
        sa.UniqueConstraint("slot_id", "token", name=op.f("uq_grades_slot_id_token")),
        sa.UniqueConstraint("supersedes_id", name=op.f("uq_grades_supersedes_id")),
    )
    with op.batch_alter_table("grades", schema=None) as batch_op:
        batch_op.create_index(
            "ix_grades_current_imported",
            ["item_id", "grader_id"],
            unique=True,
            postgresql_where=sa.text("current IS true AND slot_id IS NULL"),
            sqlite_where=sa.text("current IS 1 AND slot_id IS NULL"),
        )
        batch_op.create_index(
            "ix_grades_current_slot",
            ["slot_id", "grader_id"],
            unique=True,
            postgresql_where=sa.text("current IS true AND slot_id IS NOT NULL"),
            sqlite_where=sa.text("current IS 1 AND slot_id IS NOT NULL"),
        )
        batch_op.create_index("ix_grades_grader", ["grader_id", "id"], unique=False)
        batch_op.create_index(
            "ix_grades_item",
            ["item_id"],
            unique=False,
            postgresql_where=sa.text("current IS true"),
            sqlite_where=sa.text("current IS 1"),
        )
        batch_op.create_index(
            "ix_grades_own",
            ["grader_id", "created_at"],
            unique=False,
            postgresql_where=sa.text("current IS true AND slot_id IS NOT NULL"),
            sqlite_where=sa.text("current IS 1 AND slot_id IS NOT NULL"),
        )

    op.create_table(
        "skips",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slot_id", sa.Integer(), nullable=False),
        sa.Column("grader_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("reopened", sa.Boolean(), nullable=False),
        sa.Column("created_at", Moment(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["grader_id"], ["graders.id"], name=op.f("fk_skips_grader_id_graders")
        ),
        sa.ForeignKeyConstraint(["slot_id"], ["slots.id"], name=op.f("fk_skips_slot_id_slots")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_skips")),
        sa.UniqueConstraint("slot_id", "grader_id", name=op.f("uq_skips_slot_id_grader_id")),
    )
    with op.batch_alter_table("skips", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_skips_grader_id_id"), ["grader_id", "id"], unique=False
        )

    op.create_table(
        "batch_pairs",
        sa.Column("batch_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("chunk", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("grade_id", sa.Integer(), nullable=True),
        sa.CheckConstraint(
            "state IN ('open', 'done', 'failed')", name=op.f("ck_batch_pairs_state")
        ),
        sa.ForeignKeyConstraint(
            ["batch_id"], ["batches.id"], name=op.f("fk_batch_pairs_batch_id_batches")
        ),
        sa.ForeignKeyConstraint(
            ["grade_id"], ["grades.id"], name=op.f("fk_batch_pairs_grade_id_grades")
        ),
        sa.ForeignKeyConstraint(
            ["item_id"], ["items.id"], name=op.f("fk_batch_pairs_item_id_items")
        ),
        sa.PrimaryKeyConstraint("batch_id", "item_id", name=op.f("pk_batch_pairs")),
    )
    with op.batch_alter_table("batch_pairs", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_batch_pairs_batch_id_chunk_state"),
            ["batch_id", "chunk", "state"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_batch_pairs_batch_id_state"), ["batch_id", "state"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_batch_pairs_item_id"), ["item_id"], unique=False)

    if op.get_context().dialect.name == "postgresql":
        # SQLite took these within CREATE TABLE; PostgreSQL needs both tables first.
        for table, versions in (
            ("documents", "document_versions"),
            ("queries", "query_versions"),
        ):
            op.create_foreign_key(
                f"fk_{table}_current_version_id_{versions}",
                table,
                versions,
                ["current_version_id"],
                ["id"],
            )


def downgrade() -> None:
    if op.get_context().dialect.name == "postgresql":
        for table, versions in (
            ("documents", "document_versions"),
            ("queries", "query_versions"),
        ):
            op.drop_constraint(f"fk_{table}_current_version_id_{versions}", table)
    with op.batch_alter_table("batch_pairs", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_batch_pairs_item_id"))
        batch_op.drop_index(batch_op.f("ix_batch_pairs_batch_id_state"))
        batch_op.drop_index(batch_op.f("ix_batch_pairs_batch_id_chunk_state"))

    op.drop_table("batch_pairs")
    with op.batch_alter_table("skips", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_skips_grader_id_id"))

    op.drop_table("skips")
    with op.batch_alter_table("grades", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_grades_own",
            postgresql_where=sa.text("current IS true AND slot_id IS NOT NULL"),
            sqlite_where=sa.text("current IS 1 AND slot_id IS NOT NULL"),
        )
        batch_op.drop_index(
            "ix_grades_item",
            postgresql_where=sa.text("current IS true"),
            sqlite_where=sa.text("current IS 1"),
        )
        batch_op.drop_index("ix_grades_grader")
        batch_op.drop_index(
            "ix_grades_current_slot",
            postgresql_where=sa.text("current IS true AND slot_id IS NOT NULL"),
            sqlite_where=sa.text("current IS 1 AND slot_id IS NOT NULL"),
        )
        batch_op.drop_index(
            "ix_grades_current_imported",
            postgresql_where=sa.text("current IS true AND slot_id IS NULL"),
            sqlite_where=sa.text("current IS 1 AND slot_id IS NULL"),
        )

    op.drop_table("grades")
    with op.batch_alter_table("slots", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_slots_item_id"))
        batch_op.drop_index(batch_op.f("ix_slots_block_id_state_position"))

    op.drop_table("slots")
    op.drop_table("claims")
    with op.batch_alter_table("release_labels", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_release_labels_item_id"))

    op.drop_table("release_labels")
    with op.batch_alter_table("pool_items", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_pool_items_item_id"))

    op.drop_table("pool_items")
    with op.batch_alter_table("members", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_members_item_id"))

    op.drop_table("members")
    with op.batch_alter_table("blocks", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_blocks_reserved",
            postgresql_where=sa.text("state = 'open'"),
            sqlite_where=sa.text("state = 'open'"),
        )
        batch_op.drop_index(batch_op.f("ix_blocks_query_ref"))
        batch_op.drop_index(
            "ix_blocks_open",
            postgresql_where=sa.text("state = 'open'"),
            sqlite_where=sa.text("state = 'open'"),
        )
        batch_op.drop_index(
            "ix_blocks_lease",
            postgresql_where=sa.text("state = 'held'"),
            sqlite_where=sa.text("state = 'held'"),
        )
        batch_op.drop_index(
            "ix_blocks_held",
            postgresql_where=sa.text("state = 'held'"),
            sqlite_where=sa.text("state = 'held'"),
        )
        batch_op.drop_index(batch_op.f("ix_blocks_grader_id_state"))

    op.drop_table("blocks")
    op.drop_table("batch_chunks")
    with op.batch_alter_table("attempts", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_attempts_unknown",
            postgresql_where=sa.text("outcome IS NULL"),
            sqlite_where=sa.text("outcome IS NULL"),
        )
        batch_op.drop_index(batch_op.f("ix_attempts_batch_id_id"))

    op.drop_table("attempts")
    with op.batch_alter_table("scores", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_scores_query_ref"))

    op.drop_table("scores")
    op.drop_table("release_queries")
    with op.batch_alter_table("items", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_items_project_id"))
        batch_op.drop_index(batch_op.f("ix_items_document_version_id"))

    op.drop_table("items")
    with op.batch_alter_table("hits", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_hits_document_version_id"))

    op.drop_table("hits")
    op.drop_table("graders")
    with op.batch_alter_table("gate_reports", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_gate_reports_project_id"))
        batch_op.drop_index(batch_op.f("ix_gate_reports_judge_id_id"))

    op.drop_table("gate_reports")
    with op.batch_alter_table("batches", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_batches_project_id_id"))
        batch_op.drop_index(batch_op.f("ix_batches_judge_id"))
        batch_op.drop_index(
            "ix_batches_alive",
            postgresql_where=sa.text("state IN ('planned', 'running', 'paused')"),
            sqlite_where=sa.text("state IN ('planned', 'running', 'paused')"),
        )

    op.drop_table("batches")
    op.drop_table("run_queries")
    op.drop_table("query_versions")
    op.drop_table("pool_runs")
    op.drop_table("judges")
    with op.batch_alter_table("evaluations", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_evaluations_run_id"))

    op.drop_table("evaluations")
    op.drop_table("document_versions")
    with op.batch_alter_table("sessions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_sessions_user_id"))

    op.drop_table("sessions")
    op.drop_table("runs")
    op.drop_table("releases")
    with op.batch_alter_table("queries", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_queries_project_id_position_id"))

    op.drop_table("queries")
    op.drop_table("pools")
    op.drop_table("plans")
    with op.batch_alter_table("memberships", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_memberships_user_id"))

    op.drop_table("memberships")
    with op.batch_alter_table("links", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_links_user_id"))

    op.drop_table("links")
    op.drop_table("imports")
    op.drop_table("guidelines")
    op.drop_table("documents")
    with op.batch_alter_table("audit", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_audit_project_id_id"))

    op.drop_table("audit")
    with op.batch_alter_table("api_tokens", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_api_tokens_user_id"))

    op.drop_table("api_tokens")
    op.drop_table("workers")
    op.drop_table("users")
    op.drop_table("projects")
