"""Alembic's entry: migrates the database of the settings, or the connection it is handed."""

from alembic import context
from sqlalchemy.engine import Connection

from app.db import open_database
from app.models import Base
from app.settings import load_settings

OURS = set(Base.metadata.tables) | {"alembic_version"}


def _only_ours(name: str | None, kind: str, _parents: object) -> bool:
    """Leave alone what the job engine keeps in the same database."""
    return kind != "table" or name in OURS


def _migrate(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        include_name=_only_ours,
        render_as_batch=connection.dialect.name == "sqlite",
        compare_type=True,
        transaction_per_migration=True,
    )
    with context.begin_transaction():
        context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    _migrate(given)
else:
    database = open_database(load_settings().database)
    with database.writer.connect() as fresh:
        _migrate(fresh)
    database.close()
