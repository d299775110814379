"""LLM: three pairs graded by a real small language model."""

import asyncio
from collections.abc import Iterator

import pytest

from app.judging.answers import Failure
from app.judging.llm import JudgeClient
from app.judging.policy import Policy
from app.judging.pool import Ended, grade_all
from app.judging.prompts import Prompt
from app.outside.transport import Endpoint, Limits
from tests.judging.factory import MemoryLedger, make_cards
from tests.small_model import serve_small_model

SHORT = Prompt('Grade 0 to 3 as JSON {"reason": "five words", "grade": N}.', "{query}\n{span}")

pytestmark = pytest.mark.model


@pytest.fixture(scope="session")
def small_model() -> Iterator[str]:
    with serve_small_model() as url:
        yield url


def test_a_real_model_ends_each_pair_with_a_verdict_or_a_reason(small_model: str) -> None:
    ledger = MemoryLedger()

    async def run() -> Ended:
        async with JudgeClient(
            Endpoint(small_model, allowed=(small_model,)),
            model="smollm2",
            prompt=SHORT,
            parameters={"temperature": 0, "max_tokens": 40},
            limits=Limits(total=90),
        ) as judge:
            return await grade_all(
                judge,
                make_cards(3),
                ledger,
                should_stop=lambda: False,
                at_once=2,
                policy=Policy(max_tries=1, max_bad_answers=1),
            )

    ended = asyncio.run(run())

    assert ended.why is None
    assert sorted(ledger.outcomes()) == [0, 1, 2]
    answers = [answer for n in range(3) if (answer := ledger.final(n)) is not None]
    reasons = [a.result.detail for a in answers if isinstance(a.result, Failure)]
    assert all(reasons)
    assert any(answer.usage.tokens_in for answer in answers)
