"""The proof checker refuses what does not follow."""

from dataclasses import replace
from random import Random

import pytest
from aitia.engine import check, parse_text
from aitia.engine.evaluate import evaluate
from aitia.engine.model import Row
from aitia.engine.naive import Levels, naive
from aitia.engine.proof import Absent, Aggregated, Compared, Derived, Given, Group, Premise, Proof, walk
from aitia.engine.proofcheck import Look, Pattern, check_proof
from aitia.engine.syntax import NOWHERE, CheckedProgram
from aitia.engine.why import why
from hypothesis import given, settings
from hypothesis import strategies as st

from .random_programs import Facts, random_program


def looking_in(model: Levels) -> Look:
    def fits(pattern: Pattern, row: Row) -> bool:
        return all(p is None or p == v for p, v in zip(pattern, row, strict=True))

    return lambda relation, pattern: [row for row in model[relation] if fits(pattern, row)]


def other(value: str | int) -> str | int:
    """Some other value of the same type."""
    return value + "'" if isinstance(value, str) else value ^ 1


def altered(row: Row, place: int) -> Row:
    return (*row[:place], other(row[place]), *row[place + 1 :])


def forgeries(
    program: CheckedProgram, proof: Derived, random: Random, oracle: Levels
) -> list[tuple[str, Derived]]:
    """Proofs that differ from a right one in one place, each of which says something false."""
    out: list[tuple[str, Derived]] = []
    if proof.row:
        place = random.randrange(len(proof.row))
        out.append(("row", replace(proof, row=altered(proof.row, place))))
    for name in proof.bindings:
        changed = {**proof.bindings, name: other(proof.bindings[name])}
        out.append((f"binding {name}", replace(proof, bindings=changed)))
    out.append(("level", replace(proof, level=max(p.level for p in _rows(proof)) if _rows(proof) else 0)))
    out.append(("premise dropped", replace(proof, premises=proof.premises[:-1])))
    strangers = [r for r in program.program.rules if r != proof.rule and len(r.body) != len(proof.rule.body)]
    out += [("rule of the program", replace(proof, rule=r)) for r in strangers[:1]]
    out.append(
        ("rule", replace(proof, rule=replace(proof.rule, head=replace(proof.rule.head, relation="no"))))
    )
    for i, premise in enumerate(proof.premises):
        out += [
            (f"premise {i}", replace(proof, premises=(*proof.premises[:i], forged, *proof.premises[i + 1 :])))
            for forged in forged_premises(premise, oracle)
        ]
    return out


def _rows(proof: Derived) -> list[Given | Derived]:
    return [p for p in proof.premises if isinstance(p, Given | Derived)]


def forged_premises(premise: Premise, oracle: Levels) -> list[Premise]:
    match premise:
        case Given() | Derived():
            wrong: list[Premise] = [replace(premise, relation="no")]
            rows = [altered(premise.row, i) for i in range(len(premise.row))]
            return wrong + [replace(premise, row=r) for r in rows if r not in oracle[premise.relation]]
        case Absent(relation, pattern):
            return [replace(premise, relation="no"), Absent(relation, (*pattern, None), premise.literal)]
        case Compared(left=left):
            return [replace(premise, left=other(left)), replace(premise, op="~")]
        case Aggregated(value=value, group=group):
            fewer = Group(group.rows[1:], group._prove)
            more = Group((*group.rows, ("no", (1,))), group._prove)
            groups = [fewer, more] if group.rows else [more]
            return [replace(premise, value=other(value)), *(replace(premise, group=g) for g in groups)]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 32))
def test_a_forged_proof_is_refused(seed: int) -> None:
    random = Random(seed)
    text, facts = random_program(random)
    program = check(parse_text(text, "p.dl"))
    model = evaluate(program, facts)
    oracle = naive(program, facts)
    look = looking_in(oracle)
    for relation in sorted(model.relations):
        for row in model.rows(relation):
            proof = why(model, relation, row)
            if isinstance(proof, Given):
                assert check_proof(program, {**facts, relation: []}, proof, look)
                continue
            for what, forged in forgeries(program, proof, random, oracle):
                assert check_proof(program, facts, forged, look), (what, proof, forged.premises, text)


TEXT = """
.decl a(x: number) .decl b(x: number) .decl c(x: number, n: number)
a(1). a(2).
b(x) :- a(x), !c(x, _), x > 1.
c(x, n) :- a(x), x < 2, n = sum y : { a(y) }.
"""


def made(facts: Facts | None = None) -> tuple[CheckedProgram, Proof, Look]:
    program = check(parse_text(TEXT, "p.dl"))
    model = evaluate(program, facts or {})
    return program, why(model, "b", (2,)), looking_in(naive(program, facts or {}))


def test_a_right_proof_has_no_fault() -> None:
    program, proof, look = made()
    assert check_proof(program, {}, proof, look) == []


def test_an_absent_row_must_be_absent() -> None:
    program, proof, _ = made()
    faults = check_proof(program, {}, proof, lambda relation, pattern: [(2, 3)])
    assert faults == ["b(2): c(2, None) is not absent"]


def test_a_fact_of_the_program_must_stand_where_it_says() -> None:
    program, proof, look = made()
    assert isinstance(proof, Derived)
    moved = replace(proof, premises=(Given("a", (2,), NOWHERE), *proof.premises[1:]))
    assert check_proof(program, {}, moved, look) == ["a(2): the program states no such fact at :0"]
    outside = replace(proof, premises=(Given("a", (2,), "fact"), *proof.premises[1:]))
    assert check_proof(program, {}, outside, look) == ["a(2) is not a given fact"]
    assert check_proof(program, {"a": [(2,)]}, outside, look) == []


def test_an_aggregate_is_computed_again() -> None:
    program = check(parse_text(TEXT, "p.dl"))
    model = evaluate(program, {})
    proof = why(model, "c", (1, 3))
    assert check_proof(program, {}, proof, looking_in(naive(program, {}))) == []
    missing = check_proof(program, {}, proof, lambda relation, pattern: [(1,)])
    assert missing == ["c(1, 3): the group of sum is not complete, or holds rows too many"]


@pytest.mark.parametrize("depth", [1, 3000])
def test_a_fault_deep_down_is_found(depth: int) -> None:
    text = ".decl n(x: number) .decl r(x: number, y: number) n(0). n(y) :- n(x), r(x, y)."
    program = check(parse_text(text, "p.dl"))
    facts: Facts = {"r": [(i, i + 1) for i in range(depth)]}
    proof = why(evaluate(program, facts), "n", (depth,))
    assert check_proof(program, facts, proof, lambda *_: []) == []
    facts["r"][0] = (7, 9)
    assert check_proof(program, facts, proof, lambda *_: []) == ["r(0, 1) is not a given fact"]
    assert len(list(walk(proof))) == 2 * depth + 1
