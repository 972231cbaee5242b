"""An independent check of proofs: small, and sharing no code with the evaluator or ``why``.

Its own matching and its own arithmetic decide whether each step is an instance of a rule of the program. The
invariant: if no fault is found, every row of the proof follows from the given facts, provided that ``holds``
tells the truth about rows that are looked for (by a negation or an aggregate).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Set

from .exact import Value, aggregate, inner_names, names, outer_names, value_of
from .exact import holds as compares
from .proof import Absent, Aggregated, Compared, Derived, Given, Premise, Proof
from .syntax import Aggregate, Atom, CheckedProgram, Compare, Literal, Not, Span, Term, Var, Wildcard

Row = tuple[Value, ...]
Bindings = dict[str, Value]
Pattern = tuple[Value | None, ...]
Look = Callable[[str, Pattern], Iterable[Row]]
"""The rows of a relation in the model that fit a pattern (None fits every value)."""

Used = Set[tuple[str, Row]]


def check_proof(
    checked: CheckedProgram, given: Mapping[str, Iterable[Row]], proof: Proof, holds: Look
) -> list[str]:
    """Faults of a proof, in order from its root; an empty list if there is none.

    Groups of aggregates are computed again from ``holds``; the proofs of their rows are not entered, give
    them to this function one by one.
    """
    facts = {name: set(map(tuple, rows)) for name, rows in given.items()}
    rules = set(checked.program.rules)
    faults: list[str] = []
    seen: set[int] = set()
    stack: list[Proof] = [proof]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        match node:
            case Given():
                faults += _given(checked, facts, node)
            case Derived():
                if node.rule not in rules:
                    faults.append(f"{_name(node)}: rule {node.rule.name} is not one of the program")
                faults += _derived(node, holds)
                stack.extend(p for p in reversed(node.premises) if isinstance(p, Given | Derived))
            case _:
                faults.append(f"{node!r} is no proof of a row")
    return faults


def _name(node: Given | Derived) -> str:
    return f"{node.relation}({', '.join(map(repr, node.row))})"


def _given(checked: CheckedProgram, facts: Mapping[str, Set[Row]], leaf: Given) -> list[str]:
    if isinstance(leaf.origin, Span):
        stated = (f for f in checked.program.facts if f.span == leaf.origin)
        if any(f.head.relation == leaf.relation and _same(f.head.args, leaf.row, {}) for f in stated):
            return []
        return [f"{_name(leaf)}: the program states no such fact at {leaf.origin.file}:{leaf.origin.line}"]
    if leaf.row in facts.get(leaf.relation, ()):
        return []
    return [f"{_name(leaf)} is not a given fact"]


def _same(args: tuple[Term, ...], row: Row, bindings: Bindings) -> bool:
    """Whether the arguments, all bound, are the row; ``_`` is any value."""
    if len(args) != len(row):
        return False
    pairs = [
        (value_of(a, bindings), v) for a, v in zip(args, row, strict=True) if not isinstance(a, Wildcard)
    ]
    return all(a == b and type(a) is type(b) for a, b in pairs)


def _derived(node: Derived, holds: Look) -> list[str]:
    rule, where = node.rule, _name(node)
    if node.relation != rule.head.relation:
        return [f"{where}: rule {rule.name} derives {rule.head.relation}"]
    scope = names(rule.head.args) | outer_names(rule.body)
    if set(node.bindings) != scope:
        return [f"{where}: the bindings are not those of the variables of rule {rule.name}"]
    if len(node.premises) != len(rule.body):
        return [f"{where}: {len(node.premises)} premises for the {len(rule.body)} literals of {rule.name}"]
    faults: list[str] = []
    if not _same(rule.head.args, node.row, node.bindings):
        faults.append(f"{where}: the head of {rule.name} is another row under these bindings")
    top = 0
    for literal, premise in zip(rule.body, node.premises, strict=True):
        fault, level = _premise(literal, premise, node, scope, holds)
        top = max(top, level)
        faults += [f"{where}: {fault}"] if fault else []
    if isinstance(node.level, bool) or node.level < top + 1:
        faults.append(f"{where}: level {node.level} is not above that of its premises, {top}")
    elif node.level > top + 1 and not any(isinstance(p, Aggregated) and p.group for p in node.premises):
        faults.append(f"{where}: level {node.level} is not one above its premises, {top}")
    return faults


def _premise(
    literal: Literal, premise: Premise, node: Derived, scope: set[str], holds: Look
) -> tuple[str | None, int]:
    """What is wrong with a premise, and its level."""
    match literal, premise:
        case Atom(relation, args), Given() | Derived():
            fits = relation == premise.relation and _same(args, premise.row, node.bindings)
            return None if fits else f"{_name(premise)} is not what {relation} asks for", premise.level
        case Not(Atom(relation, args)), Absent():
            return _absent(relation, args, premise, node.bindings, holds), 0
        case Compare(op, left, right), Compared():
            return _compared(op, left, right, premise, node.bindings), 0
        case Aggregate(), Aggregated():
            return _aggregated(literal, premise, node.bindings, scope, holds), 0
    return f"{premise!r} does not answer its literal", 0


def _absent(
    relation: str, args: tuple[Term, ...], premise: Absent, bindings: Bindings, holds: Look
) -> str | None:
    pattern = _pattern(args, bindings)
    if (relation, pattern) != (premise.relation, premise.pattern):
        return f"absence of {premise.relation}{premise.pattern!r} is not what !{relation} asks for"
    if None in (value_of(a, bindings) for a in args if not isinstance(a, Wildcard)):
        return f"!{relation} asks for a value that does not exist"
    if any(True for _ in holds(relation, pattern)):
        return f"{relation}{pattern!r} is not absent"
    return None


def _pattern(args: tuple[Term, ...], bindings: Bindings) -> Pattern:
    """The values of the arguments; None where a variable is not bound, and for ``_``."""
    bound = [not isinstance(a, Wildcard) and names((a,)) <= bindings.keys() for a in args]
    return tuple(value_of(a, bindings) if b else None for a, b in zip(args, bound, strict=True))


def _compared(op: str, left: Term, right: Term, premise: Compared, bindings: Bindings) -> str | None:
    a, b = value_of(left, bindings), value_of(right, bindings)
    if (op, a, b) != (premise.op, premise.left, premise.right) or a is None or b is None:
        return f"{premise.left!r} {premise.op} {premise.right!r} is not the comparison of the rule"
    return None if compares(op, a, b) else f"{a!r} {op} {b!r} does not hold"


def _aggregated(
    literal: Aggregate, premise: Aggregated, bindings: Bindings, scope: set[str], holds: Look
) -> str | None:
    group = {v: bindings[v] for v in inner_names(literal) & scope}
    value, used = _fold(literal, group, scope, holds)
    if premise.kind != literal.kind or premise.bindings != group:
        return f"{premise.kind} over {premise.bindings!r} is not the aggregate of the rule"
    if set(premise.group.rows) != used or len(premise.group.rows) != len(used):
        return f"the group of {literal.kind} is not complete, or holds rows too many"
    if value is None or value != premise.value or value_of(literal.result, bindings) != value:
        return f"the {literal.kind} is {value!r}, not {premise.value!r}"
    return None


def _fold(
    literal: Aggregate, group: Bindings, scope: set[str], holds: Look
) -> tuple[Value | None, set[tuple[str, Row]]]:
    """The value of an aggregate and the rows it comes from."""
    values: list[Value] = []
    used: set[tuple[str, Row]] = set()
    for bindings, rows in _solve(list(literal.body), group, scope | outer_names(literal.body), holds):
        value = 0 if literal.target is None else value_of(literal.target, bindings)
        if value is not None:
            values.append(value)
            used |= rows
    return aggregate(literal.kind, values), used


def _solve(
    todo: list[Literal], bindings: Bindings, scope: set[str], holds: Look
) -> Iterator[tuple[Bindings, Used]]:
    """All ways to make an aggregate's body true, with the rows used."""
    if not todo:
        yield bindings, set()
        return
    for place, literal in enumerate(todo):
        ways = _ways(literal, bindings, scope, holds)
        if ways is not None:
            rest = todo[:place] + todo[place + 1 :]
            for more, used in ways:
                for final, others in _solve(rest, more, scope, holds):
                    yield final, used | others
            return


