"""The evaluator: meaning case by case, and against the oracle on random programs."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
from aitia.engine import check, parse_body, parse_text
from aitia.engine import evaluate as evaluation
from aitia.engine.errors import FactError, LimitExceeded, UsageError
from aitia.engine.evaluate import Limits, evaluate
from aitia.engine.model import Model
from aitia.engine.naive import naive
from aitia.engine.parser import parse_atom
from aitia.engine.plan import SMALL
from aitia.engine.syntax import CheckedProgram, Var
from hypothesis import given, settings
from hypothesis import strategies as st

from .random_programs import Facts, random_program

LEAST, GREATEST = -(1 << 63), (1 << 63) - 1


def checked(text: str) -> CheckedProgram:
    return check(parse_text(text, "p.dl"))


def run(text: str, facts: Facts | None = None) -> Model:
    return evaluate(checked(text), facts or {})


def levels(model: Model) -> dict[str, dict[tuple[str | int, ...], int]]:
    return {name: {row: model.level(name, row) for row in model.rows(name)} for name in model.relations}


@pytest.fixture
def thorough(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Treat the smallest relations as if they were large: blocks, keys and all orders of a body."""
    monkeypatch.setattr(evaluation, "BLOCK", 2)
    monkeypatch.setattr(evaluation, "SMALL", 0)
    monkeypatch.setattr("aitia.engine.plan.SMALL", 0)
    monkeypatch.setattr("aitia.engine.relation.TINY", 0)
    yield


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 1 << 32))
def test_model_and_levels_are_those_of_the_oracle(seed: int) -> None:
    text, facts = random_program(Random(seed))
    program = checked(text)
    assert levels(evaluate(program, facts)) == naive(program, facts)


def test_the_same_where_everything_counts_as_large(thorough: None) -> None:
    for seed in range(80):
        text, facts = random_program(Random(seed))
        program = checked(text)
        assert levels(evaluate(program, facts)) == naive(program, facts)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 32))
def test_no_order_matters(seed: int) -> None:
    text, facts = random_program(Random(seed))
    expected = levels(run(text, facts))
    random = Random(seed + 1)
    lines = text.split("\n")
    decls, rules = [x for x in lines if x[0] == "."], [x for x in lines if x[0] != "."]
    random.shuffle(rules)
    mixed = {
        name: random.sample(facts[name], len(facts[name]))
        for name in random.sample(sorted(facts), len(facts))
    }
    assert levels(run("\n".join(decls + rules), mixed)) == expected


def test_bytes_do_not_depend_on_the_hash_seed() -> None:
    script = Path(__file__).with_name("print_models.py")
    outputs = set()
    for seed in ("0", "1", "77"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, str(script)], capture_output=True, env=environment, check=True, timeout=120
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert len(outputs.pop()) > 1000


CLOSURE = """
.decl edge(a: number, b: number)
.decl path(a: number, b: number)
path(x, y) :- edge(x, y).
"""


@pytest.mark.parametrize(
    "step", ["path(x, y), edge(y, z)", "edge(x, y), path(y, z)", "path(x, y), path(y, z)"]
)
def test_closure(step: str) -> None:
    model = run(f"{CLOSURE} path(x, z) :- {step}.", {"edge": [(1, 2), (2, 3), (3, 1), (3, 4)]})
    assert model.rows("path") == [(a, b) for a in (1, 2, 3) for b in (1, 2, 3, 4)]
    assert model.level("path", (1, 4)) == 3
    assert not model.contains("path", (4, 1))


def test_levels_are_least_across_strata() -> None:
    """A recursive relation fed late by a tall stratum and early by a short way round."""
    text = """
    .decl a(x: number) .decl b(x: number) .decl c(x: number) .decl tall(x: number)
    .decl link(x: number, y: number) .decl r(x: number)
    b(x) :- a(x). c(x) :- b(x). tall(x) :- c(x).
    r(x) :- tall(x).
    r(y) :- r(x), link(x, y).
    """
    facts: Facts = {"a": [(1,), (9,)], "link": [(5, 6), (6, 1), (1, 7), (7, 8), (9, 5)], "r": [(5,)]}
    model = run(text, facts)
    assert {row[0]: level for row, level in levels(model)["r"].items()} == {
        5: 0,
        6: 1,
        1: 2,
        7: 3,
        8: 4,
        9: 4,
    }


