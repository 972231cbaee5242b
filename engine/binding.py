"""Range restriction: every variable of a rule gets its values from a positive atom.

A variable is bound by a positive atom of the body, by ``=`` with a term whose variables are bound, or as
the result of an aggregate whose group is bound. Invariant: a rule that passes can be evaluated in
some order of its body so that negation, comparisons, arithmetic and aggregates see known values only.
"""

from collections.abc import Iterator, Sequence

from .diagnostics import Diagnostic
from .scope import group_names, inner_variables, variables, wildcards
from .syntax import Aggregate, Atom, Call, Compare, Const, Literal, Not, Rule, Term, Var

_BIND = "bind it with a positive atom, or with `=` to something known"
_NEGATED = "bind it with a positive atom, or write `_` if any value will do"


def bound_names(rule: Rule) -> frozenset[str]:
    """The names of the variables outside aggregates that the body of ``rule`` binds."""
    groups = {id(item): group_names(rule, item) for item in rule.body if isinstance(item, Aggregate)}
    return _bound(rule.body, frozenset(), groups)


def _bound(
    body: Sequence[Literal], known: frozenset[str], groups: dict[int, frozenset[str]]
) -> frozenset[str]:
    """The least set of names that holds ``known`` and is closed under what the literals bind."""
    found = set(known)
    waiting = list(body)
    while waiting:
        still = [literal for literal in waiting if not _bind(literal, found, groups)]
        if len(still) == len(waiting):
            break
        waiting = still
    return frozenset(found)


def _bind(literal: Literal, found: set[str], groups: dict[int, frozenset[str]]) -> bool:
    """Adds what ``literal`` binds now; true if it will bind nothing more later."""
    match literal:
        case Atom(args=args):
            found.update(arg.name for arg in args if isinstance(arg, Var))
            return True
        case Compare(op="=", left=left, right=right):
            return _equate(left, right, found) or _equate(right, left, found)
        case Aggregate(result=Var(name=name)) if groups.get(id(literal), frozenset()) <= found:
            found.add(name)
            return True
        case _:
            return False


def _equate(target: Term, source: Term, found: set[str]) -> bool:
    if not isinstance(target, Var) or any(True for _ in wildcards((source,))):
        return False
    if all(var.name in found for var in variables((source,))):
        found.add(target.name)
        return True
    return False


def check_binding(rule: Rule) -> list[Diagnostic]:
    """All faults of a rule's variables; a variable is reported once for each literal."""
    bound = _bound_hopefully(rule)
    strictly = bound_names(rule)
    found = [*_wild(rule.head.args, "the head of a rule"), *_unbound_head(rule, bound)]
    for literal in rule.body:
        found.extend(_literal(literal, bound))
        if isinstance(literal, Aggregate):
            found.extend(_aggregate(rule, literal, strictly))
    return found


def _bound_hopefully(rule: Rule) -> frozenset[str]:
    """What would be bound if the group of every aggregate were: an unbound group is a fault of its own."""
    groups = {
        id(item): group_names(rule, item) & {var.name for var in variables((item.result,))}
        for item in rule.body
        if isinstance(item, Aggregate)
    }
    return _bound(rule.body, frozenset(), groups)


def _unbound_head(rule: Rule, bound: frozenset[str]) -> Iterator[Diagnostic]:
    for var in _missing(rule.head.args, bound):
        yield _unbound("E040", var, "stands in the head and is bound by nothing in the body")


def _missing(terms: Sequence[Term], bound: frozenset[str]) -> Iterator[Var]:
    """The first occurrence of each variable that is not bound."""
    seen: set[str] = set()
    for var in variables(terms):
        if var.name not in bound and var.name not in seen:
            seen.add(var.name)
            yield var


def _unbound(code: str, var: Var, what: str, hint: str = _BIND) -> Diagnostic:
    return Diagnostic(code, var.span, f"`{var.name}` {what}", hint)


def _literal(literal: Literal, bound: frozenset[str]) -> Iterator[Diagnostic]:
    """Faults of a literal, aggregates' bodies apart."""
    match literal:
        case Atom(args=args):
            yield from _computed(args, bound)
        case Not(atom=Atom(args=args)):
            yield from _wild([arg for arg in args if isinstance(arg, Call)], "arithmetic")
            for var in _missing(args, bound):
                yield _unbound("E041", var, "stands in a negated atom and is bound by nothing else", _NEGATED)
        case Compare(left=left, right=right):
            yield from _wild((left, right), "a comparison")
            for var in _missing((left, right), bound):
                yield _unbound("E042", var, "is compared and is bound by nothing")
        case Aggregate(result=result):
            yield from _result(result)


def _computed(args: Sequence[Term], bound: frozenset[str]) -> Iterator[Diagnostic]:
    """Arguments of a positive atom that are computed do not bind: their variables must be known."""
    calls = [arg for arg in args if isinstance(arg, Call)]
    yield from _wild(calls, "arithmetic")
    for var in _missing(calls, bound):
        yield _unbound("E042", var, "stands in arithmetic and is bound by nothing")


def _result(result: Term) -> Iterator[Diagnostic]:
    yield from _wild((result,), "the result of an aggregate")
    if isinstance(result, Call):
        hint = "write `n = …` and compare `n` in a literal of its own"
        message = "the result of an aggregate is a variable or a constant"
        yield Diagnostic("E046", result.span, message, hint)


def _aggregate(rule: Rule, aggregate: Aggregate, bound: frozenset[str]) -> Iterator[Diagnostic]:
    """Faults inside an aggregate: its group must be bound outside, the rest inside."""
    group = group_names(rule, aggregate)
    for var in _first_of_each(aggregate):
        if var.name in group and var.name not in bound:
            what = "is grouped by this aggregate and is bound by nothing outside of it"
            hint = f"add a positive atom beside the aggregate that binds `{var.name}`"
            yield _unbound("E043", var, what, hint)
    inner = _bound(aggregate.body, group, {})
    for literal in aggregate.body:
        yield from _literal(literal, inner)
    if aggregate.target is not None:
        yield from _wild((aggregate.target,), "the target of an aggregate")
        for var in _missing((aggregate.target,), inner):
            yield _unbound("E043", var, "is aggregated and is bound by nothing in the body of the aggregate")


def _first_of_each(aggregate: Aggregate) -> Iterator[Var]:
    seen: dict[str, Var] = {}
    for var in inner_variables(aggregate):
        seen.setdefault(var.name, var)
    return iter(seen.values())


def _wild(terms: Sequence[Term], where: str) -> Iterator[Diagnostic]:
    for wildcard in wildcards(terms):
        yield Diagnostic("E044", wildcard.span, f"`_` cannot stand in {where}", "name a variable")


def check_ground(fact: Rule) -> list[Diagnostic]:
    """Whether a clause without a body holds constants only."""
    loose = [arg for arg in fact.head.args if not isinstance(arg, Const)]
    return [_loose(arg) for arg in loose]


def _loose(arg: Term) -> Diagnostic:
    match arg:
        case Var(name=name):
            hint = f'a symbol stands in double quotes: "{name}"'
            return Diagnostic("E050", arg.span, f"a fact holds constants only; `{name}` is a variable", hint)
        case Call():
            return Diagnostic(
                "E050", arg.span, "a fact holds constants only, not arithmetic", "write the result"
            )
        case _:
            return Diagnostic("E050", arg.span, "a fact holds constants only, not `_`")
