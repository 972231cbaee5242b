"""From a parsed program to a checked one: every fault of its meaning, found in one run.

Invariant: ``check`` returns only programs without errors; a ``CheckedProgram`` is stratified, well typed and
range restricted, every relation in it is declared, and its facts hold constants only.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from .binding import check_binding, check_ground
from .declared import Uses, check_declarations, check_types_declared, first_declarations
from .diagnostics import Diagnostic, errors, tidy
from .errors import ProgramError
from .lints import lint, place_in_doc
from .strata import check_strata, stratify
from .syntax import CheckedProgram, Const, Decl, Program, Rule
from .typecheck import ClauseTypes, Lineage, lineages

_KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def check(program: Program, *, extra: Sequence[Diagnostic] = ()) -> CheckedProgram:
    """The program, ready to be evaluated; raises ``ProgramError`` with all errors.

    ``extra`` holds what the parser found, so that one run tells everything.
    """
    if faults := tidy(errors((*extra, *_faults(program, whole=not errors(extra))))):
        raise ProgramError(faults)
    decls = first_declarations(program)
    lineage = lineages(program.types)
    columns = {name: tuple(lineage[p.type][-1] for p in decl.params) for name, decl in decls.items()}
    return CheckedProgram(program, columns, stratify(program), decls)


def diagnose(program: Program, *, extra: Sequence[Diagnostic] = ()) -> list[Diagnostic]:
    """Errors and warnings, sorted, together with ``extra``.

    With errors in ``extra``, warnings that need the whole program stay away: what they miss may stand in
    the clauses that did not parse.
    """
    whole = not errors(extra)
    return tidy((*extra, *_faults(program, whole=whole), *lint(program, whole=whole)))


def _faults(program: Program, *, whole: bool) -> Iterator[Diagnostic]:
    """All errors of meaning; ``whole`` says that every clause did parse."""
    decls = first_declarations(program)
    lineage = lineages(program.types)
    yield from check_types_declared(program, lineage)
    yield from check_declarations(program)
    yield from Uses(program, decls, whole=whole).check(program)
    yield from _check_names(program)
    yield from _check_facts(program, decls, lineage)
    for rule in program.rules:
        yield from check_binding(rule)
        yield from ClauseTypes(decls, lineage).check(rule)
    yield from check_strata(program)


def _check_names(program: Program) -> Iterator[Diagnostic]:
    """Names given with ``@rule``: kebab-case, and each once."""
    seen: dict[str, Rule] = {}
    for rule in sorted((*program.rules, *program.facts), key=lambda rule: rule.span):
        name = rule.doc.tag("rule")
        if name is None:
            continue
        first = seen.setdefault(name, rule)
        if not _KEBAB.fullmatch(name):
            hint = "lower-case letters, digits and single hyphens: `device-fault`"
            message = f"`{name}` is not the name of a rule"
            yield Diagnostic("E051", place_in_doc(program, rule, "@rule"), message, hint)
        elif first is not rule:
            related = ((place_in_doc(program, first, "@rule"), "first used here"),)
            message = f"two rules are called `{name}`"
            yield Diagnostic("E049", place_in_doc(program, rule, "@rule"), message, related=related)


def _check_facts(program: Program, decls: Mapping[str, Decl], lineage: Lineage) -> Iterator[Diagnostic]:
    """Facts hold constants of the right type. Most are right, and are passed over quickly."""
    wanted = {name: _python_types(decl, lineage) for name, decl in decls.items()}
    for fact in program.facts:
        args = fact.head.args
        given = tuple([arg.value.__class__ if arg.__class__ is Const else None for arg in args])
        if given != wanted.get(fact.head.relation):
            yield from _check_fact(fact, decls, lineage)


def _python_types(decl: Decl, lineage: Lineage) -> tuple[type | None, ...]:
    roots = [lineage[param.type][-1] if param.type in lineage else "" for param in decl.params]
    return tuple({"symbol": str, "number": int}.get(root) for root in roots)


def _check_fact(fact: Rule, decls: Mapping[str, Decl], lineage: Lineage) -> Iterator[Diagnostic]:
    loose = check_ground(fact)
    yield from loose or ClauseTypes(decls, lineage).check(fact)