def test_aggregates() -> None:
    text = """
    .decl v(g: symbol, x: number) .decl g(g: symbol)
    .decl n(g: symbol, k: number) .decl s(g: symbol, k: number) .decl lo(g: symbol, k: number)
    .decl hi(g: symbol, k: number) .decl all(k: number) .decl nearer(g: symbol, k: number)
    n(x, k) :- g(x), k = count : { v(x, _) }.
    s(x, k) :- g(x), k = sum y : { v(x, y) }.
    lo(x, k) :- g(x), k = min y : { v(x, y) }.
    hi(x, k) :- g(x), k = max y : { v(x, y) }.
    all(k) :- k = count : { v(_, _) }.
    nearer(x, k) :- v(x, y), k = count : { v(_, z), z < y }.
    """
    facts: Facts = {"v": [("a", 1), ("a", 3), ("b", -5)], "g": [("a",), ("b",), ("c",)]}
    model = run(text, facts)
    assert model.rows("n") == [("a", 2), ("b", 1), ("c", 0)]
    assert model.rows("s") == [("a", 4), ("b", -5), ("c", 0)]
    assert model.rows("lo") == [("a", 1), ("b", -5)]
    assert model.rows("hi") == [("a", 3), ("b", -5)]
    assert model.rows("all") == [(3,)]
    assert model.rows("nearer") == [("a", 1), ("a", 2), ("b", 0)]


def test_a_count_ranges_over_bindings_of_all_variables() -> None:
    text = """
    .decl e(a: number, b: number) .decl pairs(k: number) .decl total(k: number)
    pairs(k) :- k = count : { e(x, _), e(x, _) }.
    total(k) :- k = sum x : { e(x, _) }.
    """
    model = run(text, {"e": [(1, 1), (1, 2), (2, 2)]})
    assert model.rows("pairs") == [(5,)]
    assert model.rows("total") == [(4,)]


def test_arithmetic_without_a_value_leaves_the_derivation_out() -> None:
    text = """
    .decl v(x: number) .decl q(x: number, y: number) .decl up(x: number) .decl sh(x: number)
    q(x, 10 / x) :- v(x).
    up(x + 1) :- v(x).
    sh(1 bshl x) :- v(x).
    """
    model = run(text, {"v": [(0,), (-3,), (GREATEST,)]})
    assert model.rows("q") == [(-3, -3), (GREATEST, 0)]
    assert model.rows("up") == [(-2,), (1,)]
    assert model.rows("sh") == [(1,)]
    told = [(w.rule, w.op, w.values) for w in model.warnings]
    assert told == [("q/1", "/", (10, 0)), ("up/1", "+", (GREATEST, 1)), ("sh/1", "bshl", (1, -3))]
    assert "10 / 0" in str(model.warnings[0]) and "p.dl:3" in str(model.warnings[0])


def test_a_sum_that_overflows_is_absent_and_one_that_only_passes_through_is_not() -> None:
    text = """
    .decl v(g: number, x: number) .decl s(g: number, k: number)
    s(g, k) :- v(g, _), k = sum x : { v(g, x) }.
    """
    model = run(text, {"v": [(1, GREATEST), (1, 5), (2, GREATEST), (2, 4), (2, -4)]})
    assert model.rows("s") == [(2, GREATEST)]
    assert [w.op for w in model.warnings] == ["sum"]


def test_rules_without_positive_atoms_and_relations_without_columns() -> None:
    text = """
    .decl on() .decl off() .decl seen() .decl k(x: number) .decl e(x: number)
    off() :- !on().
    seen() :- e(_), off().
    k(3) :- !e(7).
    k(x) :- x = 2 + 2.
    """
    model = run(text, {"e": [(1,)]})
    assert model.rows("off") == [()] and model.rows("on") == [] and model.rows("seen") == [()]
    assert model.rows("k") == [(3,), (4,)]
    assert model.level("off", ()) == 1 and model.level("seen", ()) == 2
    assert run(text, {"e": [(1,)], "on": [()]}).rows("off") == []


def test_constants_repeated_variables_wildcards_and_symbols() -> None:
    text = """
    .decl e(a: symbol, b: symbol, n: number) .decl loop(a: symbol) .decl to(a: symbol)
    .decl less(a: symbol, b: symbol) .decl out(a: symbol, b: symbol)
    e("z", "z", 1).
    loop(x) :- e(x, x, _).
    to(x) :- e(x, "b", 2).
    less(x, y) :- e(x, _, _), e(y, _, _), x < y.
    out(x, "const") :- e(x, _, _), !e(_, x, _).
    """
    model = run(text, {"e": [("a", "b", 2), ("b", "b", 3), ("ä", "a", 2)]})
    assert model.rows("loop") == [("b",), ("z",)]
    assert model.rows("to") == [("a",)]
    assert model.rows("less") == [("a", "b"), ("a", "z"), ("a", "ä"), ("b", "z"), ("b", "ä"), ("z", "ä")]
    assert model.rows("out") == [("ä", "const")]


