"""What determines what: rules whose rows cannot repeat need no search for repetitions.

A column is a key of a relation if no two rows share its value there. The invariant: only what follows from
known keys and from the form of the rule is said, never a guess; knowing less costs time, not truth.
"""

from collections.abc import Mapping, Sequence

from .expressions import variables_of
from .normal import Fold, Match, NormalRule, Test
from .plan import Join, Reduce, Step
from .relation import Relation


def may_repeat(rule: NormalRule, steps: Sequence[Step], relations: Mapping[str, Relation]) -> bool:
    """Whether two bindings of a rule's body may give the same head."""
    return not _determines({a for a in rule.head if isinstance(a, str)}, rule, steps, relations)


def key_columns(rule: NormalRule, steps: Sequence[Step], relations: Mapping[str, Relation]) -> frozenset[int]:
    """Columns that are keys of what one rule derives."""
    return frozenset(
        c
        for c, argument in enumerate(rule.head)
        if isinstance(argument, str) and _determines({argument}, rule, steps, relations)
    )


def _determines(
    start: set[str], rule: NormalRule, steps: Sequence[Step], relations: Mapping[str, Relation]
) -> bool:
    """Whether the values of some variables leave room for one binding of the body only."""
    known = _closure(start, rule, relations)
    merged = [i for i, step in enumerate(steps) if isinstance(step, Reduce) and step.merge]
    if merged:
        step = steps[merged[-1]]
        if not isinstance(step, Reduce) or not known.issuperset(step.group):
            return False
        steps = steps[merged[-1] :]
    joined = {step.src for step in steps if isinstance(step, Join) and not step.exists}
    return all(
        _single(literal, known, relations) or (known.issuperset(_names(literal)) and None not in literal.args)
        for literal in rule.body
        if isinstance(literal, Match) and literal.src in joined
    )


def _closure(start: set[str], rule: NormalRule, relations: Mapping[str, Relation]) -> set[str]:
    """All variables whose values follow from those of ``start``."""
    known = set(start)
    size = -1
    while size != len(known):
        size = len(known)
        for literal in rule.body:
            match literal:
                case Match():
                    if _single(literal, known, relations):
                        known |= _names(literal)
                case Test(_, "=", left, right):
                    if isinstance(left, str) and variables_of(right) <= known:
                        known.add(left)
                    if isinstance(right, str) and variables_of(left) <= known:
                        known.add(right)
                case Fold(group=group, result=result):
                    if known.issuperset(group):
                        known.add(result)
    return known


def _single(literal: Match, known: set[str], relations: Mapping[str, Relation]) -> bool:
    """Whether known values leave one row of the relation at most."""
    return any(
        isinstance(argument, int) or argument in known
        for c, argument in enumerate(literal.args)
        if c in relations[literal.relation].keys and argument is not None
    )


def _names(literal: Match) -> set[str]:
    return {a for a in literal.args if isinstance(a, str)}
