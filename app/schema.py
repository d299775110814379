"""Schema: bringing a database to the newest tables, one process at a time."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from app.db import Database
from app.errors import Conflict

ROOT = Path(__file__).parents[1]
LOCK = 7_265_001


def _config() -> Config:
    config = Config(toml_file=str(ROOT / "pyproject.toml"))
    config.set_main_option("script_location", str(ROOT / "migrations"))  # wherever we stand
    return config


def upgrade(database: Database) -> None:
    """Migrate to the newest schema; others wait, and find nothing left to do (V-097)."""
    config = _config()
    with database.writer.connect() as connection:
        if not database.is_sqlite:
            connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": LOCK})
            connection.commit()
        _refuse_newer(config, connection)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        connection.commit()
        if not database.is_sqlite:
            connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": LOCK})
            connection.commit()


def _refuse_newer(config: Config, connection: Connection) -> None:
    current = MigrationContext.configure(connection).get_current_revision()
    known = {each.revision for each in ScriptDirectory.from_config(config).walk_revisions()}
    if current is not None and current not in known:
        raise Conflict(
            f"A newer Goldspan wrote this database (revision {current}), so this one leaves it "
            "alone. Install that Goldspan again, or restore a backup."
        )


def is_empty(database: Database) -> bool:
    """Tell whether no Goldspan has made its tables here yet."""
    return _revision(database) is None


def check(database: Database) -> None:
    """Refuse a database whose schema is not the one this code was written for."""
    newest = ScriptDirectory.from_config(_config()).get_current_head()
    current = _revision(database)
    if current == newest:
        return
    if current is None:
        raise Conflict("The database is empty. Run: goldspan db upgrade")
    raise Conflict(
        f"The database is at revision {current}, this Goldspan needs {newest}. "
        "Run goldspan db upgrade, or install the Goldspan that wrote it."
    )


def _revision(database: Database) -> str | None:
    with database.reader.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()
