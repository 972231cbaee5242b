"""Names: relations and types are declared once, and used as they are declared.

Invariant: a relation or type that is not declared does not exist; each fault is told where the name stands,
with the declaration as the second place.
"""

import re
from collections.abc import Iterator, Mapping

from .diagnostics import Diagnostic, did_you_mean
from .scope import atoms
from .syntax import Atom, Decl, Param, Program, Rule, Span, TypeDecl
from .typecheck import ROOTS, Lineage

_DECL = re.compile(r"\.decl\s+([A-Za-z0-9_]+)")


def first_declarations(program: Program) -> dict[str, Decl]:
    """The first declaration of each relation, in order."""
    found: dict[str, Decl] = {}
    for decl in program.decls:
        found.setdefault(decl.name, decl)
    return found


def check_types_declared(program: Program, lineage: Lineage) -> Iterator[Diagnostic]:
    """Types: declared once, below something that exists, and not below themselves."""
    first: dict[str, TypeDecl] = {}
    for decl in program.types:
        first.setdefault(decl.name, decl)
    for decl in program.types:
        if decl.name in ROOTS:
            yield Diagnostic("E033", decl.span, f"`{decl.name}` is a base type and needs no declaration")
        elif first[decl.name] is not decl:
            related = ((first[decl.name].span, "first declared here"),)
            yield Diagnostic("E033", decl.span, f"the type `{decl.name}` is declared twice", related=related)
        elif decl.base not in first and decl.base not in ROOTS:
            yield _unknown_type(decl.base, decl.span, {*first, *ROOTS})
        elif decl.name not in lineage and _below_itself(decl.name, first):
            related = ((first[decl.base].span, f"`{decl.base}` is declared here"),)
            yield Diagnostic("E037", decl.span, f"the type `{decl.name}` is its own subtype", related=related)


def _unknown_type(name: str, span: Span, known: set[str]) -> Diagnostic:
    hint = did_you_mean(name, known) or f"declare it: `.type {name} <: symbol`"
    return Diagnostic("E034", span, f"unknown type `{name}`", hint)


def _below_itself(name: str, first: Mapping[str, TypeDecl]) -> bool:
    seen: set[str] = set()
    at = first[name].base
    while at in first and at not in seen and at != name:
        seen.add(at)
        at = first[at].base
    return at == name


def check_declarations(program: Program) -> Iterator[Diagnostic]:
    """Relations: declared once, with columns of known types and different names."""
    first = first_declarations(program)
    known = {*(decl.name for decl in program.types), *ROOTS}
    for decl in program.decls:
        if first[decl.name] is not decl:
            related = ((first[decl.name].span, "first declared here"),)
            yield Diagnostic("E032", decl.span, f"`{decl.name}` is declared twice", related=related)
        yield from _check_columns(decl, known)


def _check_columns(decl: Decl, known: set[str]) -> Iterator[Diagnostic]:
    places: dict[str, Param] = {}
    for param in decl.params:
        if twin := places.get(param.name):
            message = f"`{decl.name}` has two columns called `{param.name}`"
            yield Diagnostic("E038", param.span, message, related=((twin.span, "first here"),))
        places.setdefault(param.name, param)
        if param.type not in known:
            yield _unknown_type(param.type, param.span, known)


class Uses:
    """Judges every place that names a relation; ``whole`` says that all of the program did parse."""

    __slots__ = ("_broken", "_decls")

    def __init__(self, program: Program, decls: Mapping[str, Decl], *, whole: bool) -> None:
        self._decls = decls
        # A declaration that did not parse is one fault; the relation's uses shall not be faults too.
        texts = () if whole else program.texts.values()
        self._broken = {name for text in texts for name in _DECL.findall(text)}

    def check(self, program: Program) -> Iterator[Diagnostic]:
        """Relations that do not exist, and atoms with a wrong number of arguments."""
        for directive in program.directives:
            if directive.relation not in self._decls:
                yield from self._unknown(directive.relation, directive.span)
        for rule in (*program.facts, *program.rules):
            yield from self._clause(rule)

    def _clause(self, rule: Rule) -> Iterator[Diagnostic]:
        yield from self._atom(rule.head)
        for atom, _ in atoms(rule.body):
            yield from self._atom(atom)

    def _atom(self, atom: Atom) -> Iterator[Diagnostic]:
        decl = self._decls.get(atom.relation)
        if decl is None:
            yield from self._unknown(atom.relation, _name_span(atom))
        elif len(decl.params) != len(atom.args):
            noun = "column" if decl.arity == 1 else "columns"
            message = f"`{decl.name}` has {decl.arity} {noun}, and {len(atom.args)} are given"
            hint = "it is " + decl.name + "(" + ", ".join(param.name for param in decl.params) + ")"
            yield Diagnostic("E031", atom.span, message, hint, ((decl.span, "declared here"),))

    def _unknown(self, name: str, span: Span) -> Iterator[Diagnostic]:
        if name not in self._broken:
            hint = did_you_mean(name, self._decls) or f"declare it: `.decl {name}(…)`"
            yield Diagnostic("E030", span, f"unknown relation `{name}`", hint)


def _name_span(atom: Atom) -> Span:
    """Only the name of an atom."""
    span = atom.span
    return Span(span.file, span.line, span.col, span.line, span.col + len(atom.relation))
