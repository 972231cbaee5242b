"""Proofs: the canonical one, for every row, checked by an independent checker and by brute force."""

from random import Random

import pytest
from aitia.engine import check, parse_text
from aitia.engine.errors import UsageError
from aitia.engine.evaluate import evaluate
from aitia.engine.model import Model, Row
from aitia.engine.naive import Levels, derive, naive
from aitia.engine.proof import Absent, Aggregated, Compared, Derived, Given, Proof, reading, walk
from aitia.engine.proofcheck import Look, Pattern, check_proof
from aitia.engine.syntax import CheckedProgram, Span
from aitia.engine.why import derivations, why
from hypothesis import given, settings
from hypothesis import strategies as st

from .random_programs import Facts, random_program


def run(text: str, facts: Facts | None = None) -> tuple[CheckedProgram, Model]:
    program = check(parse_text(text, "p.dl"))
    return program, evaluate(program, facts or {})


def looking_in(model: Levels) -> Look:
    def fits(pattern: Pattern, row: Row) -> bool:
        return all(p is None or p == v for p, v in zip(pattern, row, strict=True))

    return lambda relation, pattern: [row for row in model[relation] if fits(pattern, row)]


Step = tuple[int, int, tuple[Row, ...]]


def instances(program: CheckedProgram, model: Levels) -> dict[tuple[str, Row], list[Step]]:
    """Every one-step derivation of every row: level, rule number, premise rows."""
    found: dict[tuple[str, Row], list[Step]] = {}
    for number, rule in enumerate(program.program.rules):
        for row, level, used in derive(rule, model):
            found.setdefault((rule.head.relation, row), []).append((level, number, used))
    return {key: sorted(steps) for key, steps in found.items()}


def step_of(program: CheckedProgram, proof: Derived) -> Step:
    number = next(i for i, rule in enumerate(program.program.rules) if rule is proof.rule)
    return proof.level, number, tuple(p.row for p in proof.premises if isinstance(p, Given | Derived))


def assert_canonical(seed: int) -> None:
    text, facts = random_program(Random(seed))
    program, model = run(text, facts)
    oracle = naive(program, facts)
    steps, look = instances(program, oracle), looking_in(oracle)
    for relation, rows in oracle.items():
        for row, level in rows.items():
            proof = why(model, relation, row)
            assert (proof.relation, proof.row, proof.level) == (relation, row, level)
            assert check_proof(program, facts, proof, look) == []
            expected = steps.get((relation, row), [])
            if isinstance(proof, Derived):
                assert step_of(program, proof) == expected[0]
            listed = [step_of(program, d) for d in derivations(model, relation, row, 1000)]
            assert listed == expected
            assert [step_of(program, d) for d in derivations(model, relation, row, 2)] == expected[:2]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 32))
def test_every_row_has_its_canonical_proof(seed: int) -> None:
    assert_canonical(seed)


def test_the_same_with_every_index_narrowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aitia.engine.plan.SMALL", 0)
    monkeypatch.setattr("aitia.engine.relation.TINY", 0)
    monkeypatch.setattr("aitia.engine.relation.PACKED", 4)
    for seed in range(40):
        assert_canonical(seed)


PATHS = """
.decl edge(a: symbol, b: symbol)
.decl path(a: symbol, b: symbol)
edge("y", "z").
/// {y} is reached from {x}.
path(x, y) :- edge(x, y).
/// {z} is reached from {x} by way of {y}, not {nothing}.
path(x, z) :- path(x, y), edge(y, z).
"""


def test_a_proof_down_to_the_facts() -> None:
    program, model = run(PATHS, {"edge": [("x", "y"), ("x", "m"), ("m", "z")]})
    proof = why(model, "path", ("x", "z"))
    assert isinstance(proof, Derived) and proof.level == 2
    first, second = proof.premises
    assert isinstance(first, Derived) and first.row == ("x", "m")
    assert second == Given("edge", ("m", "z"), "fact")
    assert reading(proof) == "z is reached from x by way of m, not {nothing}."
    assert proof.bindings == {"x": "x", "y": "m", "z": "z"}
    assert proof.rule is program.program.rules[1]
    stated = why(model, "edge", ("y", "z"))
    assert isinstance(stated, Given) and isinstance(stated.origin, Span) and stated.origin.line == 4
    assert [d.premises[0] for d in derivations(model, "path", ("x", "z"))] == [
        why(model, "path", ("x", "m")),
        why(model, "path", ("x", "y")),
    ]


