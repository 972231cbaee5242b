"""Folding of hosts and ranks, and that nothing is lost by it."""

import pytest
from aitia.connectors.hostlist import expand
from aitia.fold import hostlist, ranges
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("names", "folded"),
    [
        (["node-01", "node-02", "node-03"], "node-[01-03]"),
        (["node-09", "node-10", "node-12"], "node-[09-10,12]"),
        (["n9", "n10"], "n[9-10]"),
        (["worker0", "worker1"], "worker[0-1]"),
        (["gpu7"], "gpu7"),
        (["b", "a"], "a,b"),
        (["r1-ib", "r2-ib", "x"], "r[1-2]-ib,x"),
        ([], ""),
    ],
)
def test_hostlist(names: list[str], folded: str) -> None:
    assert hostlist(names) == folded


def test_ranges() -> None:
    assert ranges([0, 1, 2, 3, 7, 9, 10, 11]) == "0-3,7,9-11"
    assert ranges([5]) == "5"


@given(st.sets(st.from_regex(r"[a-c]-?[0-9]{1,3}(-ib)?", fullmatch=True), max_size=20))
def test_a_folded_list_expands_to_what_it_was(names: set[str]) -> None:
    assert sorted(expand(hostlist(names))) == sorted(names) if names else hostlist(names) == ""
