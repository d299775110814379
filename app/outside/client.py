"""Client: the openai client behind the guard, and embeddings over it."""

import asyncio
import math
from collections.abc import Sequence
from datetime import UTC, datetime

import httpx2
import openai
from openai import AsyncOpenAI

from app.errors import Invalid, Unavailable
from app.outside.transport import AddressRefused, Endpoint, GuardedTransport, Limits
from app.outside.waiting import back_off, read_retry_after

MAX_TRIES = 5
LONGEST_WAIT = 120.0
TRANSIENT = {408, 409, 429}
EMBEDDING_LIMITS = Limits(body=64_000_000)


def open_client(endpoint: Endpoint, limits: Limits | None = None) -> AsyncOpenAI:
    """Return a client that reaches only ``endpoint``; use it in one event loop and close it.

    It never retries by itself, follows no redirect, and takes nothing (proxy, organisation,
    headers, key) from the environment.

    Raises:
        Invalid: the address must not be called.
    """
    bounds = limits or Limits()
    http = httpx2.AsyncClient(
        transport=GuardedTransport(endpoint, bounds),
        trust_env=False,
        follow_redirects=False,
        timeout=None,
    )
    # The transport adds the real key; the client would otherwise read one from the environment.
    return AsyncOpenAI(
        api_key="added-by-the-transport",
        base_url=endpoint.url,
        max_retries=0,
        timeout=None,
        http_client=http,
    )


def embed_texts(
    endpoint: Endpoint,
    model: str,
    texts: Sequence[str],
    *,
    limits: Limits = EMBEDDING_LIMITS,
    at_a_time: int = 64,
    at_once: int = 4,
) -> list[list[float]]:
    """Return one vector a text, in order; for code outside an event loop.

    Raises:
        Invalid: the address must not be called.
        Unavailable: the endpoint failed, or did not answer with one vector a text.
    """

    async def run() -> list[list[float]]:
        seats = asyncio.Semaphore(at_once)
        parts = [texts[at : at + at_a_time] for at in range(0, len(texts), at_a_time)]

        async def one(part: Sequence[str]) -> list[list[float]]:
            async with seats:
                return await embed(client, model, part)

        async with open_client(endpoint, limits) as client:
            found = await asyncio.gather(*map(one, parts))
        return [vector for vectors in found for vector in vectors]

    return _check_sizes(asyncio.run(run()))


async def embed(client: AsyncOpenAI, model: str, texts: Sequence[str]) -> list[list[float]]:
    """Return one vector a text from one request, tried again while the endpoint is busy.

    Raises:
        Unavailable: the endpoint failed, or did not answer with one finite vector a text.
    """
    for tries in range(1, MAX_TRIES + 1):
        try:
            answer = await client.embeddings.create(
                model=model, input=list(texts), encoding_format="float"
            )
            return _read_vectors(answer, len(texts))
        except openai.APIError as failed:
            wait = _wait_before_next(failed, tries)
            if wait is None:
                raise Unavailable(_in_words(failed)) from failed
            await asyncio.sleep(wait)
        except ValueError as broken:
            raise Unavailable("The embeddings endpoint answered with no JSON.") from broken
    raise Unavailable("The embeddings endpoint does not answer.")


def _wait_before_next(failed: openai.APIError, tries: int) -> float | None:
    if tries == MAX_TRIES or isinstance(failed.__cause__, AddressRefused):
        return None
    if isinstance(failed, openai.APIConnectionError):
        return back_off(tries)
    if not isinstance(failed, openai.APIStatusError):
        return None
    if failed.status_code < 500 and failed.status_code not in TRANSIENT:
        return None
    header = failed.response.headers.get("retry-after")
    asked = read_retry_after(header, datetime.now(UTC))
    if asked is not None and asked > LONGEST_WAIT:
        return None
    return back_off(tries) if asked is None else asked


def _in_words(failed: openai.APIError) -> str:
    if isinstance(failed.__cause__, AddressRefused):
        return str(failed.__cause__)
    if isinstance(failed, openai.APIStatusError):
        return f"The embeddings endpoint answered with status {failed.status_code}."
    return "The embeddings endpoint cannot be reached, or does not answer in time."


def _read_vectors(answer: object, wanted: int) -> list[list[float]]:
    data = getattr(answer, "data", None)
    if not isinstance(data, list) or len(data) != wanted:
        raise Unavailable("The embeddings endpoint did not answer with one vector a text.")
    by_index = {getattr(one, "index", None): getattr(one, "embedding", None) for one in data}
    return [_check_vector(by_index.get(number)) for number in range(wanted)]


def _check_vector(values: object) -> list[float]:
    if not isinstance(values, list) or not values or not all(map(_is_finite, values)):
        raise Unavailable("The embeddings endpoint answered with something that is no vector.")
    return values


def _is_finite(value: object) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isfinite(value)  # type: ignore[arg-type]


def _check_sizes(vectors: list[list[float]]) -> list[list[float]]:
    if len({len(vector) for vector in vectors}) > 1:
        raise Invalid("The embeddings endpoint answered with vectors of different lengths.")
    return vectors
