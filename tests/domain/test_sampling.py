"""Sampling: the split into dev and test."""

from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.sampling import split_queries


def test_few_queries_are_all_for_the_test() -> None:
    split = split_queries({f"q{at}": f"q{at}" for at in range(71)}, seed=1)

    assert set(split.values()) == {"test"}
    assert len(split) == 71


def test_thirty_of_a_hundred_queries_are_for_dev() -> None:
    split = split_queries({f"q{at}": f"q{at}" for at in range(100)}, seed=1)

    assert list(split.values()).count("dev") == 30
    assert split != split_queries({f"q{at}": f"q{at}" for at in range(100)}, seed=2)


def test_a_group_too_large_for_dev_goes_to_the_test() -> None:
    groups = {f"q{at}": "big" if at < 60 else f"g{at}" for at in range(100)}

    split = split_queries(groups, seed=1)

    assert {split[f"q{at}"] for at in range(60)} == {"test"}
    assert list(split.values()).count("dev") == 30


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 30), min_size=72, max_size=150), st.integers())
def test_a_group_is_never_torn(group_of: list[int], seed: int) -> None:
    groups = {f"q{at}": str(group) for at, group in enumerate(group_of)}

    split = split_queries(groups, seed)

    sides = {(groups[query], side) for query, side in split.items()}
    assert len(sides) == len(set(groups.values()))
    assert split.keys() == groups.keys()
    assert list(split.values()).count("dev") <= round(0.3 * len(groups))
    assert split == split_queries(dict(reversed(groups.items())), seed)
