"""Commands: ``goldspan import corpus``."""

from app.corpus import service
from app.projects.loading import (
    AsJson,
    DryRun,
    Files,
    Form,
    SkipBad,
    Slug,
    load_files,
)


def import_corpus(
    slug: Slug,
    files: Files,
    form: Form = None,
    dry_run: DryRun = False,
    skip_bad: SkipBad = False,
    as_json: AsJson = False,
) -> None:
    """Take in documents: all files, or none where one cannot be taken."""
    load_files(
        service.LOADING,
        slug,
        files,
        form=form,
        dry_run=dry_run,
        skip_bad=skip_bad,
        as_json=as_json,
    )
