"""The columnar floor against plain Python."""

import numpy as np
import pytest
from aitia.engine.columns import Packing, dense, distinct, is_sorted, look_up, ordered
from aitia.engine.expressions import Expression, compute
from aitia.engine.index import Index, KeySet, expand
from aitia.engine.known import Known
from aitia.engine.relation import Relation
from aitia.engine.symbols import Symbols
from hypothesis import given, settings
from hypothesis import strategies as st

LEAST, GREATEST = -(1 << 63), (1 << 63) - 1
NUMBERS = st.one_of(
    st.integers(-3, 6),
    st.integers(LEAST, GREATEST),
    st.sampled_from([LEAST, LEAST + 1, GREATEST, GREATEST - 1, 1_800_000_000_000_000_000]),
)
TABLES = st.integers(1, 4).flatmap(lambda k: st.lists(st.tuples(*[NUMBERS] * k), min_size=1, max_size=40))


def array(values: list[int]) -> np.ndarray:
    return np.array(values, np.int64)


def columns_of(rows: list[tuple[int, ...]]) -> list[np.ndarray]:
    return [array(list(column)) for column in zip(*rows, strict=True)]


@given(st.lists(NUMBERS, max_size=60))
def test_ordered_is_a_stable_sort(values: list[int]) -> None:
    keys, rows = ordered(array(values))
    assert keys.tolist() == sorted(values)
    expected = sorted(range(len(values)), key=lambda i: (values[i], i))
    assert (list(range(len(values))) if rows is None else rows.tolist()) == expected


@given(st.lists(st.integers(0, 9), max_size=60))
def test_packed_sorting_is_the_same(values: list[int]) -> None:
    keys, rows = ordered(array(values), 10)
    assert keys.tolist() == sorted(values)
    expected = sorted(range(len(values)), key=lambda i: (values[i], i))
    assert (list(range(len(values))) if rows is None else rows.tolist()) == expected


@given(st.lists(NUMBERS, max_size=60))
def test_dense_numbers_keep_order(values: list[int]) -> None:
    codes, kinds = dense(array(values))
    assert kinds.tolist() == sorted(set(values))
    assert [kinds[c] for c in codes] == values


@given(TABLES, TABLES)
def test_packed_keys_compare_as_rows_do(rows: list[tuple[int, ...]], others: list[tuple[int, ...]]) -> None:
    packing = Packing(columns_of(rows), len(rows))
    keys = packing.keys.tolist()
    assert all(0 <= key < packing.space for key in keys)
    for key, row in zip(keys, rows, strict=True):
        for other_key, other in zip(keys, rows, strict=True):
            assert (key < other_key) == (row < other)
    probes = [other for other in others if len(other) == len(rows[0])] + rows
    codes, fits = packing.encode(columns_of(probes), len(probes))
    for i, probe in enumerate(probes):
        found = (fits is None or bool(fits[i])) and int(codes[i]) in keys
        assert found == (probe in rows)


@given(TABLES, st.booleans())
def test_distinct_keeps_the_first_of_each(rows: list[tuple[int, ...]], in_order: bool) -> None:
    chosen = distinct(columns_of(rows), len(rows), in_order)
    numbers = list(range(len(rows))) if chosen is None else chosen.tolist()
    assert sorted(numbers) == sorted(rows.index(row) for row in set(rows))
    if in_order:
        assert numbers == sorted(numbers)


@given(TABLES, TABLES, st.integers(0, 3), st.booleans())
def test_an_index_finds_what_a_scan_finds(
    rows: list[tuple[int, ...]], probes: list[tuple[int, ...]], width: int, member: bool
) -> None:
    eq = tuple(range(min(width, len(rows[0]))))
    keys = [(*probe, *rows[0])[: len(eq)] for probe in probes] + [row[: len(eq)] for row in rows]
    key_columns = [array([key[c] for key in keys]) for c in eq]
    wanted = [[i for i, row in enumerate(rows) if row[: len(eq)] == key] for key in keys]
    if member:
        found = KeySet(columns_of(rows), eq, len(rows)).contains(key_columns, len(keys))
        assert found.tolist() == [bool(w) for w in wanted]
        return
    index = Index(columns_of(rows), eq, None, len(rows))
    left, places = expand(*index.probe(key_columns, len(keys)))
    pairs = zip(
        range(len(keys)) if left is None else left.tolist(), index.row_numbers(places).tolist(), strict=True
    )
    assert sorted(pairs) == [(i, row) for i, rows_of in enumerate(wanted) for row in rows_of]


@given(TABLES, st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=20), st.sampled_from("lhb"))
def test_a_range_finds_what_a_scan_finds(
    rows: list[tuple[int, ...]], limits: list[tuple[int, int]], sides: str
) -> None:
    eq, span = tuple(range(len(rows[0]) - 1)), len(rows[0]) - 1
    keys = [rows[i % len(rows)][:span] for i in range(len(limits))]
    index = Index(columns_of(rows), eq, span, len(rows))
    low = None if sides == "h" else array([a for a, _ in limits])
    high = None if sides == "l" else array([b for _, b in limits])
    runs = index.probe_span([array([k[c] for k in keys]) for c in eq], low, high, len(keys))
    left, places = expand(*runs)
    pairs = zip(
        range(len(keys)) if left is None else left.tolist(), index.row_numbers(places).tolist(), strict=True
    )
    expected = [
        (i, r)
        for i, (key, (a, b)) in enumerate(zip(keys, limits, strict=True))
        for r, row in enumerate(rows)
        if row[:span] == key and (low is None or row[span] >= a) and (high is None or row[span] <= b)
    ]
    assert sorted(pairs) == expected


