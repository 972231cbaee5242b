"""Warnings: programs that run and probably do not say what was meant.

Invariant: a warning never stops a program, and none is given for a variable that an error already names.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain

from .binding import bound_names, check_binding
from .diagnostics import Diagnostic, did_you_mean
from .scope import atoms, group_names, inner_variables, outer_names, own_terms, variables
from .syntax import Aggregate, Atom, Literal, Program, Rule, Span, Var

_PLACE = re.compile(r"\{([^{}]*)\}")


def lint(program: Program, *, whole: bool = True) -> Iterator[Diagnostic]:
    """All warnings; without ``whole``, only those that one rule alone can earn."""
    if whole:
        yield from unused_relations(program)
        yield from rules_that_never_fire(program)
    for rule in program.rules:
        if not check_binding(rule):
            yield from variables_used_once(rule)
        yield from cartesian_products(rule)
        yield from unknown_places(program, rule)


def unused_relations(program: Program) -> Iterator[Diagnostic]:
    """Relations that no rule reads and no directive names. Inputs are vocabulary and need no reader."""
    used = {atom.relation for rule in program.rules for atom, _ in atoms(rule.body)}
    used.update(directive.relation for directive in program.directives)
    for decl in program.decls:
        if decl.name not in used:
            message = f"nothing uses `{decl.name}`"
            yield Diagnostic("W001", decl.span, message, f"mark a result with `.output {decl.name}`")


def rules_that_never_fire(program: Program) -> Iterator[Diagnostic]:
    """Rules that need a row of a relation which is no input and has no clause."""
    given = {clause.head.relation for clause in (*program.facts, *program.rules)}
    given.update(d.relation for d in program.directives if d.kind == "input")
    decls = {decl.name: decl.span for decl in reversed(program.decls)}
    for rule in program.rules:
        for literal in rule.body:
            if isinstance(literal, Atom) and literal.relation in decls and literal.relation not in given:
                name = literal.relation
                message = f"this rule never fires: `{name}` has no rules and no facts and is no input"
                related = ((decls[name], "declared here"),)
                yield Diagnostic("W003", literal.span, message, f"mark it with `.input {name}`", related)


def variables_used_once(rule: Rule) -> Iterator[Diagnostic]:
    """Named variables that join nothing and that the reading does not name; ``_name`` is meant so."""
    outer = outer_names(rule)
    told = set(_PLACE.findall(rule.doc.reading))
    yield from _once([var for var in _outer_occurrences(rule, outer) if var.name not in told])
    for literal in rule.body:
        if isinstance(literal, Aggregate):
            group = group_names(outer, literal)
            yield from _once([var for var in inner_variables(literal) if var.name not in group])


def _outer_occurrences(rule: Rule, outer: frozenset[str]) -> list[Var]:
    terms = chain(rule.head.args, *(own_terms(literal) for literal in rule.body))
    found = list(variables(terms))
    for literal in rule.body:
        if isinstance(literal, Aggregate):
            group = group_names(outer, literal)
            found.extend(var for var in inner_variables(literal) if var.name in group)
    return found


def _once(occurrences: list[Var]) -> Iterator[Diagnostic]:
    count = Counter(var.name for var in occurrences)
    for var in occurrences:
        if count[var.name] == 1 and not var.name.startswith("_"):
            message = f"`{var.name}` is used only once"
            yield Diagnostic("W002", var.span, message, f"write `_` or `_{var.name}` if any value will do")


def cartesian_products(rule: Rule) -> Iterator[Diagnostic]:
    """Positive atoms that nothing connects with the first ones: not a shared variable, nor a literal that
    names variables of both."""
    outer = outer_names(rule)
    parent: dict[str, str] = {}
    for literal in rule.body:
        names = _names(literal, outer)
        for name in names:
            parent[_root(parent, name)] = _root(parent, names[0])
    parts: dict[str, Atom] = {}
    for literal in rule.body:
        if isinstance(literal, Atom) and (names := _names(literal, outer)):
            parts.setdefault(_root(parent, names[0]), literal)
    first, *others = parts.values() or [rule.head]
    for atom in others:
        message = f"nothing joins `{atom.relation}` with `{first.relation}`: every pair of rows is tried"
        related = ((first.span, "the other part of the body"),)
        yield Diagnostic("W004", atom.span, message, "share a variable, or compare two", related)


def _root(parent: dict[str, str], name: str) -> str:
    """The name that stands for all that are connected with ``name``; halves the way as it goes."""
    while (above := parent.setdefault(name, name)) != name:
        parent[name] = parent[above]
        name = above
    return name


def _names(literal: Literal, outer: frozenset[str]) -> list[str]:
    """The variables through which a literal can connect others."""
    names = [var.name for var in variables(own_terms(literal))]
    return [*names, *sorted(group_names(outer, literal))] if isinstance(literal, Aggregate) else names


def unknown_places(program: Program, rule: Rule) -> Iterator[Diagnostic]:
    """``{places}`` of a reading that are no variable of the rule."""
    known = bound_names(rule) & outer_names(rule)
    for place in _PLACE.findall(rule.doc.reading):
        if place not in known:
            span = place_in_doc(program, rule, "{" + place + "}")
            message = f"the reading names `{{{place}}}`, and the rule binds no such variable"
            yield Diagnostic("W005", span, message, did_you_mean(place, known))


def place_in_doc(program: Program, rule: Rule, needle: str) -> Span:
    """Where ``needle`` stands in the documentation above ``rule``, else the place of its head."""
    lines = _lines_above(program, rule)
    for number, line in lines:
        if (column := line.find(needle)) >= 0:
            return Span(rule.span.file, number, column + 1, number, column + 1 + len(needle))
    return rule.head.span


def _lines_above(program: Program, rule: Rule) -> Iterable[tuple[int, str]]:
    lines = program.texts.get(rule.span.file, "").split("\n")
    number = rule.span.line - 1
    found: list[tuple[int, str]] = []
    while 1 <= number <= len(lines) and lines[number - 1].lstrip().startswith("///"):
        found.append((number, lines[number - 1]))
        number -= 1
    return reversed(found)
