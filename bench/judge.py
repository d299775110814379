"""Judge: a batch against a 200 ms endpoint, as a share of pairs x latency / concurrency.

    python bench/judge.py [--pairs 6400] [--latency 0.2]

The full path on SQLite and on PostgreSQL: launch, worker, prompts, HTTP, attempts and grades
in the database. The endpoint is a process of its own on the same machine.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from app import jobs  # noqa: E402
from app.db import Database, transaction  # noqa: E402
from app.judging import service  # noqa: E402
from app.judging.seats import AT_ONCE  # noqa: E402
from app.models import Batch  # noqa: E402
from app.settings import Settings  # noqa: E402
from tests.databases import Postgres, sqlite_database  # noqa: E402
from tests.factories import make_project  # noqa: E402
from tests.judging import rows  # noqa: E402


@contextmanager
def serve(latency: float) -> Iterator[str]:
    """Serve the scripted judge beside this process and give its address."""
    command = [sys.executable, "-m", "tests.scripted_server", "--latency", str(latency)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None, "its address comes over a pipe"
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def measure(database: Database, url: str, pairs: int) -> tuple[float, float]:
    """Return the seconds from launch to the end of a batch, and those of a core's work."""
    with transaction(database) as session:
        project = make_project(session)
        rows.make_pairs(session, project, pairs)
        judge = rows.add_judge(session, project, url)
    with transaction(database) as session:
        batch = service.launch(session, project, judge, service.Scope("pool"))
    started, busy = time.monotonic(), time.process_time()
    ended: list[float] = []

    def is_over() -> bool:
        with transaction(database, write=False) as session:
            state = session.get_one(Batch, batch.id).state
        if state in ("planned", "running"):
            return False
        ended.append(time.monotonic())
        return True

    jobs.work_until(database, Settings(allowed_endpoints=url), is_over)
    standing = rows.stand(database, batch)
    assert standing.done == pairs, f"{standing.words}: {standing.done} of {pairs}"
    return ended[0] - started, time.process_time() - busy


def tell(name: str, pairs: int, latency: float, seconds: float, busy: float) -> None:
    """Print one line with the ratio."""
    ideal = pairs * latency / AT_ONCE
    print(
        f"judge batch, {name}: {ideal / seconds:.2f} of the ideal "
        f"({pairs:,} pairs, {latency * 1000:.0f} ms, {AT_ONCE} at once, {seconds:.1f} s; "
        f"{busy / pairs * 1000:.1f} ms of a core a pair; target 0.90; "
        f"load {os.getloadavg()[0]:.1f})"
    )


def main() -> None:
    """Measure both databases."""
    options = argparse.ArgumentParser(description=main.__doc__)
    options.add_argument("--pairs", type=int, default=6400)
    options.add_argument("--latency", type=float, default=0.2)
    options.add_argument("--only", choices=["sqlite", "postgresql"])
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder, serve(chosen.latency) as url:
        if chosen.only != "postgresql":
            with sqlite_database(Path(folder)) as database:
                took = measure(database, url, chosen.pairs)
            tell("SQLite", chosen.pairs, chosen.latency, *took)
        if chosen.only != "sqlite":
            postgres = Postgres()
            with postgres.database() as database:
                took = measure(database, url, chosen.pairs)
            tell("PostgreSQL", chosen.pairs, chosen.latency, *took)
            postgres.stop()


if __name__ == "__main__":
    main()