def _ways(
    literal: Literal, bindings: Bindings, scope: set[str], holds: Look
) -> Iterator[tuple[Bindings, Used]] | None:
    """The ways to make one literal true, or None if it has to wait for its variables."""
    match literal:
        case Atom(relation, args):
            own = {a.name for a in args if isinstance(a, Var)} | bindings.keys()
            return _rows(relation, args, bindings, holds) if names(args) <= own else None
        case Not(Atom(relation, args)) if names(args) <= bindings.keys():
            pattern = _pattern(args, bindings)
            exists = all(p is not None or isinstance(a, Wildcard) for p, a in zip(pattern, args, strict=True))
            return iter(
                [(bindings, set())] if exists and not any(True for _ in holds(relation, pattern)) else []
            )
        case Compare(op, left, right):
            return _equation(op, left, right, bindings)
        case Aggregate() if inner_names(literal) & scope <= bindings.keys():
            group = {v: bindings[v] for v in inner_names(literal) & scope}
            value, used = _fold(literal, group, scope, holds)
            more = None if value is None else _bind(literal.result, value, bindings)
            return iter([] if more is None else [(more, used)])
    return None


def _rows(
    relation: str, args: tuple[Term, ...], bindings: Bindings, holds: Look
) -> Iterator[tuple[Bindings, Used]]:
    for row in holds(relation, _pattern(args, bindings)):
        more = dict(bindings)
        for arg, value in zip(args, row, strict=True):
            if isinstance(arg, Var):
                more.setdefault(arg.name, value)
        if _same(args, row, more):
            yield more, {(relation, row)}


def _equation(op: str, left: Term, right: Term, bindings: Bindings) -> Iterator[tuple[Bindings, Used]] | None:
    loose = [t for t in (left, right) if not names((t,)) <= bindings.keys()]
    if not loose:
        a, b = value_of(left, bindings), value_of(right, bindings)
        fits = a is not None and b is not None and compares(op, a, b)
        return iter([(bindings, set[tuple[str, Row]]())] if fits else [])
    if op != "=" or len(loose) > 1 or not isinstance(loose[0], Var):
        return None
    value = value_of(right if loose[0] is left else left, bindings)
    return iter([] if value is None else [({**bindings, loose[0].name: value}, set[tuple[str, Row]]())])


def _bind(term: Term, value: Value, bindings: Bindings) -> Bindings | None:
    if isinstance(term, Var) and term.name not in bindings:
        return {**bindings, term.name: value}
    return bindings if names((term,)) <= bindings.keys() and value_of(term, bindings) == value else None