def test_all_kinds_of_premises() -> None:
    text = """
    .decl e(n: symbol, t: number) .decl ok(n: symbol, t: number)
    .decl bad(n: symbol, k: number, m: number)
    bad(n, k, m) :- e(n, t), t + 1 >= 3, !ok(n, _), k = count : { e(n, _) }, m = max u : { e(_, u), u < t }.
    """
    _, model = run(text, {"e": [("a", 2), ("a", 1), ("b", 1)], "ok": [("b", 1)]})
    proof = why(model, "bad", ("a", 2, 1))
    assert isinstance(proof, Derived)
    given_, compared, absent, count, most = proof.premises
    assert given_ == Given("e", ("a", 2), "fact")
    assert isinstance(compared, Compared) and (compared.left, compared.op, compared.right) == (3, ">=", 3)
    assert isinstance(absent, Absent) and absent.pattern == ("a", None)
    assert isinstance(count, Aggregated) and count.value == 2 and count.bindings == {"n": "a"}
    assert count.group.rows == (("e", ("a", 1)), ("e", ("a", 2)))
    assert count.group[0] == Given("e", ("a", 1), "fact") and len(list(count.group)) == 2
    assert isinstance(most, Aggregated) and most.value == 1
    assert most.group.rows == (("e", ("a", 1)), ("e", ("b", 1)))


def test_a_given_row_is_its_own_proof_even_if_a_rule_reaches_it() -> None:
    _, model = run(".decl a(x: number) .decl b(x: number) b(x) :- a(x).", {"a": [(1,)], "b": [(1,)]})
    assert why(model, "b", (1,)) == Given("b", (1,), "fact")
    assert [d.level for d in derivations(model, "b", (1,))] == [1]


def test_a_long_chain_is_proved_without_recursion() -> None:
    text = """
    .decl next(a: number, b: number) .decl reached(a: number)
    reached(0).
    reached(y) :- reached(x), next(x, y).
    """
    n = 5000
    program, model = run(text, {"next": [(i, i + 1) for i in range(n)]})
    proof = why(model, "reached", (n,))
    assert proof.level == n
    assert sum(1 for _ in walk(proof)) == 2 * n + 1
    facts = {"next": [(i, i + 1) for i in range(n)]}
    assert check_proof(program, facts, proof, lambda relation, pattern: []) == []
    assert repr(proof) == "Derived(reached(5000,) by reached/1, level 5000)"


def test_what_proofs_have_in_common_is_one_object() -> None:
    _, model = run(PATHS, {"edge": [("a", "b"), ("b", "c"), ("c", "d")]})
    long, short = why(model, "path", ("a", "d")), why(model, "path", ("a", "c"))
    assert isinstance(long, Derived) and long.premises[0] is short
    assert why(model, "path", ("a", "d")) is long


def test_nothing_proves_what_is_not_there() -> None:
    _, model = run(PATHS, {})
    with pytest.raises(UsageError, match=r"path\('z', 'y'\) is not in the model"):
        why(model, "path", ("z", "y"))
    with pytest.raises(UsageError):
        derivations(model, "path", ("z", "y"))
    with pytest.raises(UsageError):
        why(model, "nope", ())


def test_proofs_are_the_same_in_any_order_of_asking() -> None:
    text, facts = random_program(Random(5))
    keys = [(r, row) for r, rows in naive(check(parse_text(text, "p.dl")), facts).items() for row in rows]

    def told(order: list[tuple[str, Row]]) -> dict[tuple[str, Row], list[str]]:
        _, model = run(text, facts)
        proofs: dict[tuple[str, Row], Proof] = {key: why(model, *key) for key in order}
        return {key: [repr(n) for n in walk(proofs[key])] for key in keys}

    assert told(keys) == told(keys[::-1])
