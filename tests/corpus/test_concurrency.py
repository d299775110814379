from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from app.corpus import service
from app.corpus.service import CorpusCounts
from app.db import Database, transaction
from app.projects import service as projects
from app.projects.imports import ImportReport
from tests.corpus.files import write


def take(database: Database, path: Path) -> ImportReport:
    with transaction(database) as session:
        project = projects.project_by_slug(session, "shop")
        return service.import_corpus(session, project, path, file_name=path.name)


def test_the_same_file_at_the_same_moment_is_taken_once_v017(
    database: Database, tmp_path: Path
) -> None:
    rows = [f'{{"doc_id":"d{number}","text":"x"}}' for number in range(500)]
    path = write(tmp_path, *rows)
    with transaction(database) as session:
        project = projects.create_project(session, "shop")

    with ThreadPoolExecutor(4) as pool:
        reports = list(pool.map(lambda _: take(database, path), range(4)))

    assert sorted(report.already for report in reports) == [False, True, True, True]
    with transaction(database, write=False) as session:
        assert service.counts(session, project.id) == CorpusCounts(500, 0, 500)


def test_different_files_at_the_same_moment_are_both_taken(
    database: Database, tmp_path: Path
) -> None:
    paths = [
        write(tmp_path, *(f'{{"doc_id":"d{n}","text":"x"}}' for n in numbers), name=name)
        for name, numbers in (("one", range(300)), ("two", range(100, 400)))
    ]
    with transaction(database) as session:
        project = projects.create_project(session, "shop")

    with ThreadPoolExecutor(2) as pool:
        reports = list(pool.map(lambda path: take(database, path), paths))

    assert sum(report.added for report in reports) == 400
    with transaction(database, write=False) as session:
        assert service.counts(session, project.id) == CorpusCounts(400, 0, 400)
