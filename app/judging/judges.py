"""Judges: adding one, which never changes afterwards, and finding it again."""

import hashlib
import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from app.assignment import service as assignment
from app.domain.scale import GRADES
from app.errors import Conflict, Invalid, NotFound
from app.judging import store
from app.judging.parameters import check_parameters
from app.judging.prompts import Prompt, load_prompt, restore_prompt, store_prompt
from app.models import Guideline, Judge, Project
from app.outside.addresses import check_address, read_place
from app.projects import service as projects
from app.settings import check_secret_name

MAX_NAME = 100
MAX_TOKENS = 500
MOST_TOKENS = 100_000
HOTTEST = 2.0


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants a judge to be."""

    name: str
    endpoint: str
    model: str
    key_name: str | None = None
    temperature: float | None = 0.0
    """None leaves it to the endpoint."""
    max_tokens: int | None = MAX_TOKENS
    """Tokens of the longest answer; None leaves it to the endpoint."""
    prompt: Prompt | None = None
    """None is the prompt that ships with Goldspan."""
    access: Sequence[str] = ()
    """Labels of restricted documents that the endpoint may receive."""

    @property
    def parameters(self) -> dict[str, Any]:
        """What is sent beside model and messages."""
        named = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        return {name: value for name, value in named.items() if value is not None}


def add_judge(
    session: Session,
    project: Project,
    wish: Wish,
    *,
    allowed: tuple[str, ...] = (),
    by: int | None = None,
) -> Judge:
    """Add a judge and the grader it grades as; the same judge again is returned.

    ``allowed`` are the URL prefixes that may be called besides public addresses.

    Raises:
        Conflict: the name is taken by another judge, this judge has another name, or its key
            is used with another endpoint.
        Invalid: address, name, model, key name, parameters or prompt cannot be taken.
    """
    endpoint = wish.endpoint.strip().rstrip("/")
    _check(wish, endpoint, allowed)
    projects.lock(session, project.id)
    _check_key(session, wish.key_name, endpoint)
    guideline = projects.guideline(session, project.id)
    prompt = wish.prompt or load_prompt()
    identity = hash_identity(endpoint, wish.model.strip(), wish.parameters, prompt, guideline)
    known = _find_known(session, project.id, wish.name.strip(), identity)
    if known is not None:
        return known
    judge = Judge(
        project_id=project.id,
        name=wish.name.strip(),
        identity_hash=identity,
        endpoint=endpoint,
        model=wish.model.strip(),
        parameters=wish.parameters,
        prompt=store_prompt(prompt),
        key_name=wish.key_name or None,
        access=list(wish.access),
        guideline_id=guideline.id,
    )
    session.add(judge)
    session.flush()
    assignment.add_grader(session, project.id, kind="judge", name=judge.name, judge_id=judge.id)
    projects.record(session, project.id, "judge", f"added {judge.name}", by=by)
    return judge


def _check(wish: Wish, endpoint: str, allowed: tuple[str, ...]) -> None:
    name = wish.name.strip()
    if not 0 < len(name) <= MAX_NAME or not name.isprintable():
        raise Invalid(f"A judge needs a name of 1 to {MAX_NAME} characters in one line.")
    if not wish.model.strip() or not wish.model.strip().isprintable():
        raise Invalid("Say which model the endpoint should use.")
    check_address(endpoint, allowed)
    if wish.key_name:
        check_secret_name(wish.key_name)
    _check_parameters(wish)


def _check_parameters(wish: Wish) -> None:
    check_parameters(wish.parameters)
    heat, tokens = wish.temperature, wish.max_tokens
    if heat is not None and not (math.isfinite(heat) and 0 <= heat <= HOTTEST):
        raise Invalid(f"The temperature is 0 to {HOTTEST:g}, not {heat:g}.")
    if tokens is not None and not 1 <= tokens <= MOST_TOKENS:
        raise Invalid(f"An answer may have 1 to {MOST_TOKENS:,} tokens, not {tokens:,}.")


def _check_key(session: Session, key_name: str | None, endpoint: str) -> None:
    """Keep a key at the host it was first used with, whoever asks in whichever project."""
    place = read_place(endpoint)
    for known in store.endpoints_of_key(session, key_name) if key_name else ():
        other = read_place(known)
        if (other.scheme, other.host, other.port) != (place.scheme, place.host, place.port):
            raise Conflict(
                f"The key {key_name} is used with another endpoint already and goes nowhere "
                "else. Give the key of this endpoint a name of its own, such as "
                "GOLDSPAN_SECRET_JUDGE."
            )


def hash_identity(
    endpoint: str,
    model: str,
    parameters: Mapping[str, Any],
    prompt: Prompt,
    guideline: Guideline,
) -> str:
    """Return SHA-256 of the canonical JSON of all that makes a judge what it is."""
    identity = {
        "endpoint": endpoint,
        "model": model,
        "parameters": dict(parameters),
        "prompt": {"system": prompt.system, "user": prompt.user},
        "scale": list(GRADES),
        "guidelines": guideline.text,
    }
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _find_known(session: Session, project_id: int, name: str, identity: str) -> Judge | None:
    same = store.judge_by_identity(session, project_id, identity)
    if same is not None and same.name != name:
        raise Conflict(f"This judge is here already, under the name {same.name}.")
    if same is None and store.judge_by_name(session, project_id, name) is not None:
        raise Conflict(
            f"There is another judge named {name}. A judge never changes; "
            "give the new one a name of its own."
        )
    return same


def judges_of(session: Session, project_id: int) -> list[Judge]:
    """Return the judges of a project, the newest first."""
    return store.judges_of(session, project_id)


def judge_by_name(session: Session, project_id: int, name: str) -> Judge:
    """Return a judge or refuse."""
    judge = None if "\x00" in name else store.judge_by_name(session, project_id, name)
    if judge is None:
        known = ", ".join(each.name for each in store.judges_of(session, project_id)) or "none"
        raise NotFound(f"There is no judge {name[:MAX_NAME]!r}. There are: {known}.")
    return judge


def allow_access(
    session: Session, judge: Judge, labels: Sequence[str], *, by: int | None = None
) -> None:
    """Say which restricted documents the judge's endpoint may receive from now on."""
    judge.access = sorted(set(labels))
    what = f"{judge.name} may receive: {', '.join(judge.access) or 'nothing restricted'}"
    projects.record(session, judge.project_id, "judge access", what, by=by)


def default_prompt() -> Prompt:
    """Return the prompt that a new judge starts with."""
    return load_prompt()


def prompt_of(judge: Judge) -> Prompt:
    """Return the prompt a judge was made with."""
    return restore_prompt(judge.prompt) if judge.prompt else load_prompt()


def guideline_of(session: Session, judge: Judge) -> Guideline | None:
    """Return the guideline a judge was made with, None for imported labels."""
    return session.get(Guideline, judge.guideline_id) if judge.guideline_id else None


def read_prompt(text: str) -> Prompt:
    """Read a prompt from a TOML text with ``system`` and ``user``.

    Raises:
        Invalid: it is not such a file, or its slots are wrong.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as wrong:
        raise Invalid(f"The prompt is no TOML file: {wrong}.") from wrong
    if set(data) != {"system", "user"} or not all(isinstance(v, str) for v in data.values()):
        raise Invalid('A prompt file has two texts: system = """...""" and user = """...""".')
    return Prompt(data["system"].strip(), data["user"].strip())
