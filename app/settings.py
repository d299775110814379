"""Settings: the only reader of the environment."""

import os
from functools import cached_property
from pathlib import Path

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from app.errors import Invalid, say_reason

PREFIX = "GOLDSPAN_"
SECRET = "GOLDSPAN_SECRET_"
IGNORED = {"GOLDSPAN_TEST_DATA"}


class Settings(BaseSettings):
    """What a Goldspan process was started with; every name begins with GOLDSPAN_."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="forbid")

    data_dir: Path = Path("goldspan-data")
    database_url: str = Field(default="", description="a SQLite file in the data folder")
    public_url: str = "http://127.0.0.1:8000"
    allowed_endpoints: str = Field(default="", description="comma-separated URL prefixes")

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, value: str) -> str:
        if value and not value.startswith(
            ("sqlite:///", "postgresql://", "postgresql+psycopg://")
        ):
            raise ValueError("must begin with sqlite:/// or postgresql://")
        return value

    @field_validator("public_url")
    @classmethod
    def _absolute(cls, value: str) -> str:
        if not value.startswith(("http://", "https://")):
            raise ValueError("must begin with http:// or https://")
        return value.rstrip("/")

    @cached_property
    def database(self) -> str:
        """The database's URL, the default being a SQLite file in the data folder."""
        return self.database_url or f"sqlite:///{self.data_dir.resolve() / 'goldspan.db'}"

    @cached_property
    def cache_dir(self) -> Path:
        """Where indexes are kept; they are rebuilt from the database when missing."""
        return self.data_dir / "cache"

    @cached_property
    def endpoints(self) -> tuple[str, ...]:
        """URL prefixes that judges and embedders may call besides public addresses."""
        return tuple(part.strip() for part in self.allowed_endpoints.split(",") if part.strip())


def load_settings() -> Settings:
    """Read and check the environment; a name nobody knows stops the start (V-102)."""
    known = {PREFIX + name.upper() for name in Settings.model_fields} | IGNORED
    ours = {
        name: value for name, value in os.environ.items() if name.upper().startswith(PREFIX)
    }
    for name, value in ours.items():
        if name not in known and not name.startswith(SECRET):
            raise Invalid(f"Unknown setting {name}. Known: {', '.join(sorted(known))}.")
        if not value.strip() and name not in IGNORED:
            raise Invalid(f"Setting {name} is empty. Give it a value or remove it.")
    try:
        settings = Settings()
    except ValidationError as wrong:
        raise Invalid(_in_words(wrong)) from wrong
    _make_writable(settings.data_dir)
    return settings


def _in_words(wrong: ValidationError) -> str:
    lines = [
        f"{PREFIX}{str(e['loc'][0]).upper()}: {say_reason(e['msg'])}" for e in wrong.errors()
    ]
    return "The settings are wrong. " + " ".join(lines)


def _make_writable(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as denied:
        raise Invalid(
            f"GOLDSPAN_DATA_DIR: cannot write to {folder}: {denied.strerror}."
        ) from denied


def secret_names() -> list[str]:
    """Return the names of the secrets present, never their values."""
    return sorted(name for name in os.environ if _is_secret(name))


def check_secret_name(name: str) -> None:
    """Refuse names of variables that are no keys."""
    if not _is_secret(name):
        raise Invalid(f"A key must be named OPENAI_API_KEY or {SECRET}..., not {name}.")


def read_secret(name: str) -> str:
    """Return the secret of that name; a name ending in _FILE points to a file that holds it."""
    check_secret_name(name)
    value = os.environ.get(name, "")
    if not value:
        raise Invalid(f"The key {name} is not set where Goldspan runs. Set it and start again.")
    if name.endswith("_FILE"):
        try:
            return Path(value).read_text(encoding="utf-8").strip()
        except OSError as missing:
            raise Invalid(f"{name} points to a file that cannot be read.") from missing
    return value


def _is_secret(name: str) -> bool:
    return name == "OPENAI_API_KEY" or (name.startswith(SECRET) and len(name) > len(SECRET))
