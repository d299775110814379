"""Client: the guard at the moment of connecting, and embeddings over real HTTP."""

import asyncio
import socket

import openai
import pytest

from app.errors import Invalid, Unavailable
from app.outside.client import embed_texts, open_client
from app.outside.transport import AddressRefused, Endpoint, GuardedResolver, Limits
from tests.scripted_server import Act, Call, ScriptedServer, embed, embedding, raw, status


def endpoint_of(server: ScriptedServer) -> Endpoint:
    return Endpoint(server.url, allowed=(server.url,))


def test_a_client_for_a_refused_address_is_not_made() -> None:
    with pytest.raises(Invalid, match="GOLDSPAN_ALLOWED_ENDPOINTS"):
        open_client(Endpoint("http://127.0.0.1:1/v1"))


def test_a_name_that_leads_home_is_refused_when_connecting() -> None:
    async def look_up() -> None:
        resolver = GuardedResolver(permitted=False)
        try:
            await resolver.resolve("localhost", 80, socket.AF_INET)
        finally:
            await resolver.close()

    with pytest.raises(Invalid, match="not public"):
        asyncio.run(look_up())


def test_a_request_to_another_place_is_refused_before_it_is_sent() -> None:
    async def wander(server: ScriptedServer, other: ScriptedServer) -> None:
        async with open_client(endpoint_of(server)) as client:
            await client.post(
                f"{other.url}/chat/completions", body={"messages": []}, cast_to=dict
            )

    with (
        ScriptedServer() as server,
        ScriptedServer() as other,
        pytest.raises(openai.APIConnectionError) as refused,
    ):
        asyncio.run(wander(server, other))
    assert isinstance(refused.value.__cause__, AddressRefused)
    assert other.calls == []


def test_a_name_allowed_by_the_setting_is_connected_to() -> None:
    with ScriptedServer() as server:
        url = server.url.replace("127.0.0.1", "localhost")
        vectors = embed_texts(Endpoint(url, allowed=(url,)), "m", ["a"])

    assert vectors == [embedding("a")]


def test_embeddings_come_in_the_order_of_the_texts() -> None:
    texts = [f"text number {n}" for n in range(150)]
    with ScriptedServer() as server:
        vectors = embed_texts(endpoint_of(server), "m", texts, at_a_time=64)

    assert vectors == [embedding(text) for text in texts]
    assert len(server.calls) == 3


def test_no_texts_need_no_call() -> None:
    with ScriptedServer() as server:
        vectors = embed_texts(endpoint_of(server), "m", [])

    assert (vectors, server.calls) == ([], [])


def test_an_embedder_that_is_away_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.outside.client.MAX_TRIES", 1)
    with ScriptedServer() as server:
        pass

    with pytest.raises(Unavailable, match="cannot be reached"):
        embed_texts(endpoint_of(server), "m", ["a"], limits=Limits(connect=0.5))


def test_a_busy_embedder_is_asked_again() -> None:
    acts = iter([status(429, retry_after="0.1"), status(503, retry_after="0")])

    def busy(call: Call) -> Act:
        return next(acts, None) or embed(call)

    with ScriptedServer(embeddings=busy) as server:
        vectors = embed_texts(endpoint_of(server), "m", ["a"])

    assert vectors == [embedding("a")]
    assert len(server.calls) == 3


@pytest.mark.parametrize(
    "act",
    [
        status(401),
        status(429, retry_after="198300"),
        raw(b'{"data": []}'),
        raw(b'{"data": [{"index": 0, "embedding": []}]}'),
        raw(b'{"data": [{"index": 0, "embedding": [1, null]}]}'),
        raw(b'{"data": [{"index": 7, "embedding": [1]}]}'),
        raw(b"not json"),
        raw(b"<html>", "text/html"),
    ],
)
def test_an_embedder_that_answers_badly_is_unavailable_after_one_call(act: Act) -> None:
    with (
        ScriptedServer(embeddings=lambda _: act) as server,
        pytest.raises(Unavailable, match="embeddings endpoint"),
    ):
        embed_texts(endpoint_of(server), "m", ["a"])
    assert len(server.calls) == 1
