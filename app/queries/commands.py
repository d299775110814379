"""Commands: ``goldspan import queries``."""

from app.projects.loading import (
    AsJson,
    DryRun,
    Files,
    Form,
    Loading,
    SkipBad,
    Slug,
    load_files,
)
from app.queries import service

LOADING = Loading(
    "query", service.check_queries, service.import_queries, service.preview_queries
)


def import_queries(
    slug: Slug,
    files: Files,
    form: Form = None,
    dry_run: DryRun = False,
    skip_bad: SkipBad = False,
    as_json: AsJson = False,
) -> None:
    """Take in queries: all files, or none where one cannot be taken."""
    load_files(
        LOADING,
        slug,
        files,
        form=form,
        dry_run=dry_run,
        skip_bad=skip_bad,
        as_json=as_json,
    )
