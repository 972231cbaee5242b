"""Rule bodies in normal form: what the planner orders and the evaluator runs.

Symbols are ids; every argument of a positive atom is a value, a variable or nothing (``_``); expressions
inside atoms and heads and results of aggregates become equations over fresh variables, whose names start
with ``?`` and so never meet one of the program. ``src`` is the place of the literal in its source body.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from .expressions import Expression, Operand, variables_of
from .syntax import (
    NOWHERE,
    Aggregate,
    Atom,
    Call,
    Compare,
    Const,
    Literal,
    Not,
    Rule,
    Span,
    Term,
    Var,
    Wildcard,
)


@dataclass(frozen=True, slots=True)
class Match:
    """A positive atom."""

    src: int
    relation: str
    args: tuple[int | str | None, ...]


@dataclass(frozen=True, slots=True)
class Lacks:
    """A negated atom; None for ``_``."""

    src: int
    relation: str
    args: tuple[Operand | None, ...]


@dataclass(frozen=True, slots=True)
class Test:
    """A comparison."""

    src: int
    op: str
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class Fold:
    """An aggregate over ``body``; ``group`` are the variables it shares with the outside, sorted."""

    src: int
    result: str
    kind: str
    target: Operand | None
    body: tuple["Normal", ...]
    group: tuple[str, ...]
    span: Span = NOWHERE


Normal = Match | Lacks | Test | Fold


@dataclass(frozen=True, slots=True)
class NormalRule:
    """``number`` is the place of the rule in the program."""

    number: int
    relation: str
    head: tuple[int | str, ...]
    body: tuple[Normal, ...]
    rule: Rule


Resolve = Callable[[str | int], int]
"""A constant as a number: symbols by their id."""


class Rules:
    """The rules of a program by the relation they derive, each put into normal form when it is first wanted."""

    __slots__ = ("_by_head", "_normal", "_resolve")

    def __init__(self, rules: Sequence[Rule], resolve: Resolve) -> None:
        self._resolve = resolve
        self._normal: dict[int, NormalRule] = {}
        self._by_head: dict[str, list[tuple[int, Rule]]] = {}
        for number, rule in enumerate(rules):
            self._by_head.setdefault(rule.head.relation, []).append((number, rule))

    def of(self, relation: str) -> list[tuple[int, Rule]]:
        """Number and source of the rules of a relation, in source order."""
        return self._by_head.get(relation, [])

    def normal(self, number: int, rule: Rule) -> NormalRule:
        """One of these in normal form."""
        found = self._normal.get(number)
        if found is None:
            found = self._normal[number] = normal_rule(rule, number, self._resolve)
        return found


def variables(literal: Normal) -> set[str]:
    """Variables of a literal that its rule sees; of an aggregate its group and its result."""
    match literal:
        case Match(args=args):
            return {a for a in args if isinstance(a, str)}
        case Lacks(args=args):
            return set().union(*(variables_of(a) for a in args if a is not None))
        case Test(left=left, right=right):
            return variables_of(left) | variables_of(right)
        case Fold(group=group, result=result):
            return {*group, result}


def normal_rule(rule: Rule, number: int, resolve: Resolve) -> NormalRule:
    """A rule in normal form."""
    builder = _Builder(resolve)
    scope = _seen_outside(rule.body) | _term_variables(rule.head.args)
    body = builder.body(rule.body, scope)
    head: list[int | str] = []
    for term in rule.head.args:
        operand = builder.operand(term)
        if isinstance(operand, Expression):
            fresh = builder.fresh()
            body.append(Test(-1, "=", fresh, operand))
            operand = fresh
        head.append(operand)
    return NormalRule(number, rule.head.relation, tuple(head), tuple(body), rule)


def normal_body(body: tuple[Literal, ...], names: Iterable[str], resolve: Resolve) -> tuple[Normal, ...]:
    """A body on its own, of which ``names`` are wanted."""
    return tuple(_Builder(resolve).body(body, _seen_outside(body) | set(names)))


def _term_variables(terms: Iterable[Term]) -> set[str]:
    found: set[str] = set()
    for term in terms:
        match term:
            case Var(name):
                found.add(name)
            case Call(args=args):
                found |= _term_variables(args)
    return found


def _seen_outside(body: tuple[Literal, ...]) -> set[str]:
    """Variables of a body outside the bodies of its aggregates."""
    found: set[str] = set()
    for literal in body:
        match literal:
            case Atom(args=args) | Not(atom=Atom(args=args)):
                found |= _term_variables(args)
            case Compare(left=left, right=right):
                found |= _term_variables((left, right))
            case Aggregate(result=result):
                found |= _term_variables((result,))
    return found


def _seen_inside(aggregate: Aggregate) -> set[str]:
    """All variables of an aggregate's body and target, however deep."""
    found = _seen_outside(aggregate.body)
    if aggregate.target is not None:
        found |= _term_variables((aggregate.target,))
    for literal in aggregate.body:
        if isinstance(literal, Aggregate):
            found |= _seen_inside(literal)
    return found


class _Builder:
    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve
        self._count = 0

    def fresh(self) -> str:
        self._count += 1
        return f"?{self._count}"

    def operand(self, term: Term) -> Operand:
        match term:
            case Var(name):
                return name
            case Const(value):
                return self._resolve(value)
            case Call(op, args, span):
                return Expression(op, tuple(self.operand(a) for a in args), span)
            case Wildcard():
                return self.fresh()

    def body(self, literals: tuple[Literal, ...], scope: set[str]) -> list[Normal]:
        out: list[Normal] = []
        for src, literal in enumerate(literals):
            match literal:
                case Atom(relation, args):
                    out.append(Match(src, relation, tuple(self._argument(a, src, out) for a in args)))
                case Not(Atom(relation, args)):
                    places = (None if isinstance(a, Wildcard) else self.operand(a) for a in args)
                    out.append(Lacks(src, relation, tuple(places)))
                case Compare(op, left, right):
                    out.append(Test(src, op, self.operand(left), self.operand(right)))
                case Aggregate():
                    self._fold(literal, src, scope, out)
        return out

    def _argument(self, term: Term, src: int, out: list[Normal]) -> int | str | None:
        if isinstance(term, Wildcard):
            return None
        operand = self.operand(term)
        if isinstance(operand, Expression):
            fresh = self.fresh()
            out.append(Test(src, "=", fresh, operand))
            return fresh
        return operand

    def _fold(self, literal: Aggregate, src: int, scope: set[str], out: list[Normal]) -> None:
        group = _seen_inside(literal) & scope
        body = self.body(literal.body, scope | _seen_outside(literal.body))
        target = None if literal.target is None else self.operand(literal.target)
        result = self.fresh()
        out.append(Fold(src, result, literal.kind, target, tuple(body), tuple(sorted(group)), literal.span))
        out.append(Test(src, "=", self.operand(literal.result), result))