def test_times_in_nanoseconds_and_the_whole_range_join() -> None:
    t = 1_800_000_000_000_000_000
    text = """
    .decl a(n: symbol, t: number) .decl b(n: symbol, t: number) .decl near(n: symbol, t: number, u: number)
    near(n, t, u) :- a(n, t), b(n, u), u >= t - 5, u < t + 5.
    """
    facts: Facts = {
        "a": [("x", t), ("y", t), ("x", LEAST), ("x", GREATEST), ("x", 0)],
        "b": [("x", t - 5), ("x", t - 6), ("x", t + 4), ("x", t + 5), ("y", t), ("x", GREATEST), ("x", -3)],
    }
    assert run(text, facts).rows("near") == [("x", 0, -3), ("x", t, t - 5), ("x", t, t + 4), ("y", t, t)]


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({"nope": [(1,)]}, "'nope'"),
        ({"edge": [(1, 2), (3,)]}, "'edge' has 2 columns, not 1: (3,)"),
        ({"edge": [(1, "x")]}, "column 2 of 'edge' is a number, not str"),
        ({"edge": [(1, True)]}, "column 2 of 'edge' is a number, not bool"),
        ({"edge": [(1, 1.5)]}, "column 2 of 'edge' is a number, not float"),
        ({"edge": [(1, 1 << 63)]}, "does not fit 64 bits"),
        ({"edge": [5]}, "must be a tuple, not int"),
        ({"edge": 5}, "'edge'"),
        ({"edge": np.zeros((3, 3), np.int64)}, "int64 array of shape (n, 2)"),
        ({"edge": np.zeros((3, 2), np.float64)}, "int64 array of shape (n, 2)"),
    ],
)
def test_facts_that_do_not_fit(facts: Facts, told: str) -> None:
    with pytest.raises(FactError) as caught:
        run(CLOSURE, facts)
    assert told in str(caught.value)


def test_arrays_are_facts_too() -> None:
    rows = np.array([[3, 4], [1, 2], [3, 4]], np.int64)
    assert run(CLOSURE, {"edge": rows}).rows("path") == [(1, 2), (3, 4)]  # type: ignore[dict-item]


def test_limits() -> None:
    text = ".decl n(x: number) n(0). n(x + 1) :- n(x)."
    with pytest.raises(LimitExceeded, match="recursion of n"):
        evaluate(checked(text), {}, limits=Limits(rounds=50))
    cross = ".decl e(x: number) .decl p(x: number, y: number) p(x, y) :- e(x), e(y)."
    with pytest.raises(LimitExceeded, match="join with e"):
        evaluate(checked(cross), {"e": [(i,) for i in range(50)]}, limits=Limits(rows=1000))


def test_long_recursion_and_large_joins_in_blocks() -> None:
    n = SMALL + 100
    facts = {"edge": np.stack([np.arange(n), np.arange(n) + 1], 1)}
    text = f"{CLOSURE} .decl last(a: number) last(x) :- path(x, {n}). .decl far(a: number)"
    text += " far(0). far(y) :- far(x), edge(x, y)."
    model = evaluate(checked(text), facts)  # type: ignore[arg-type]
    assert model.count("far") == n + 1 and model.level("far", (n,)) == n
    assert model.rows("last") == [(n - 1,)]


def test_match_and_query() -> None:
    text = """
    .decl e(a: symbol, n: number)
    .decl twice(a: number, b: number)
    twice(1, 1). twice(1, 2).
    """
    model = run(text, {"e": [("b", 2), ("a", 1), ("a", 2)]})
    assert model.match(parse_atom('e("a", x)')) == [("a", 1), ("a", 2)]
    assert model.match(parse_atom("e(_, 2)")) == [("a", 2), ("b", 2)]
    assert model.match(parse_atom("twice(x, x)")) == [(1, 1)]
    assert model.match(parse_atom('e("nowhere", _)')) == []
    assert model.match(parse_atom("e(_, _)")) == model.rows("e")
    assert model.query(parse_body("e(x, n), n > 1"), (Var("n"), Var("x"))) == [(2, "a"), (2, "b")]
    assert model.query(parse_body('e(x, _), y = "new"'), (Var("y"), Var("x"))) == [("new", "a"), ("new", "b")]
    assert model.query(parse_body('e(x, _), x < "aa"'), (Var("x"),)) == [("a",)]
    assert model.query(parse_body('e(x, _), "aa" <= x'), (Var("x"),)) == [("b",)]
    assert model.query(parse_body("n = count : { e(_, _) }"), (Var("n"),)) == [(3,)]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("nope(x)", "x"),
        ("e(x)", "x"),
        ("e(x, n)", "y"),
        ("!e(x, n)", "x"),
        ("e(1, n)", "n"),
        ("e(x, x)", "x"),
        ('e(x, n), 1 < "u"', "n"),
        ("e(x, n), x < n", "n"),
    ],
)
def test_questions_that_make_no_sense(body: str, names: str) -> None:
    model = run(".decl e(a: symbol, n: number)")
    with pytest.raises(UsageError):
        model.query(parse_body(body), tuple(map(Var, names)))


def test_asking_for_a_row_that_cannot_be() -> None:
    model = run(".decl e(a: symbol, n: number)", {"e": [("a", 1)]})
    for row in [("a",), (1, 1), ("a", "b"), ("a", 1 << 70)]:
        with pytest.raises(UsageError):
            model.contains("e", row)
    with pytest.raises(UsageError):
        model.level("e", ("b", 1))
    with pytest.raises(UsageError):
        model.rows("nope")
