"""Dependencies: the session and the settings of a request."""

from collections.abc import Iterator
from typing import Annotated, cast

from fastapi import Depends, Form, Request
from sqlalchemy.orm import Session

from app.db import Database, transaction
from app.settings import Settings


def database_of(request: Request) -> Database:
    """Return the database that the application was started with."""
    return cast(Database, request.app.state.database)


def settings_of(request: Request) -> Settings:
    """Return the settings that the application was started with."""
    return cast(Settings, request.app.state.settings)


def open_session(request: Request) -> Iterator[Session]:
    with transaction(database_of(request)) as session:
        yield session


def open_reading_session(request: Request) -> Iterator[Session]:
    with transaction(database_of(request), write=False) as session:
        yield session


# "function" scope commits before the response leaves; the default would tell
# the browser "saved" first and commit after.
SessionDep = Annotated[Session, Depends(open_session, scope="function")]
ReadSessionDep = Annotated[Session, Depends(open_reading_session, scope="function")]
SettingsDep = Annotated[Settings, Depends(settings_of)]
# What every database keeps as a number; more digits would be an error in there.
FormNumber = Annotated[int, Form(ge=-(2**31), le=2**31 - 1)]
DatabaseDep = Annotated[Database, Depends(database_of)]
