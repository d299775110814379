"""Migrations and models agree, on both databases."""

from alembic import command
from alembic.config import Config
from sqlalchemy import inspect, text

from app.db import Database, now, transaction
from tests.databases import ROOT


def test_models_and_migrations_agree(database: Database) -> None:
    config = Config(toml_file=str(ROOT / "pyproject.toml"))
    with database.writer.connect() as connection:
        config.attributes["connection"] = connection

        command.check(config)


def test_every_pointer_is_kept_by_the_database(database: Database) -> None:
    pointers = {
        (key["constrained_columns"][0], key["referred_table"])
        for key in inspect(database.writer).get_foreign_keys("documents")
    }

    assert ("current_version_id", "document_versions") in pointers


def test_the_databases_clock_is_aware(database: Database) -> None:
    with transaction(database) as session:
        assert now(session).utcoffset() is not None
        assert session.execute(text("SELECT 1")).scalar_one() == 1
