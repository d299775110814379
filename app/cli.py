"""Command line: ``goldspan``, put together from the commands of the rooms."""

import typer

from app import schema, terminal
from app.accounts import commands as accounts
from app.projects import commands as projects

app = typer.Typer(
    help="Goldspan: trusted relevance labels for search and RAG.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
db = typer.Typer(help="The database.", no_args_is_help=True)
app.add_typer(accounts.app, name="user")
app.add_typer(projects.app, name="project")
app.add_typer(db, name="db")


@db.command("upgrade")
def upgrade() -> None:
    """Bring the database to the newest tables; nothing to do is fine."""
    with terminal.opened() as (database, _):
        schema.upgrade(database)
    terminal.say("The database is up to date.")


def main() -> None:
    """Run the command line."""
    terminal.run(app)
