"""From a body in normal form to steps: in which order, by which columns, keeping which variables.

The order comes from the sizes and value ranges of the relations, never from the order in which the body
is written: tests run as soon as their variables are bound, and of the atoms the cheapest is next, tried
from every first atom where the relations are large. Ties go to source order, so a plan is a function of
program and facts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .errors import UsageError
from .expressions import Operand, variables_of
from .normal import Fold, Lacks, Match, Normal, Test, variables
from .relation import Relation
from .syntax import NOWHERE, Span

SMALL = 4096
"""Relations of fewer rows in all are not worth trying several orders."""


@dataclass(slots=True)
class Join:
    """Rows of a relation whose columns ``eq`` equal ``key`` and whose column ``span`` is within bounds.

    ``same`` are pairs of columns that must be equal, ``binds`` the variables taken from the rows. With
    ``exists`` the step only asks whether there is such a row.
    """

    src: int
    relation: str
    eq: tuple[int, ...]
    key: tuple[int | str, ...]
    span: int | None
    low: tuple[Operand, bool] | None
    high: tuple[Operand, bool] | None
    same: tuple[tuple[int, int], ...]
    binds: tuple[tuple[str, int], ...]
    exists: bool = False
    keep: tuple[str, ...] = ()


@dataclass(slots=True)
class Anti:
    """No row of a relation has ``key`` in the columns ``eq``."""

    relation: str
    eq: tuple[int, ...]
    key: tuple[Operand, ...]
    keep: tuple[str, ...] = ()


@dataclass(slots=True)
class Filter:
    """A comparison of bound operands."""

    op: str
    left: Operand
    right: Operand
    keep: tuple[str, ...] = ()


@dataclass(slots=True)
class Assign:
    """A variable bound to the value of an operand."""

    variable: str
    value: Operand
    keep: tuple[str, ...] = ()


@dataclass(slots=True)
class Reduce:
    """An aggregate: ``inner`` is run once for each distinct ``group``.

    With ``merge`` nothing else is wanted afterwards, so the groups themselves go on.
    """

    src: int
    result: str
    kind: str
    target: Operand | None
    group: tuple[str, ...]
    inner: tuple["Step", ...]
    span: Span = NOWHERE
    merge: bool = False
    keep: tuple[str, ...] = ()


Step = Join | Anti | Filter | Assign | Reduce

GROUP = "?#"
"""The variable that numbers the groups inside an aggregate."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a plan is for.

    ``first`` is the ``src`` of an atom to begin with (the delta of a recursion); ``traced`` keeps every
    premise row, ``bag`` keeps the number of bindings; both forbid shortcuts over existence.
    ``growing`` are the relations whose levels are not known yet.
    """

    first: int | None = None
    traced: bool = False
    bag: bool = False
    growing: frozenset[str] = frozenset()


def plan(
    body: Sequence[Normal],
    wanted: set[str],
    bound: set[str],
    relations: Mapping[str, Relation],
    wish: Wish = Wish(),
) -> tuple[Step, ...]:
    """Steps that bind ``wanted``, given ``bound``. Raises UsageError for a body that cannot bind them."""
    atoms = {i: literal for i, literal in enumerate(body) if isinstance(literal, Match)}
    small = sum(relations[atom.relation].n for atom in atoms.values()) <= SMALL
    starts: list[int | None] = [None]
    if wish.first is not None:
        starts = [next(i for i, atom in atoms.items() if atom.src == wish.first)]
    elif len(atoms) > 1 and not small:
        starts = [None, *atoms] if bound else list(atoms)
    best: _Sequence | None = None
    for start in starts:
        tried = _Sequence(body, bound, relations, wish, quick=small)
        tried.run(start, None if best is None else best.cost)
        if best is None or (tried.done and tried.cost < best.cost):
            best = tried
    assert best is not None
    loose = wanted - best.bound
    if loose:
        raise UsageError(f"nothing binds {', '.join(sorted(loose))}")
    _keep(best.steps, wanted, relations, wish)
    return tuple(best.steps)


class _Sequence:
    """One order of a body, built greedily, and its estimated cost in row visits."""

    def __init__(
        self,
        body: Sequence[Normal],
        bound: set[str],
        relations: Mapping[str, Relation],
        wish: Wish,
        quick: bool,
    ) -> None:
        self._quick = quick
        self._body, self._relations, self._wish = body, relations, wish
        self._todo = list(range(len(body)))
        self._results = {literal.result for literal in body if isinstance(literal, Fold)}
        self.bound = set(bound)
        self.steps: list[Step] = []
        self.rows = 1.0
        self.cost = 0.0
        self.done = False

    def run(self, start: int | None, limit: float | None) -> None:
        if start is not None:
            self._join(start)
        while self._todo:
            if limit is not None and self.cost >= limit:
                return
            if self._tests():
                continue
            atom = self._next_atom()
            fold = self._next_fold()
            if fold is not None and (atom is None or not self._connected(atom)):
                self._reduce(fold)
            elif atom is not None:
                self._join(atom)
            else:
                self._stuck()
        self.done = True

    def _stuck(self) -> None:
        loose: set[str] = set()
        for i in self._todo:
            loose |= variables(self._body[i]) - self.bound
        raise UsageError(f"nothing binds {', '.join(sorted(v for v in loose if v[0] != '?')) or '_'}")

    def _tests(self) -> bool:
        """Add the tests and negations whose variables are bound; whether there was one."""
        for i in self._todo:
            literal = self._body[i]
            match literal:
                case Test(_, op, left, right):
                    step = self._test(op, left, right)
                case Lacks(_, relation, args) if variables(literal) <= self.bound:
                    places = [(c, a) for c, a in enumerate(args) if a is not None]
                    step = Anti(relation, tuple(c for c, _ in places), tuple(a for _, a in places))
                case _:
                    step = None
            if step is not None:
                self._todo.remove(i)
                self.steps.append(step)
                return True
        return False

    def _test(self, op: str, left: Operand, right: Operand) -> Step | None:
        loose_left = variables_of(left) - self.bound
        loose_right = variables_of(right) - self.bound
        if (loose_left | loose_right) & self._results:
            return None  # only the aggregate itself says what its result is
        if not loose_left and not loose_right:
            self.rows *= 0.9
            return Filter(op, left, right)
        if op == "=" and isinstance(left, str) and loose_left and not loose_right:
            self.bound.add(left)
            return Assign(left, right)
        if op == "=" and isinstance(right, str) and loose_right and not loose_left:
            self.bound.add(right)
            return Assign(right, left)
        return None

    def _is_bound(self, argument: int | str | None) -> bool:
        return argument is not None and (isinstance(argument, int) or argument in self.bound)

    def _connected(self, i: int) -> bool:
        literal = self._body[i]
        assert isinstance(literal, Match)
        return any(self._is_bound(a) for a in literal.args)

    def _next_atom(self) -> int | None:
        atoms = [i for i in self._todo if isinstance(self._body[i], Match)]
        if len(atoms) < 2:
            return atoms[0] if atoms else None
        if self._quick:
            return min(atoms, key=lambda i: (self._guess(i), i))
        return min(atoms, key=lambda i: (self._price(i)[0], i))

    def _next_fold(self) -> int | None:
        for i in self._todo:
            literal = self._body[i]
            if isinstance(literal, Fold) and self.bound.issuperset(literal.group):
                return i
        return None

    def _guess(self, i: int) -> float:
        """A price without measuring: small relations, many bound columns first, products last."""
        literal = self._body[i]
        assert isinstance(literal, Match)
        n = self._relations[literal.relation].n
        bound = sum(map(self._is_bound, literal.args))
        if bound:
            return n / 8.0**bound
        return float(n) if not self.steps else n * 1e6

    def _price(self, i: int) -> tuple[float, float]:
        """Estimated cost of joining an atom next, in rows visited, and the rows after it."""
        literal = self._body[i]
        assert isinstance(literal, Match)
        relation = self._relations[literal.relation]
        eq = tuple(c for c, a in enumerate(literal.args) if self._is_bound(a))
        n = relation.n
        column, low, high, _ = self._span(literal)
        if not eq and column is None:
            return self.rows * n if self.steps else 0.2 * n, self.rows * n
        each = n / max(relation.spread(eq), 1)
        asks = len(eq) + literal.args.count(None) == len(literal.args)
        if asks and not self._wish.traced and not self._wish.bag:
            after = self.rows * min(each, 0.8)
            return 0.5 * self.rows + 0.5 * n + after, after
        if column is not None:
            each = max(each / (2 if low is None or high is None else 32), 0.5)
        build = 0.0 if relation.has_index(eq, column) else 4.0 * n
        after = self.rows * each
        return self.rows * (3 if column is not None else 1) + build + after, after

    def _span(
        self, literal: Match
    ) -> tuple[int | None, tuple[Operand, bool] | None, tuple[Operand, bool] | None, list[int]]:
        """A column that comparisons bound, its bounds (operand, strict), and the comparisons used up."""
        column: int | None = None
        low = high = None
        used: list[int] = []
        for i in self._todo:
            test = self._body[i]
            if not isinstance(test, Test) or test.op not in _MIRROR:
                continue
            for op, side, other in (
                (test.op, test.left, test.right),
                (_MIRROR[test.op], test.right, test.left),
            ):
                if not isinstance(side, str) or side in self.bound or side not in literal.args:
                    continue
                place = literal.args.index(side)
                if column not in (None, place) or not variables_of(other) <= self.bound:
                    continue
                if op[0] == ">" and low is None:
                    column, low = place, (other, op == ">")
                    used.append(i)
                elif op[0] == "<" and high is None:
                    column, high = place, (other, op == "<")
                    used.append(i)
        return column, low, high, used

    def _join(self, i: int) -> None:
        literal = self._body[i]
        assert isinstance(literal, Match)
        delta = literal.src == self._wish.first and not self.steps
        price, after = (0.0, 1.0) if self._quick else self._price(i)
        span, low, high, used = (None, None, None, []) if delta else self._span(literal)
        self._todo = [t for t in self._todo if t != i and t not in used]
        eq: list[int] = []
        key: list[int | str] = []
        same: list[tuple[int, int]] = []
        binds: dict[str, int] = {}
        for c, argument in enumerate(literal.args):
            if argument is None:
                continue
            if isinstance(argument, int) or argument in self.bound:
                eq.append(c)
                key.append(argument)
            elif argument in binds:
                same.append((binds[argument], c))
            else:
                binds[argument] = c
        self.steps.append(
            Join(
                literal.src,
                literal.relation,
                tuple(eq),
                tuple(key),
                span,
                low,
                high,
                tuple(same),
                tuple(binds.items()),
            )
        )
        self.bound.update(binds)
        self.cost += price
        self.rows = after

    def _reduce(self, i: int) -> None:
        fold = self._body[i]
        assert isinstance(fold, Fold)
        self._todo.remove(i)
        target = set() if fold.target is None else variables_of(fold.target)
        wish = Wish(traced=self._wish.traced, bag=True)
        inner = plan(fold.body, target | {GROUP}, {*fold.group, GROUP}, self._relations, wish)
        self.steps.append(Reduce(fold.src, fold.result, fold.kind, fold.target, fold.group, inner, fold.span))
        self.bound.add(fold.result)


_MIRROR = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _keep(steps: list[Step], wanted: set[str], relations: Mapping[str, Relation], wish: Wish) -> None:
    """From the end: which variables are still wanted after each step, and which joins only ask."""
    live = set(wanted)
    for at in range(len(steps) - 1, -1, -1):
        step = steps[at]
        step.keep = tuple(sorted(live))
        match step:
            case Join():
                step.binds = tuple((v, c) for v, c in step.binds if v in live)
                step.exists = _only_asks(step, relations[step.relation], wish, first=at == 0)
                live -= {v for v, _ in step.binds}
                live |= {k for k in step.key if isinstance(k, str)}
                for limit in (step.low, step.high):
                    live |= set() if limit is None else variables_of(limit[0])
            case Anti(key=key):
                live |= set().union(*map(variables_of, key))
            case Filter(left=left, right=right):
                live |= variables_of(left) | variables_of(right)
            case Assign(variable, value):
                live = (live - {variable}) | variables_of(value)
            case Reduce(result=result, group=group):
                live.discard(result)
                step.merge = live <= set(group) and not wish.traced and not wish.bag
                live |= set(group)


def _only_asks(step: Join, relation: Relation, wish: Wish, first: bool) -> bool:
    if wish.traced or step.binds or step.same or relation.one_level() is None:
        return False
    if step.relation in wish.growing:
        return False
    if wish.bag:
        return len(step.eq) == relation.arity
    return not (first and wish.first is not None)
