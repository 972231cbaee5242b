"""Range restriction: every variable of a rule gets its values from a positive atom.

A variable is bound by a positive atom of the body, by ``=`` with a term whose variables are bound, or as
the result of an aggregate whose group is bound. Invariant: a rule that passes can be evaluated in
some order of its body so that negation, comparisons, arithmetic and aggregates see known values only.
"""

from collections.abc import Iterable, Iterator, Sequence

from .diagnostics import Diagnostic
from .scope import group_names, inner_variables, outer_names, own_terms, variables, wildcards
from .syntax import Aggregate, Atom, Call, Compare, Const, Literal, Not, Rule, Term, Var

_BIND = "bind it with a positive atom, or with `=` to something known"
_NEGATED = "bind it with a positive atom, or write `_` if any value will do"


Step = tuple[frozenset[str], frozenset[str]]
"""Names that must be bound, and names that are bound then."""


def bound_names(rule: Rule) -> frozenset[str]:
    """The names of the variables outside aggregates that the body of ``rule`` binds."""
    outer = outer_names(rule)
    return _closure(frozenset(), (step for literal in rule.body for step in _steps(literal, outer)))


def _bound_hopefully(rule: Rule) -> frozenset[str]:
    """What would be bound if the group of every aggregate were: an unbound group is a fault of its own."""
    steps = (step for literal in rule.body for step in _steps(literal, _own_names(literal)))
    return _closure(frozenset(), steps)


def _own_names(literal: Literal) -> frozenset[str]:
    return frozenset(var.name for var in variables(own_terms(literal)))


def _steps(literal: Literal, outer: frozenset[str]) -> Iterator[Step]:
    """The ways in which a literal binds variables; an aggregate is grouped by names of ``outer``."""
    match literal:
        case Atom(args=args):
            yield frozenset(), frozenset(arg.name for arg in args if isinstance(arg, Var))
        case Compare(op="=", left=left, right=right):
            yield from _equation(left, right)
            yield from _equation(right, left)
        case Aggregate(result=Var(name=name)):
            yield group_names(outer, literal), frozenset((name,))
        case _:
            pass


def _equation(target: Term, source: Term) -> Iterator[Step]:
    if isinstance(target, Var) and not any(True for _ in wildcards((source,))):
        yield frozenset(var.name for var in variables((source,))), frozenset((target.name,))


def _closure(known: frozenset[str], steps: Iterable[Step]) -> frozenset[str]:
    """All names that follow from ``known``, in linear time (Dowling and Gallier, 1984): each step counts
    what it still needs, and each name knows the steps that wait for it."""
    needs, gives = zip(*steps, (frozenset[str](), known), strict=True)
    left = [len(need - known) for need in needs]
    waiting: dict[str, list[int]] = {}
    for number, need in enumerate(needs):
        for name in need - known:
            waiting.setdefault(name, []).append(number)
    found: set[str] = set()
    ready = [number for number, count in enumerate(left) if count == 0]
    while ready:
        for name in gives[ready.pop()] - found:
            found.add(name)
            for number in waiting.pop(name, ()):
                left[number] -= 1
                if left[number] == 0:
                    ready.append(number)
    return frozenset(found)


def check_binding(rule: Rule) -> list[Diagnostic]:
    """All faults of a rule's variables; a variable is reported once for each literal."""
    bound = _bound_hopefully(rule)
    strictly = bound_names(rule)
    outer = outer_names(rule)
    found = [*_wild(rule.head.args, "the head of a rule"), *_unbound_head(rule, bound)]
    for literal in rule.body:
        found.extend(_literal(literal, bound))
        if isinstance(literal, Aggregate):
            found.extend(_aggregate(literal, group_names(outer, literal), strictly))
    return found


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


def _aggregate(aggregate: Aggregate, group: frozenset[str], bound: frozenset[str]) -> Iterator[Diagnostic]:
    """Faults inside an aggregate: its group must be bound outside, the rest inside."""
    for var in _first_of_each(aggregate):
        if var.name in group and var.name not in bound:
            what = "is grouped by this aggregate and is bound by nothing outside of it"
            hint = f"add a positive atom beside the aggregate that binds `{var.name}`"
            yield _unbound("E043", var, what, hint)
    inner = _closure(group, (step for literal in aggregate.body for step in _steps(literal, frozenset())))
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
