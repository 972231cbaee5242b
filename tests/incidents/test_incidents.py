"""Small incidents in the true shapes, each a folder with the evidence and the answers that an expert accepts.

An attempt is right when it has an accepted answer. A root cause that no accepted answer has is a false blame,
whichever attempt it stands in.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from aitia.case import Case, open_case
from aitia.diagnosis import Attempt, Cause
from aitia.engine.proofcheck import check_proof
from aitia.engine.syntax import Atom, Const, Wildcard
from aitia.engine.why import why

HERE = Path(__file__).parent
FOLDERS = sorted(p for p in HERE.iterdir() if (p / "case.yaml").is_file())
Answer = dict[str, Any]


def fits_cause(answer: Answer, cause: Cause) -> bool:
    parts = answer.get("sub_domain", cause.sub_domain)
    return (
        answer["verdict"] == "root_cause"
        and answer["domain"] == cause.domain
        and cause.sub_domain in ([parts] if isinstance(parts, str) else parts)
        and all(answer[k] == getattr(cause.locus, k) for k in ("node", "device", "rank") if k in answer)
    )


def fits(answer: Answer, attempt: Attempt) -> bool:
    if answer["verdict"] != attempt.verdict:
        return False
    match attempt.verdict:
        case "root_cause":
            return any(fits_cause(answer, c) for c in attempt.root_causes)
        case "ambiguous":
            return {c.domain for c in attempt.candidates} == set(answer["among"])
        case _:
            return True


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: p.name)
def test_the_verdict_is_one_that_an_expert_accepts(folder: Path) -> None:
    accept: list[Answer] = yaml.safe_load((folder / "case.yaml").read_text())["accept"]
    attempts = open_case([folder / "evidence"]).diagnosis.attempts
    said = [(a.attempt, a.verdict, a.headline) for a in attempts]
    assert any(fits(answer, a) for answer in accept for a in attempts), said
    for attempt in attempts:
        for cause in attempt.root_causes:
            assert any(fits_cause(answer, cause) for answer in accept), f"false blame: {attempt.headline}"


def holds_in(case: Case) -> Callable[[str, tuple[str | int | None, ...]], list[tuple[str | int, ...]]]:
    def holds(relation: str, pattern: tuple[str | int | None, ...]) -> list[tuple[str | int, ...]]:
        return case.model.match(Atom(relation, tuple(Wildcard() if v is None else Const(v) for v in pattern)))

    return holds


@pytest.mark.parametrize("folder", FOLDERS[::4], ids=lambda p: p.name)
def test_every_proof_is_accepted_by_the_checker(folder: Path) -> None:
    case = open_case([folder / "evidence"])
    for relation in ("root_cause", "suspect", "verdict", "explained_by", "unexplained"):
        for row in case.model.rows(relation):
            proof = why(case.model, relation, row)
            assert check_proof(case.program.checked, case.base.rows, proof, holds_in(case)) == []
