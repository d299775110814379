"""Journey: a batch asked of a real small language model, through the database."""

import asyncio

import pytest

from app.db import Database, transaction
from app.judging import chunks, service
from app.judging.policy import Policy
from app.judging.prompts import Prompt
from app.models import Batch
from tests.factories import make_project
from tests.judging import rows
from tests.small_model import serve_small_model

SHORT = Prompt('Grade 0 to 3 as JSON {"reason": "five words", "grade": N}.', "{query}\n{span}")

pytestmark = pytest.mark.model


def test_every_pair_ends_with_a_verdict_or_a_reason(database: Database) -> None:
    with transaction(database) as session:
        project = make_project(session)
        rows.make_pairs(session, project, 3)
    with serve_small_model() as url:
        with transaction(database) as session:
            judge = rows.add_judge(
                session, project, url, model="smollm2", prompt=SHORT, max_tokens=40
            )
            batch = service.launch(session, project, judge, service.Scope("pool"))
        policy = Policy(max_tries=1, max_bad_answers=1)
        asyncio.run(chunks.grade_chunk(database, (url,), batch.id, 0, 1, policy=policy))

    standing = rows.stand(database, batch)
    assert standing.state == "finished"
    assert standing.done + standing.failed == 3
    assert sum(count for _, count in standing.reasons) == standing.failed
    graded = rows.grades_of(database, batch)
    assert len(graded) == standing.done
    with transaction(database, write=False) as session:
        calls = service.calls_of(session, session.get_one(Batch, batch.id))
    assert calls.calls >= 3
    assert calls.tokens_in > 0
