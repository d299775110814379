"""Clients: a browser without a screen, signed in, that fills in our forms."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
from fastapi.testclient import TestClient

from app.accounts import service as accounts
from app.db import Database, transaction
from app.main import create_app
from app.projects import service as projects
from app.settings import Settings
from app.web.security import ANYBODY, SESSION, form_token

BASE = "http://goldspan.test"


class Browser:
    """A person's browser: cookies, form tokens, no redirects followed unless asked."""

    def __init__(self, client: TestClient, token: str | None = None) -> None:
        self.client = client
        if token is not None:
            client.cookies.set(SESSION, token, domain="goldspan.test", path="/")

    def get(self, path: str, **options: Any) -> httpx2.Response:
        return self.client.get(path, **options)

    def post(self, path: str, *, htmx: bool = False, **options: Any) -> httpx2.Response:
        headers = {"Origin": BASE, **options.pop("headers", {})}
        cookies = self.client.cookies
        secret = cookies.get(SESSION) or cookies.get(ANYBODY)
        if secret is not None:
            headers["X-CSRF-Token"] = form_token(secret)
        if htmx:
            headers["HX-Request"] = "true"
        return self.client.post(path, headers=headers, **options)


@contextmanager
def web(database: Database, data_dir: Path) -> Iterator[TestClient]:
    """Give a client of the whole application on that database."""
    settings = Settings(data_dir=data_dir, public_url=BASE)
    with TestClient(
        create_app(settings, database), base_url=BASE, follow_redirects=False
    ) as client:
        yield client


def sign_in(
    database: Database,
    data_dir: Path,
    *,
    name: str = "ada",
    slug: str | None = None,
    roles: tuple[str, ...] = ("admin",),
) -> Browser:
    """Return the browser of a person who is signed in; with ``slug`` also a member there."""
    with transaction(database) as session:
        user = accounts.find_or_add_user(session, f"{name}@example.org")
        if slug is not None:
            projects.set_roles(session, projects.project_by_slug(session, slug), user, roles)
        token = accounts.open_session(session, user)
    settings = Settings(data_dir=data_dir, public_url=BASE)
    client = TestClient(create_app(settings, database), base_url=BASE, follow_redirects=False)
    return Browser(client, token)
