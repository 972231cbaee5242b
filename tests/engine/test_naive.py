"""The oracle itself, by hand."""

import pytest
from aitia.engine import check, parse_text
from aitia.engine.errors import UsageError
from aitia.engine.exact import aggregate, holds, value_of
from aitia.engine.naive import naive, solve
from aitia.engine.parser import parse_body
from aitia.engine.syntax import Call, Const, Term


def test_closure_negation_and_count_with_levels() -> None:
    text = """
    .decl e(a: number, b: number) .decl p(a: number, b: number) .decl top(a: number)
    .decl size(a: number, k: number)
    p(x, y) :- e(x, y).
    p(x, z) :- p(x, y), e(y, z).
    top(x) :- e(x, _), !p(_, x).
    size(x, k) :- e(x, _), k = count : { p(x, _) }.
    """
    model = naive(check(parse_text(text, "p.dl")), {"e": [(1, 2), (2, 3)]})
    assert model["p"] == {(1, 2): 1, (2, 3): 1, (1, 3): 2}
    assert model["top"] == {(1,): 1}
    assert model["size"] == {(1, 2): 3, (2, 1): 2}


def test_a_level_falls_when_a_shorter_way_turns_up() -> None:
    text = """
    .decl a(x: number) .decl b(x: number) .decl c(x: number)
    c(x) :- b(x). b(x) :- c(x). c(x) :- a(x). b(x) :- a(x), a(x).
    """
    model = naive(check(parse_text(text, "p.dl")), {"a": [(1,)]})
    assert model["b"] == {(1,): 1} and model["c"] == {(1,): 1}


@pytest.mark.parametrize(
    ("op", "args", "value"),
    [
        ("/", (-7, 2), -3),
        ("%", (-7, 2), -1),
        ("%", (7, -2), 1),
        ("/", (1, 0), None),
        ("%", (1, 0), None),
        ("+", ((1 << 63) - 1, 1), None),
        ("neg", (-(1 << 63),), None),
        ("/", (-(1 << 63), -1), None),
        ("%", (-(1 << 63), -1), 0),
        ("bshl", (1, 63), -(1 << 63)),
        ("bshl", (1, 64), None),
        ("bshr", (-8, 1), -4),
        ("bxor", (6, 3), 5),
        ("max", (2, 9), 9),
    ],
)
def test_exact_arithmetic(op: str, args: tuple[int, ...], value: int | None) -> None:
    terms: tuple[Term, ...] = tuple(map(Const, args))
    assert value_of(Call(op, terms), {}) == value


def test_comparisons_and_aggregates_of_values() -> None:
    assert holds("<", "a", "b") and not holds(">=", "a", "b") and holds("!=", 1, 2) and holds("<=", 2, 2)
    assert aggregate("count", []) == 0 and aggregate("sum", []) == 0 and aggregate("min", []) is None
    assert aggregate("sum", [(1 << 63) - 1, 1]) is None and aggregate("max", ["a", "b"]) == "b"


def test_a_body_that_binds_nothing_is_refused() -> None:
    with pytest.raises(UsageError):
        list(solve(list(enumerate(parse_body("x < y"))), {}, {"x", "y"}, {}))
