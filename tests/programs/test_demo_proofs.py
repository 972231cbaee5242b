"""The demo's whole model agrees with the oracle, and every proof of it with the independent checker."""

from functools import cache

from aitia.case import Case, open_case
from aitia.engine.naive import naive
from aitia.engine.proof import walk
from aitia.engine.proofcheck import check_proof
from aitia.engine.syntax import Atom, Const, Wildcard
from aitia.engine.why import why
from aitia.ruleset import VERDICT_RELATIONS, demo_folder


@cache
def demo() -> Case:
    return open_case([demo_folder()])


def holds(relation: str, pattern: tuple[str | int | None, ...]) -> list[tuple[str | int, ...]]:
    args = tuple(Wildcard() if v is None else Const(v) for v in pattern)
    return demo().model.match(Atom(relation, args))


def test_every_verdict_row_has_a_proof_that_the_checker_accepts() -> None:
    case = demo()
    steps = 0
    for relation in VERDICT_RELATIONS:
        for row in case.model.rows(relation):
            proof = why(case.model, relation, row)
            assert check_proof(case.program.checked, case.base.rows, proof, holds) == []
            steps += sum(1 for _ in walk(proof))
    assert steps > 500


def test_the_model_is_the_oracles() -> None:
    case = demo()
    oracle = naive(case.program.checked, case.base.rows)
    for relation in case.program.checked.decls:
        found = {row: case.model.level(relation, row) for row in case.model.rows(relation)}
        assert found == oracle[relation], relation
