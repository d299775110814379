"""Command line: ``goldspan``, put together from the commands of the rooms."""

from typing import Annotated

import typer

from app import demo, serving, terminal, worker
from app.accounts import commands as accounts
from app.agreement import commands as agreement
from app.assignment import commands as assignment
from app.corpus import commands as corpus
from app.errors import Unavailable
from app.evaluation import commands as evaluation
from app.judging import commands as judging
from app.judging import jobs as _judging_jobs  # noqa: F401 - makes its work known
from app.pooling import commands as pooling
from app.projects import commands as projects
from app.queries import commands as queries
from app.releases import commands as releases
from app.retrieval import commands as retrieval
from app.retrieval import jobs as _retrieval_jobs  # noqa: F401 - makes its work known

app = typer.Typer(
    help="Goldspan: trusted relevance labels for search and RAG.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
db = typer.Typer(help="The database.", no_args_is_help=True)
imports = typer.Typer(help="Take files into a project.", no_args_is_help=True)
app.add_typer(accounts.app, name="user")
app.add_typer(projects.app, name="project")
app.add_typer(db, name="db")
app.add_typer(imports, name="import")
imports.command("corpus")(corpus.import_corpus)
imports.command("queries")(queries.import_queries)
imports.command("run")(retrieval.import_run)
imports.command("qrels")(assignment.import_grades)
imports.command("grades")(assignment.import_grades)
app.command("retrieve")(retrieval.retrieve)
app.add_typer(pooling.app, name="pool")
app.command("assign")(assignment.assign)
app.add_typer(judging.app, name="judge")
app.command("agreement")(agreement.measure)
app.command("release")(releases.release)
app.command("export")(releases.export)
app.command("evaluate")(evaluation.evaluate)
Host = Annotated[str, typer.Option(help="The address to listen on.")]
Port = Annotated[int, typer.Option(help="The port to listen on.")]


@db.command("upgrade")
def upgrade() -> None:
    """Bring the database to the newest tables; nothing to do is fine."""
    with terminal.opened(as_it_is=True) as (_, settings):
        serving.prepare(settings)
    terminal.say("The database is up to date.")


@app.command()
def serve(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    processes: Annotated[int, typer.Option(help="How many web processes.")] = 1,
    with_worker: Annotated[
        bool, typer.Option("--worker/--no-worker", help="Start one worker beside the web.")
    ] = True,
) -> None:
    """Migrate, then serve the web with one worker beside it."""
    serving.serve(host=host, port=port, processes=processes, with_worker=with_worker)


@app.command("demo")
def show_demo(host: Host = "127.0.0.1", port: Port = 8000) -> None:
    """Build the sample project, print a link that signs you in, and serve it."""
    with terminal.opened(as_it_is=True) as (database, settings):
        serving.prepare(settings)
        demo.build(database, lambda words: app(list(words), standalone_mode=False))
        link = demo.make_link(database, serving.at_port(settings, host, port))
    terminal.show("", "Open this link; it signs you in as admin and grader:", f"  {link}", "")
    serving.serve(host=host, port=port, processes=1, with_worker=True)


@app.command("worker")
def work(
    check: Annotated[
        bool, typer.Option("--check", help="Only tell whether a worker is alive.")
    ] = False,
    beside: Annotated[
        bool, typer.Option("--beside", help="Stop when standard input ends.", hidden=True)
    ] = False,
) -> None:
    """Do long work: retrieval and judge batches. On PostgreSQL as many as you like."""
    if not check:
        worker.work(beside=beside)
    elif not worker.is_working():
        raise Unavailable("No worker is alive.")


def main() -> None:
    """Run the command line."""
    terminal.run(app)


if __name__ == "__main__":
    main()