@given(st.lists(TABLES.filter(lambda rows: len(rows[0]) == 2), min_size=1, max_size=4))
def test_a_growing_relation_tells_new_rows_from_old(batches: list[list[tuple[int, int]]]) -> None:
    relation, seen = Relation("r", 2), set[tuple[int, int]]()
    known = Known(relation)
    for level, batch in enumerate(batches):
        columns, n = columns_of(batch), len(batch)
        rows = known.new(columns, n)
        numbers = range(n) if rows is None else rows.tolist()
        fresh = [batch[i] for i in numbers]
        assert len(set(fresh)) == len(fresh)
        assert set(fresh) == set(batch) - seen
        seen |= set(batch)
        relation.append([c[list(numbers)] for c in columns], len(fresh), level)
        probe = columns_of([*seen])
        assert relation.contains((0, 1), probe, len(seen)).all()
        for row in seen:
            number = relation.find(row)
            assert number is not None
            assert tuple(int(c[number]) for c in relation.columns) == row


def test_levels_are_found_from_row_numbers() -> None:
    relation = Relation("r", 1)
    relation.append([array([5, 6])], 2, 0)
    relation.append([array([7])], 1, 3)
    relation.append([array([8])], 1, 3)
    assert [relation.level(i) for i in range(4)] == [0, 0, 3, 3]
    assert relation.levels_of(array([3, 0, 2])).tolist() == [3, 0, 3]
    assert [relation.upto(level) for level in (0, 1, 2, 3)] == [2, 2, 2, 4]


def test_symbols_are_numbered_in_text_order() -> None:
    symbols = Symbols({"b", "", "ä", "a", "B"})
    assert symbols.texts == sorted(["b", "", "ä", "a", "B"])
    assert symbols.decode(symbols.encode(["ä", "", "b"])) == ["ä", "", "b"]
    assert symbols.id("c") is None


def test_sortedness_is_seen_beyond_the_first_rows() -> None:
    values = np.arange(1000)
    assert is_sorted(values, strictly=True)
    values[900] = 899
    assert is_sorted(values)
    assert not is_sorted(values, strictly=True)
    values[900] = 0
    assert not is_sorted(values)


def test_looking_up_many_probes() -> None:
    values = np.arange(0, 5000, 2)
    probes = np.arange(5000)[::-1].copy()
    places, found = look_up(values, probes)
    assert found.tolist() == [p % 2 == 0 for p in probes.tolist()]
    assert (values[places[found]] == probes[found]).all()


def exactly(op: str, a: int, b: int) -> int | None:
    """The value by the definition, in Python integers."""
    if op in ("/", "%"):
        if b == 0:
            return None
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        value = quotient if op == "/" else a - b * quotient
    elif op in ("bshl", "bshr"):
        if not 0 <= b <= 63:
            return None
        value = int(np.array(a << b & (1 << 64) - 1, np.uint64).astype(np.int64)) if op == "bshl" else a >> b
    else:
        table = {"+": a + b, "-": a - b, "*": a * b, "neg": -a, "min": min(a, b), "max": max(a, b)}
        value = {**table, "band": a & b, "bor": a | b, "bxor": a ^ b}[op]
    return value if LEAST <= value <= GREATEST else None


@settings(max_examples=300)
@given(
    st.sampled_from(["+", "-", "*", "/", "%", "neg", "band", "bor", "bxor", "bshl", "bshr", "min", "max"]),
    st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=8),
)
def test_arithmetic_is_exact_or_absent(op: str, pairs: list[tuple[int, int]]) -> None:
    noted: list[tuple[int, ...]] = []
    columns = {"a": array([a for a, _ in pairs]), "b": array([b for _, b in pairs])}
    args = ("a",) if op == "neg" else ("a", "b")
    values, valid = compute(Expression(op, args), columns, len(pairs), lambda *told: noted.append(told[2]))
    expected = [exactly(op, a, b) for a, b in pairs]
    got = [int(v) if valid is None or valid[i] else None for i, v in enumerate(values)]
    assert got == expected
    failing = [pair[: len(args)] for pair, value in zip(pairs, expected, strict=True) if value is None]
    assert noted == ([min(failing)] if failing else [])


@pytest.mark.parametrize("rows", [[], [(1, 2)]])
def test_empty_and_single_columns(rows: list[tuple[int, int]]) -> None:
    columns = columns_of(rows) or [array([]), array([])]
    assert distinct(columns, len(rows)) is None
    index = Index(columns, (0,), 1, len(rows))
    _, count, _ = index.probe_span([array([1])], array([2]), array([2]), 1)
    assert count.tolist() == [len(rows)]
