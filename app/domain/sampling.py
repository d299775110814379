"""Sampling: which queries are for tuning a judge, and which for testing it."""

from collections.abc import Mapping
from random import Random
from typing import Literal

DEV_SHARE = 0.30
MIN_QUERIES = 72  # fewer leave too few test queries to spare any for dev

Split = Literal["dev", "test"]


def split_queries(groups: Mapping[str, str], seed: int) -> dict[str, Split]:
    """Split queries (id to group) about 30 dev to 70 test; a group is never torn.

    Under 72 queries everything is test. Groups are taken in an order shuffled by the
    seed, each that still fits into the dev share goes there.
    """
    members: dict[str, list[str]] = {}
    for query_id in sorted(groups):
        members.setdefault(groups[query_id], []).append(query_id)
    room = round(DEV_SHARE * len(groups)) if len(groups) >= MIN_QUERIES else 0
    order = list(members)
    Random(seed).shuffle(order)
    split: dict[str, Split] = dict.fromkeys(groups, "test")
    for group in order:
        if len(members[group]) <= room:
            room -= len(members[group])
            split.update(dict.fromkeys(members[group], "dev"))
    return split
