"""Tour: the sample project served and filled, and every page of it as a picture.

    make screenshots                              all of them, in screenshots/
    python -m tests.browser.tour scores runs      only addresses that hold one of the words

Exits with 1 and a list where a page has a fault: errors on the console, what axe says, a
violated policy, something wider than the window.
"""

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select

from app import demo
from app.db import open_database, transaction
from app.models import Block, Import, Slot
from tests.browser.addresses import empty_places, fill_places
from tests.browser.filling import GRADER, JUDGE, NEWCOMER, SLUG, fill, make_link, mumble
from tests.browser.installation import Installation, install
from tests.browser.screenshots import name_page, shoot
from tests.scripted_server import ScriptedServer

BASE = f"/projects/{SLUG}"
OUT = Path("screenshots")


@dataclass(frozen=True, slots=True)
class Visit:
    """What one person looks at; ``link`` signs them in, None is nobody.

    Addresses that are ``refused`` are pages as well, and looked at like the others.
    """

    name: str
    link: str | None
    addresses: Sequence[str]
    refused: Sequence[str] = ()


def examples(site: Installation) -> dict[str, list[str]]:
    """Return addresses for the pages that need more than a project, by template."""
    database = open_database(site.database_url)
    with transaction(database, write=False) as session:
        held = select(Slot.token).join(Block).where(Block.state == "held").limit(1)
        token = session.scalars(held).one()
        taken = {one.kind: one.sha256 for one in session.scalars(select(Import))}
    database.close()
    two = "first=bm25%40paragraphs&second=hybrid%40paragraphs"
    found = {
        "corpus/imports/{sha256}": [f"corpus/imports/{taken['corpus']}"],
        "corpus/documents/{doc_id:path}": [
            f"corpus/documents/{name}"
            for name in ("device-refresh-policy", "employee-handbook", "haifa-guide")
        ],
        "queries/imports/{sha256}": [f"queries/imports/{taken['queries']}"],
        "queries/{query_id:path}": ["queries/q01"],
        "runs/{name:path}": ["runs/bm25%40paragraphs", "runs/hybrid%40paragraphs?query=q03"],
        "grade/cards/{token}": [f"grade/cards/{token}"],
        "judges/judge": [f"judges/judge?name={JUDGE}"],
        "judges/new": [f"judges/new?like={JUDGE}"],
        "judges/launch": [f"judges/launch?name={JUDGE}&scope=unjudged"],
        "judges/batch": ["judges/batch?number=1"],
        "agreement": ["agreement?split=dev"],
        "releases/{number}": ["releases/2"],
        "scores/run": ["scores/run?name=bm25%40paragraphs"],
        "scores/compare": [f"scores/compare?{two}"],
    }
    return {
        "/link/{token}": [],  # looked at by nobody, see list_visits
        **{
            f"/projects/{{slug}}/{template}": [f"{BASE}/{address}" for address in addresses]
            for template, addresses in found.items()
        },
    }


def list_visits(site: Installation) -> list[Visit]:
    """Return who looks at what: an admin, somebody new, a grader, nobody at all."""
    pages = fill_places(SLUG, examples(site))
    welcome = make_link(site, GRADER).removeprefix(site.base)
    wrong = [f"{BASE}/nowhere", f"{BASE}/scores/run?name=nobody"]
    return [
        Visit("nobody", None, ["/login", welcome], ["/link/used-up"]),
        Visit("grader", make_link(site, GRADER), ["/", f"{BASE}/grade"], [f"{BASE}/scores"]),
        Visit("newcomer", make_link(site, demo.VISITOR), empty_places(NEWCOMER)),
        Visit("admin", make_link(site, demo.VISITOR), [*pages, "/patterns"], wrong),
    ]


def picture(site: Installation, visit: Visit, words: Sequence[str]) -> list[str]:
    """Picture what a person sees, as far as the words ask for it; return the faults."""
    wanted = [
        address
        for address in (*visit.addresses, *visit.refused)
        if not words or any(word in f"{visit.name}{address}" for word in words)
    ]
    if not wanted:
        return []
    faults = shoot(wanted, visit.link, site.base, OUT / visit.name)
    return [f"{visit.name}: {fault}" for fault in faults if not is_meant(visit, fault)]


def is_meant(visit: Visit, fault: str) -> bool:
    """Tell whether a fault is only that the browser heard of a refusal that was asked for."""
    names = [f"{name_page(address)}-" for address in visit.refused]
    return "status of 4" in fault and fault.startswith(tuple(names))


def main() -> int:
    faults: list[str] = []
    with (
        tempfile.TemporaryDirectory(prefix="goldspan-tour-") as folder,
        ScriptedServer(mumble) as server,
    ):
        site = install(Path(folder), GOLDSPAN_ALLOWED_ENDPOINTS=server.url)
        with site.served("demo"):
            fill(site, server.url)
            for visit in list_visits(site):
                faults += picture(site, visit, sys.argv[1:])
    sys.stdout.write("".join(f"{fault}\n" for fault in faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
