"""Which variables stand where in a clause.

Invariant: the variables of an aggregate's body that also occur outside of it (in the head, in a literal
beside it, or as a result) are its group; the others are local, also where two aggregates use the
same name.
"""

from collections.abc import Iterable, Iterator

from .syntax import Aggregate, Atom, Call, Compare, Literal, Not, Rule, Term, Var, Wildcard


def leaves(term: Term) -> Iterator[Term]:
    """The variables, wildcards and constants of a term, from left to right."""
    pending = [term]
    while pending:
        match pending.pop():
            case Call(args=args):
                pending.extend(reversed(args))
            case leaf:
                yield leaf


def variables(terms: Iterable[Term]) -> Iterator[Var]:
    """Every occurrence of a variable in some terms, from left to right."""
    return (leaf for term in terms for leaf in leaves(term) if isinstance(leaf, Var))


def wildcards(terms: Iterable[Term]) -> Iterator[Wildcard]:
    """Every ``_`` in some terms."""
    return (leaf for term in terms for leaf in leaves(term) if isinstance(leaf, Wildcard))


def own_terms(literal: Literal) -> tuple[Term, ...]:
    """The terms of a literal that stand outside an aggregate's body and target."""
    match literal:
        case Atom(args=args) | Not(atom=Atom(args=args)):
            return args
        case Compare(left=left, right=right):
            return (left, right)
        case Aggregate(result=result):
            return (result,)


def inner_variables(aggregate: Aggregate) -> Iterator[Var]:
    """Every occurrence of a variable in the target and body of an aggregate."""
    if aggregate.target is not None:
        yield from variables((aggregate.target,))
    for literal in aggregate.body:
        yield from variables(own_terms(literal))


def outer_names(rule: Rule) -> frozenset[str]:
    """The names of the variables that occur outside every aggregate."""
    terms = (rule.head.args, *(own_terms(literal) for literal in rule.body))
    return frozenset(var.name for group in terms for var in variables(group))


def group_names(outer: frozenset[str], aggregate: Aggregate) -> frozenset[str]:
    """The names of the variables that an aggregate is grouped by; ``outer`` are those outside of any."""
    return outer & {var.name for var in inner_variables(aggregate)}


def atoms(body: Iterable[Literal]) -> Iterator[tuple[Atom, str]]:
    """Every atom of a body with how it is used: ``positive``, ``negated`` or ``aggregated``."""
    for literal in body:
        match literal:
            case Atom():
                yield literal, "positive"
            case Not(atom=atom):
                yield atom, "negated"
            case Aggregate(body=inner):
                for atom, _ in atoms(inner):
                    yield atom, "aggregated"
            case Compare():
                pass
