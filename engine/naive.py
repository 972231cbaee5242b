"""The oracle: the model of a program by the definition, without any cleverness.

Rows are tuples, relations dicts from a row to its level, bodies are solved one binding at a time, and each
stratum is computed again until nothing changes. Slow, and kept only to disagree with ``evaluate``: the
invariant is that it shares no code with it.
"""

from collections.abc import Iterable, Iterator, Mapping

from .errors import UsageError
from .exact import Value, aggregate, holds, inner_names, names, outer_names, value_of
from .syntax import Aggregate, Atom, CheckedProgram, Compare, Literal, Not, Rule, Term, Var, Wildcard

Row = tuple[Value, ...]
Levels = dict[str, dict[Row, int]]
Bindings = dict[str, Value]
Place = tuple[int, Literal]
Way = tuple[Bindings, int, list[Row]]
Solution = tuple[Bindings, int, list[tuple[int, Row]]]


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


def solve(todo: list[Place], bindings: Bindings, scope: set[str], model: Levels) -> Iterator[Solution]:
    """All ways to make the literals true: bindings, greatest level of the premises, premise rows by place."""
    if not todo:
        yield bindings, 0, []
        return
    for at, (place, literal) in enumerate(todo):
        ways = _ways(literal, bindings, scope, model)
        if ways is None:
            continue
        for more, level, used in ways:
            for final, deeper, others in solve(todo[:at] + todo[at + 1 :], more, scope, model):
                yield final, max(level, deeper), [(place, row) for row in used] + others
        return
    raise UsageError("a variable of the body is bound by nothing")


def _ways(literal: Literal, bindings: Bindings, scope: set[str], model: Levels) -> Iterator[Way] | None:
    """The ways to make one literal true; None if it has to wait for a variable."""
    known = bindings.keys()
    match literal:
        case Atom(relation, args) if names(args) <= known | {a.name for a in args if isinstance(a, Var)}:
            found = ((unify(args, row, bindings), level, [row]) for row, level in model[relation].items())
            return ((more, level, used) for more, level, used in found if more is not None)
        case Not(Atom(relation, args)) if names(args) <= known:
            valid = all(isinstance(a, Wildcard) or value_of(a, bindings) is not None for a in args)
            absent = valid and all(unify(args, row, bindings) is None for row in model[relation])
            return iter([(bindings, 0, [])] if absent else [])
        case Compare("=", Var(name), other) | Compare("=", other, Var(name)) if (
            name not in known and names((other,)) <= known
        ):
            value = value_of(other, bindings)
            return iter([] if value is None else [({**bindings, name: value}, 0, [])])
        case Compare(op, left, right) if names((left, right)) <= known:
            a, b = value_of(left, bindings), value_of(right, bindings)
            fits = a is not None and b is not None and holds(op, a, b)
            return iter([(bindings, 0, [])] if fits else [])
        case Aggregate() if inner_names(literal) & scope <= known:
            level, total = _fold(literal, bindings, scope, model)
            bound = None if total is None else unify((literal.result,), (total,), bindings)
            return iter([] if bound is None else [(bound, level, [])])
    return None


def _fold(literal: Aggregate, bindings: Bindings, scope: set[str], model: Levels) -> tuple[int, Value | None]:
    """The greatest level in the group of an aggregate, and its value."""
    level, values = 0, list[Value]()
    group = {v: bindings[v] for v in inner_names(literal) & scope}
    inside = scope | outer_names(literal.body)
    for inner, deep, _ in solve(list(enumerate(literal.body)), group, inside, model):
        value = 0 if literal.target is None else value_of(literal.target, inner)
        if value is not None:
            values.append(value)
            level = max(level, deep)
    return level, aggregate(literal.kind, values)


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
