"""Commands of projects: ``goldspan project ...``."""

from typing import Annotated

import typer

from app import terminal
from app.accounts import service as accounts
from app.db import transaction
from app.projects import service

app = typer.Typer(help="Projects: make them, list them, add members.", no_args_is_help=True)
Slug = Annotated[str, typer.Argument(metavar="PROJECT", help="The project's short name.")]


@app.command("create")
def create_project(
    slug: Slug,
    name: Annotated[str | None, typer.Option(help="As people read it.")] = None,
    cut: Annotated[int, typer.Option(help="Relevant is grade >= CUT (1, 2 or 3).")] = 1,
) -> None:
    """Make a project."""
    with terminal.opened() as (database, _), transaction(database) as session:
        service.create_project(session, slug, name=name, cut=cut)
    terminal.say(
        f"Made {slug}. Next: goldspan project member {slug} EMAIL --role admin, "
        f"then goldspan import corpus {slug} FILE"
    )


@app.command("list")
def list_projects() -> None:
    """Print the projects, a line each: short name, cut, name."""
    with terminal.opened() as (database, _), transaction(database, write=False) as session:
        for project in service.list_projects(session):
            terminal.show(f"{project.slug}\tcut {project.cut}\t{project.name}")


@app.command("member")
def add_member(
    slug: Slug,
    email: Annotated[str, typer.Argument(metavar="EMAIL")],
    role: Annotated[str, typer.Option(help="admin, adjudicator, sme or viewer.")],
) -> None:
    """Give a person a role in a project; they may have several."""
    with terminal.opened() as (database, _), transaction(database) as session:
        project = service.project_by_slug(session, slug)
        user = accounts.user_by_email(session, email)
        service.add_role(session, project, user, role)
    terminal.say(f"{user.email} is {role} in {slug}.")
