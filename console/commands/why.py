"""``aitia why WHAT [PATH…]``: the proof of a verdict, or of any row of the model."""

import argparse
import re
import sys

from aitia.case import Case
from aitia.diagnosis import Attempt, Cause
from aitia.engine import parser as language
from aitia.engine.diagnostics import did_you_mean
from aitia.engine.errors import UsageError
from aitia.engine.proof import Proof
from aitia.engine.why import why
from aitia.headline import describe
from aitia.proof_json import proof_json
from aitia.ruleset import demo_folder
from aitia.text import symptom_lines
from aitia.theme import theme_for
from aitia.tree import Tree

from .common import add_programs, as_json, path_argument, write
from .diagnose import opened

ROWS = 1000
"""Rows that one atom may name."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What, where, and how."""
    parser.add_argument(
        "what",
        metavar="WHAT",
        help="id of a verdict, or an atom such as 'root_cause(E, \"hardware\", _, N, _, _)'",
    )
    parser.add_argument(
        "paths", nargs="*", type=path_argument, metavar="PATH", help="the incident (without: the bundled one)"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="text (default) or json")
    parser.add_argument("--full", action="store_true", help="open the minor steps as well")
    parser.add_argument(
        "--depth", type=_depth, default=40, metavar="N", help="open at most N levels of steps"
    )
    add_programs(parser)


def _depth(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is no number of levels")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Print the proof; 2 when nothing fits."""
    if not options.paths:
        sys.stderr.write("aitia: no PATH given, asking the bundled incident\n")
    case = opened(options.paths or [demo_folder()], options.programs)
    found = _by_id(case, options.what, bool(options.paths))
    rows = [_row(case, found[1])] if found else _by_atom(case, options.what)
    proofs = [why(case.model, relation, row) for relation, row in rows]
    if options.format == "json":
        write(as_json([proof_json(p, case.program.checked, case.base) for p in proofs]))
        return 0
    tree = Tree(case.program.checked, case.base, case.model, theme_for(), options.full, options.depth)
    if found:
        write(_title(*found))
    write(tree.draw_all(proofs))
    if found:
        write(_symptoms(case, found[0], found[1], tree))
    return 0


def _by_id(case: Case, what: str, asked: bool) -> tuple[Attempt, Cause] | None:
    if "(" in what:
        return None
    if not what.strip():
        raise UsageError("WHAT is empty: name the id of a verdict, or an atom")
    causes = [(a, c) for a in case.diagnosis.attempts for c in (*a.root_causes, *a.candidates)]
    found = [(a, c) for a, c in causes if c.id.startswith(what)]
    if len(found) == 1:
        return found[0]
    known = ", ".join(f"{c.id} ({describe(c)})" for _, c in causes) or "none"
    fault = "is the id of several verdicts" if found else "is no id of a verdict, and no atom"
    where = "" if asked else " (no PATH was given, so the bundled incident was asked)"
    raise UsageError(f"`{what}` {fault}; verdicts here: {known}{where}")


def _row(case: Case, cause: Cause) -> tuple[str, tuple[str | int, ...]]:
    for relation in ("root_cause", "suspect"):
        for row in case.model.rows(relation):
            same = row[0] == cause.events[0] and row[1] == cause.domain and row[2] == cause.sub_domain
            if same:
                return relation, row
    raise UsageError(f"verdict {cause.id} has no row")


def _by_atom(case: Case, what: str) -> list[tuple[str, tuple[str | int, ...]]]:
    atom = language.parse_atom(re.sub(r"\.\s*$", "", what))
    decl = case.program.checked.decls.get(atom.relation)
    if decl is None:
        near = did_you_mean(atom.relation, case.program.checked.decls)
        raise UsageError(f"there is no relation `{atom.relation}`" + (f"; {near}" if near else ""))
    if len(atom.args) != decl.arity:
        columns = ", ".join(p.name for p in decl.params)
        raise UsageError(f"`{decl.name}` has {decl.arity} columns ({columns}), not {len(atom.args)}")
    rows = case.model.match(atom)
    if not rows:
        raise UsageError(f"no row fits {what}")
    if len(rows) > ROWS:
        raise UsageError(
            f"{len(rows)} rows fit {what}; at most {ROWS} can be shown, so name it more narrowly"
        )
    return [(atom.relation, row) for row in rows]


def _title(attempt: Attempt, cause: Cause) -> str:
    return f"{describe(cause)}\n{attempt.verdict} of attempt {attempt.attempt}, id {cause.id}\n\n"


def _symptoms(case: Case, attempt: Attempt, cause: Cause, tree: Tree) -> str:
    """What follows from the cause: folded lines, or with ``--full`` a folded proof for each kind of step."""
    own = set(cause.events)
    symptoms = [s for s in attempt.symptoms if s.explained_by in own]
    if not symptoms:
        return ""
    total = sum(s.count for s in symptoms)
    head = f"\nIt explains {total} record{'s' if total > 1 else ''}:\n"
    if not tree.full:
        lines = {e.event: e for e in attempt.evidence}
        return head + "\n".join(symptom_lines(symptoms, lines, tree.theme)) + "\n"
    proofs: list[Proof] = []
    for _, effect, by, mechanism in case.model.rows("explained_by"):
        if by in own and case.model.contains("explains", (by, effect, mechanism)):
            proofs.append(why(case.model, "explains", (by, effect, mechanism)))
    return head + tree.draw_all(proofs)
