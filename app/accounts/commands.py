"""Commands of accounts: ``goldspan user ...``."""

from typing import Annotated

import typer

from app import terminal
from app.accounts import service
from app.db import transaction

app = typer.Typer(help="People: add them, give them links and tokens.", no_args_is_help=True)
Email = Annotated[str, typer.Argument(metavar="EMAIL", help="The person's e-mail address.")]


@app.command("add")
def add_user(
    email: Email, name: Annotated[str | None, typer.Option(help="As others read it.")] = None
) -> None:
    """Add a person. They sign in with a personal link (goldspan user link)."""
    with terminal.opened() as (database, _), transaction(database) as session:
        user = service.add_user(session, email, name=name)
    terminal.say(f"Added {user.email}. Next: goldspan user link {user.email}")


@app.command("link")
def make_link(email: Email) -> None:
    """Print a personal link: it signs its owner in once, within seven days."""
    with terminal.opened() as (database, settings), transaction(database) as session:
        token = service.make_link(session, service.user_by_email(session, email))
    terminal.show(f"{settings.public_url}/link/{token}")


@app.command("token")
def make_token(email: Email) -> None:
    """Print a bearer token for programs; it is shown once."""
    with terminal.opened() as (database, _), transaction(database) as session:
        token = service.make_api_token(session, service.user_by_email(session, email))
    terminal.show(token)
