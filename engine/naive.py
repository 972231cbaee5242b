"""The oracle: the model of a program by the definition, without any cleverness.

Rows are tuples, relations dicts from a row to its level, bodies are solved one binding at a time, and each
stratum is computed again until nothing changes. Slow, and kept only to disagree with ``evaluate``: the
invariant is that it shares no code with it.
"""

from collections.abc import Iterable, Iterator, Mapping

from .errors import UsageError
from .exact import Value, aggregate, holds, inner_names, names, outer_names, value_of
from .syntax import Aggregate, Atom, Call, CheckedProgram, Compare, Literal, Not, Rule, Term, Var, Wildcard

Row = tuple[Value, ...]
Levels = dict[str, dict[Row, int]]
Bindings = dict[str, Value]


def naive(checked: CheckedProgram, facts: Mapping[str, Iterable[Row]]) -> Levels:
    """All rows of all relations, each with its least level."""
    model: Levels = {name: {} for name in checked.columns}
    for name, rows in facts.items():
        model[name].update((tuple(row), 0) for row in rows)
    for fact in checked.program.facts:
        model[fact.head.relation][_ground(fact.head, {}) or ()] = 0
    for stratum in checked.strata:
        rules = [rule for rule in checked.program.rules if rule.head.relation in stratum]
        while _improve(rules, model):
            pass
    return model


def _improve(rules: list[Rule], model: Levels) -> bool:
    """One round over all rules; whether a row is new or its level fell."""
    found = [(rule, *step) for rule in rules for step in derive(rule, model)]
    changed = False
    for rule, row, level, _ in found:
        known = model[rule.head.relation]
        if known.get(row, level + 1) > level:
            known[row] = level
            changed = True
    return changed


def derive(rule: Rule, model: Levels) -> Iterator[tuple[Row, int, tuple[Row, ...]]]:
    """Every ground instance of a rule: its row, its level, and its premise rows in body order."""
    scope = names(rule.head.args) | outer_names(rule.body)
    for bindings, level, used in solve(list(enumerate(rule.body)), {}, scope, model):
        row = _ground(rule.head, bindings)
        if row is not None:
            yield row, level + 1, tuple(row for _, row in sorted(used))


Solution = tuple[Bindings, int, list[tuple[int, Row]]]


def solve(
    todo: list[tuple[int, Literal]], bindings: Bindings, scope: set[str], model: Levels
) -> Iterator[Solution]:
    """All ways to make the literals true: bindings, greatest level of the premises, premise rows by place."""
    if not todo:
        yield bindings, 0, []
        return
    place, literal = next((item for item in todo if _ready(item[1], bindings, scope)), (-1, None))
    if literal is None:
        raise UsageError("a variable of the body is bound by nothing")
    rest = [item for item in todo if item[0] != place]
    for more, level, used in _one(literal, bindings, scope, model):
        for final, deeper, others in solve(rest, more, scope, model):
            here = [(place, used)] if used is not None else []
            yield final, max(level, deeper), here + others


def _ready(literal: Literal, bindings: Bindings, scope: set[str]) -> bool:
    match literal:
        case Atom(args=args):
            own = {a.name for a in args if isinstance(a, Var)}
            return names(a for a in args if isinstance(a, Call)) <= own | bindings.keys()
        case Not(Atom(args=args)):
            return names(args) <= bindings.keys()
        case Compare(op, left, right):
            loose = [t for t in (left, right) if not names((t,)) <= bindings.keys()]
            return not loose or (op == "=" and len(loose) == 1 and isinstance(loose[0], Var))
        case Aggregate():
            return inner_names(literal) & scope <= bindings.keys()


def _one(
    literal: Literal, bindings: Bindings, scope: set[str], model: Levels
) -> Iterator[tuple[Bindings, int, Row | None]]:
    match literal:
        case Atom(relation, args):
            for row, level in model[relation].items():
                more = unify(args, row, bindings)
                if more is not None:
                    yield more, level, row
        case Not(Atom(relation, args)):
            computed = [isinstance(a, Wildcard) or value_of(a, bindings) is not None for a in args]
            if all(computed) and all(unify(args, row, bindings) is None for row in model[relation]):
                yield bindings, 0, None
        case Compare(op, left, right):
            yield from ((more, 0, None) for more in _compare(op, left, right, bindings))
        case Aggregate(result, kind, target, body):
            level, values = 0, list[Value]()
            group = {v: bindings[v] for v in inner_names(literal) & scope}
            for inner, deep, _ in solve(list(enumerate(body)), group, scope | outer_names(body), model):
                value = 0 if target is None else value_of(target, inner)
                if value is not None:
                    values.append(value)
                    level = max(level, deep)
            total = aggregate(kind, values)
            if total is not None:
                more = unify((result,), (total,), bindings)
                if more is not None:
                    yield more, level, None


def _compare(op: str, left: Term, right: Term, bindings: Bindings) -> Iterator[Bindings]:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Var) and one.name not in bindings:
            value = value_of(other, bindings)
            if value is not None:
                yield {**bindings, one.name: value}
            return
    a, b = value_of(left, bindings), value_of(right, bindings)
    if a is not None and b is not None and holds(op, a, b):
        yield bindings


def unify(args: tuple[Term, ...], row: Row, bindings: Bindings) -> Bindings | None:
    """The bindings under which the arguments are the row, or None."""
    more = dict(bindings)
    for arg, value in zip(args, row, strict=True):
        if isinstance(arg, Var) and more.setdefault(arg.name, value) != value:
            return None
    for arg, value in zip(args, row, strict=True):
        if not isinstance(arg, Var | Wildcard) and value_of(arg, more) != value:
            return None
    return more


def _ground(atom: Atom, bindings: Bindings) -> Row | None:
    values = [value_of(a, bindings) for a in atom.args]
    row = tuple(v for v in values if v is not None)
    return row if len(row) == len(values) else None
