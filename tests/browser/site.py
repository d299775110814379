"""Site: the whole application on a free port of this machine, and people signed in to it."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from playwright.sync_api import Browser, BrowserContext

from app.accounts import service as accounts
from app.db import Database, transaction
from app.main import create_app
from app.projects import service as projects
from app.settings import Settings
from app.web.security import SESSION


@dataclass(frozen=True, slots=True)
class Site:
    """A served application: its address (no slash at the end) and its database."""

    base: str
    database: Database

    def enter(
        self, browser: Browser, slug: str, *roles: str, name: str = "ada", **options: Any
    ) -> BrowserContext:
        """Open a browser window of a member who is signed in; ``options`` are Playwright's."""
        with transaction(self.database) as session:
            user = accounts.find_or_add_user(session, f"{name}@example.org")
            projects.set_roles(session, projects.project_by_slug(session, slug), user, roles)
            token = accounts.open_session(session, user)
        context = browser.new_context(**options)
        context.add_cookies([{"name": SESSION, "value": token, "url": self.base}])
        return context


@contextmanager
def serve(database: Database, data_dir: Path) -> Iterator[Site]:
    """Serve the application on ``database`` until the block ends."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{listener.getsockname()[1]}"
        app = create_app(Settings(data_dir=data_dir, public_url=base), database)
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield Site(base, database)
        server.should_exit = True
        thread.join()
