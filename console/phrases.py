"""Sentences from readings: a rule's or a declaration's first documentation line with its places filled in."""

import re

from aitia.engine.proof import Absent, Derived, Given
from aitia.engine.syntax import Atom, CheckedProgram, Decl, Literal, Not, Rule, Var

from .times import shown

Value = str | int
_EMPTY = "\0"
_AFTER_EMPTY = re.compile(r"(?: on| of)?(?:,? ?\x00)+")
"""An empty symbol is something unknown: its place is left out, with the word that leads to it."""
_PLACE = re.compile(r"\{(\w+)\}")


def time_variables(rule: Rule, decls: dict[str, Decl]) -> set[str]:
    """The variables of a rule that stand in a column of type Time."""
    found: set[str] = set()

    def look(literal: Literal) -> None:
        match literal:
            case Atom(relation, args):
                for param, term in zip(decls[relation].params, args, strict=False):
                    if param.type == "Time" and isinstance(term, Var):
                        found.add(term.name)
            case Not(atom):
                look(atom)
            case _:
                pass

    for literal in (rule.head, *rule.body):
        look(literal)
    return found


def fill(text: str, values: dict[str, Value], times: set[str]) -> str:
    """``text`` with ``{name}`` replaced; times as dates, empty symbols as an ellipsis."""

    def one(found: re.Match[str]) -> str:
        name = found.group(1)
        if name not in values:
            return found.group(0)
        value = values[name]
        if name in times and isinstance(value, int):
            return shown(value)
        return str(value) if value != "" else _EMPTY

    filled = _PLACE.sub(one, text)
    return _AFTER_EMPTY.sub("", filled) if _EMPTY in filled else filled


def of_step(step: Derived, program: CheckedProgram) -> str:
    """The reading of a derived step; without one, the atom itself."""
    text = step.rule.doc.reading
    if not text:
        return of_row(step.relation, step.row, program)
    return fill(text, step.bindings, time_variables(step.rule, program.decls))


def of_fact(fact: Given, program: CheckedProgram) -> str:
    """The declaration's reading for one fact."""
    return of_row(fact.relation, fact.row, program)


def of_row(relation: str, row: tuple[Value, ...], program: CheckedProgram) -> str:
    """What one row means, by the reading of its declaration; without one, the row as an atom."""
    decl = program.decls[relation]
    if not decl.doc.reading:
        return atom(relation, row)
    values = {p.name: v for p, v in zip(decl.params, row, strict=True)}
    times = {p.name for p in decl.params if p.type == "Time"}
    return fill(decl.doc.reading, values, times).removesuffix(".")


def of_absence(absent: Absent, program: CheckedProgram) -> str:
    """What was looked for and not found."""
    decl = program.decls[absent.relation]
    if not decl.doc.reading:
        return "not found: " + atom(absent.relation, absent.pattern)
    values: dict[str, Value] = {
        p.name: "any" if v is None else v for p, v in zip(decl.params, absent.pattern, strict=True)
    }
    times = {p.name for p in decl.params if p.type == "Time"}
    return "not found: " + fill(decl.doc.reading, values, times).removesuffix(".")


def atom(relation: str, row: tuple[Value | None, ...]) -> str:
    """A row as the language writes it; None as ``_``."""
    return f"{relation}({', '.join(map(term, row))})"


def term(value: Value | None) -> str:
    """A value as the language writes it."""
    if value is None:
        return "_"
    if isinstance(value, int):
        return str(value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'
