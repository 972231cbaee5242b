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
from .syntax import CheckedProgram, Const, Decl, Program, Rule, Span
from .typecheck import ClauseTypes, Lineage, lineages

_KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def check(program: Program, *, extra: Sequence[Diagnostic] = ()) -> CheckedProgram:
    """The program, ready to be evaluated; raises ``ProgramError`` with all errors.

    ``extra`` holds what the parser found, so that one run tells everything.
    """
    if faults := errors(diagnose(program, extra=extra)):
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
    decls = first_declarations(program)
    lineage = lineages(program.types)
    whole = not errors(extra)
    found = [*extra]
    found.extend(check_types_declared(program, lineage))
    found.extend(check_declarations(program))
    found.extend(Uses(program, decls, whole=whole).check(program))
    found.extend(_check_names(program))
    found.extend(_check_facts(program, decls, lineage))
    for rule in program.rules:
        found.extend(check_binding(rule))
        found.extend(ClauseTypes(decls, lineage).check(rule))
    found.extend(check_strata(program))
    found.extend(lint(program, whole=whole))
    return tidy(found)


def _check_names(program: Program) -> Iterator[Diagnostic]:
    """Names given with ``@rule``: kebab-case, and each once."""
    seen: dict[str, Span] = {}
    for rule in sorted((*program.rules, *program.facts), key=lambda rule: rule.span):
        name = rule.doc.tag("rule")
        if name is None:
            continue
        span = place_in_doc(program, rule, "@rule")
        if not _KEBAB.fullmatch(name):
            hint = "lower-case letters, digits and single hyphens: `device-fault`"
            yield Diagnostic("E051", span, f"`{name}` is not the name of a rule", hint)
        elif name in seen:
            related = ((seen[name], "first used here"),)
            yield Diagnostic("E049", span, f"two rules are called `{name}`", related=related)
        seen.setdefault(name, span)


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
