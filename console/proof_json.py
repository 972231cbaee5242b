"""A proof as JSON: one object a node, in the shapes of the contract.

A step that was shown in full once is repeated without its premises (``"repeated": true``), so that shared
sub-proofs do not multiply.
"""

from collections.abc import Callable
from typing import Any

from aitia.engine.printer import literal_text
from aitia.engine.proof import Absent, Aggregated, Compared, Derived, Given, Premise
from aitia.engine.syntax import CheckedProgram, Span
from aitia.facts.base import FactBase

from . import phrases

DEPTH = 200
"""Steps deeper than this are cut, with ``"cut": true``."""


def proof_json(proof: Premise, program: CheckedProgram, base: FactBase) -> dict[str, Any]:
    """The proof as nested objects of plain JSON values."""
    covered = all(c.status in ("ok", "empty") for c in base.coverage)
    seen: set[tuple[str, tuple[Any, ...]]] = set()

    def node(part: Premise, depth: int) -> dict[str, Any]:
        match part:
            case Derived():
                return _derived(part, depth, program, seen, node)
            case Given():
                return _given(part, program, base)
            case Absent():
                return {
                    "absent": {"relation": part.relation, "pattern": list(part.pattern)},
                    "covered": covered,
                    "reading": phrases.of_absence(part, program),
                }
            case Compared():
                return {
                    "comparison": {
                        "op": part.op,
                        "left": part.left,
                        "right": part.right,
                        "literal": literal_text(part.literal),
                    }
                }
            case Aggregated():
                return {
                    "aggregate": {
                        "kind": part.kind,
                        "value": part.value,
                        "literal": literal_text(part.literal),
                    },
                    "group": [{"relation": r, "row": list(row)} for r, row in part.group.rows],
                }

    return node(proof, 0)


def _derived(
    part: Derived,
    depth: int,
    program: CheckedProgram,
    seen: set[tuple[str, tuple[Any, ...]]],
    node: Callable[[Premise, int], dict[str, Any]],
) -> dict[str, Any]:
    body: dict[str, Any] = {
        "relation": part.relation,
        "row": list(part.row),
        "rule": part.rule.name,
        "file": part.rule.span.file,
        "line": part.rule.span.line,
        "reading": phrases.of_step(part, program),
        "premises": [],
    }
    key = (part.relation, part.row)
    if key in seen:
        body["repeated"] = True
    elif depth >= DEPTH:
        body["cut"] = True
    else:
        seen.add(key)
        body["premises"] = [node(p, depth + 1) for p in part.premises]
    return body


def _given(part: Given, program: CheckedProgram, base: FactBase) -> dict[str, Any]:
    fact = {"relation": part.relation, "row": list(part.row)}
    evidence: list[dict[str, Any]]
    if isinstance(part.origin, Span):
        evidence = [{"path": part.origin.file, "line": part.origin.line}]
    else:
        evidence = [
            {"path": p.source, "line": p.line, "offset": p.offset, "text": p.text}
            for p in base.places(part.relation, part.row)
        ]
    return {"fact": fact, "evidence": evidence, "reading": phrases.of_fact(part, program)}
