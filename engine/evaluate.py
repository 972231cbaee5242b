"""The kernel: from a checked program and facts to its stratified model, with the level of every row.

    given facts ─► for each stratum: derive ─► merge ─► Model

The invariant: when a stratum is done, its relations hold exactly the rows that follow, each once, each with
its least level (0 for a given row, else 1 + the greatest level of its positive premises). A stratum that is
not recursive is one round. A recursive one is worked in order of levels, as Knuth's generalisation of
Dijkstra's algorithm allows, because ``1 + max`` never falls below its arguments: candidates wait in buckets
by level; a round takes the lowest bucket, and what is new in it is final and becomes the next delta. Where
all levels are alike, this is plain semi-naive evaluation. No premise is stored: ``why`` finds it again.

(D. E. Knuth, A generalization of Dijkstra's algorithm, Information Processing Letters 6(1), 1977.)
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

import numpy as np

from .body import Context, Frame, Level, run
from .columns import IntArray, distinct, heads, is_sorted, ordered
from .errors import LimitExceeded
from .expressions import Dropped
from .given import Facts, take_in
from .keys import key_columns, may_repeat
from .known import Known
from .model import Model
from .normal import Match, NormalRule, Rules
from .plan import SMALL, Join, Reduce, Step, Wish, plan
from .relation import FEW, Relation
from .symbols import Symbols
from .syntax import Atom, CheckedProgram, Rule, Span

BLOCK = 1 << 18
"""Rows of the first relation of a body taken at a time, so that intermediate results stay small."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of an evaluation: ``rows`` of one relation or join, ``rounds`` of one recursion."""

    rows: int = 200_000_000
    rounds: int = 200_000


def evaluate(checked: CheckedProgram, facts: Facts, *, limits: Limits | None = None) -> Model:
    """The stratified model of a program over given facts.

    ``facts`` maps a relation to its rows, tuples of ``str`` and ``int`` as declared (or an int64 array of
    shape (rows, columns) for a relation of numbers). Raises FactError for facts that do not fit, and
    LimitExceeded.
    """
    symbols, relations = take_in(checked, facts)
    rules = Rules(checked.program.rules, symbols.code)
    work = _Evaluation(checked, symbols, relations, limits or Limits(), rules)
    for stratum in checked.strata:
        work.close(stratum)
    return Model(checked, symbols, relations, rules, work.warnings())


@dataclass(slots=True)
class Candidates:
    """Rows that a rule gave, ``level`` one number or one for each row."""

    columns: Sequence[IntArray]
    n: int
    level: Level


@dataclass(slots=True)
class Even:
    """Candidates that are all of one level."""

    columns: Sequence[IntArray]
    n: int
    level: int


@dataclass(slots=True)
class _Delta:
    """A rule of a recursion, read with the rows that one of its atoms got in the last round."""

    rule: NormalRule
    src: int
    relation: str
    before: tuple[tuple[int, str], ...]
    steps: tuple[Step, ...]


@dataclass(slots=True)
class _Evaluation:
    checked: CheckedProgram
    symbols: Symbols
    relations: dict[str, Relation]
    limits: Limits
    rules: Rules
    _dropped: dict[tuple[int, Span, str], tuple[int, ...]] = field(default_factory=dict)

    def warnings(self) -> tuple[Dropped, ...]:
        """Derivations left out, in order of rule and place."""
        rules = self.checked.program.rules
        order = sorted(self._dropped.items())
        return tuple(Dropped(rules[number].name, op, values, span) for (number, span, op), values in order)

    def _context(self, number: int) -> Context:
        def note(op: str, span: Span, values: tuple[int, ...]) -> None:
            key = (number, span, op)
            self._dropped[key] = min(values, self._dropped.get(key, values))

        return Context(self.relations, note, self.limits.rows)

    def close(self, stratum: tuple[str, ...]) -> None:
        """Derive all rows of mutually recursive relations; everything below is closed already."""
        members = frozenset(stratum)
        rules = [each for name in stratum for each in self.rules.of(name)]
        if not rules:
            return
        if any(isinstance(x, Atom) and x.relation in members for _, rule in rules for x in rule.body):
            self._recur(members, [self.rules.normal(*each) for each in sorted(rules, key=lambda r: r[0])])
            return
        for name in stratum:
            self._close_one(name)

    def _close_one(self, name: str) -> None:
        """Derive all rows of a relation that does not depend on itself."""
        relation = self.relations[name]
        living = [self.rules.normal(*each) for each in self.rules.of(name) if not self._is_dead(each[1])]
        found = [(rule, *self._derive(rule)) for rule in living]
        found = [each for each in found if each[2]]
        if not found:
            return
        rule, steps, parts = found[0]
        alone = len(found) == 1 and not relation.n
        large = sum(part.n for part in parts) > SMALL
        repeats = not (alone and large) or may_repeat(rule, steps, self.relations)
        keys = key_columns(rule, steps, self.relations) if alone and large else frozenset()
        _merge(relation, [part for each in found for part in each[2]], repeats)
        relation.keys = keys
        self._check_rows(relation)

    def _check_rows(self, relation: Relation) -> None:
        if relation.n > self.limits.rows:
            raise LimitExceeded(f"{relation.name} has {relation.n:,} rows, more than {self.limits.rows:,}")

    def _derive(self, rule: NormalRule) -> tuple[tuple[Step, ...], list[Candidates]]:
        """The plan and all candidates of a rule over closed relations, by blocks of its first relation."""
        if self._is_dead(rule.rule):
            return (), []
        steps = plan(rule.body, _wanted(rule), set(), self.relations)
        context = self._context(rule.number)
        first = steps[0] if steps else None
        whole = len(steps) == 1 or any(isinstance(step, Reduce) for step in steps)
        if whole or not isinstance(first, Join) or first.exists:
            return steps, _project(rule, run(steps, Frame(), context))
        found: list[Candidates] = []
        n = self.relations[first.relation].n
        for begin in range(0, n, BLOCK):
            if n > BLOCK:
                context.windows[first.src] = (begin, min(begin + BLOCK, n))
            found += _project(rule, run(steps, Frame(), context))
        return steps, found

    def _is_dead(self, rule: Rule) -> bool:
        """Whether a relation that the body needs is empty."""
        relations = self.relations
        return any(isinstance(x, Atom) and not relations[x.relation].n for x in rule.body)

    def _recur(self, members: frozenset[str], rules: list[NormalRule]) -> None:
        waiting = _Buckets()
        for name in sorted(members):
            relation = self.relations[name]
            if relation.n:
                waiting.add(name, Candidates(relation.columns, relation.n, 0))
                self.relations[name] = Relation(name, relation.arity)
        deltas: list[_Delta] = []
        for rule in rules:
            recursive = tuple(
                (x.src, x.relation) for x in rule.body if isinstance(x, Match) and x.relation in members
            )
            if not recursive:
                for found in self._derive(rule)[1]:
                    waiting.add(rule.relation, found)
            for at, (src, name) in enumerate(recursive):
                deltas.append(_Delta(rule, src, name, recursive[:at], ()))
        self._rounds(members, deltas, waiting)

    def _rounds(self, members: frozenset[str], deltas: list[_Delta], waiting: "_Buckets") -> None:
        relations = self.relations
        known = {name: Known(relations[name]) for name in members}
        names = sorted(members)
        contexts = {delta.rule.number: self._context(delta.rule.number) for delta in deltas}
        for _ in range(self.limits.rounds):
            level = waiting.lowest()
            if level is None:
                return
            old = {name: relations[name].n for name in names}
            for name in names:
                self._settle(name, level, waiting, known[name])
            for delta in deltas:
                begin, end = old[delta.relation], relations[delta.relation].n
                if begin == end or self._is_dead(delta.rule.rule):
                    continue
                context = contexts[delta.rule.number]
                context.windows.clear()
                context.windows[delta.src] = (begin, end)
                for src, name in delta.before:
                    context.windows[src] = (0, old[name])
                for found in self._step(delta, context, members):
                    waiting.add(delta.rule.relation, found)
        raise LimitExceeded(
            f"the recursion of {', '.join(names)} takes more than {self.limits.rounds:,} rounds"
        )

    def _step(self, delta: _Delta, context: Context, members: frozenset[str]) -> list[Candidates]:
        rule = delta.rule
        if not delta.steps:
            delta.steps = plan(
                rule.body, _wanted(rule), set(), self.relations, Wish(first=delta.src, growing=members)
            )
        return _project(rule, run(delta.steps, Frame(), context))

    def _settle(self, name: str, level: int, waiting: "_Buckets", known: Known) -> None:
        """Take one relation's candidates of a level: those not known yet are its new rows."""
        relation = self.relations[name]
        columns, n = waiting.take(name, level, relation.arity)
        if not n:
            return
        rows = known.new(columns, n)
        if rows is not None:
            columns, n = [c.take(rows) for c in columns], len(rows)
        relation.append(columns, n, level)
        self._check_rows(relation)


def _wanted(rule: NormalRule) -> set[str]:
    return {a for a in rule.head if isinstance(a, str)}


def _project(rule: NormalRule, frame: Frame) -> list[Candidates]:
    """The head of each binding; its level is one above its premises."""
    if not frame.n:
        return []
    columns = [frame.columns[a] if isinstance(a, str) else np.full(frame.n, a, np.int64) for a in rule.head]
    return [Candidates(columns, frame.n, frame.level + 1)]


class _Buckets:
    """Candidates of a recursion waiting by level and relation."""

    def __init__(self) -> None:
        self._waiting: dict[int, dict[str, list[tuple[Sequence[IntArray], int]]]] = {}

    def add(self, name: str, found: Candidates) -> None:
        for piece in _by_level(found):
            waiting = self._waiting.setdefault(piece.level, {}).setdefault(name, [])
            waiting.append((piece.columns, piece.n))

    def lowest(self) -> int | None:
        return min(self._waiting, default=None)

    def take(self, name: str, level: int, arity: int) -> tuple[Sequence[IntArray], int]:
        """The candidates of one relation and level; the bucket goes when its last relation is taken."""
        bucket = self._waiting.get(level, {})
        parts = bucket.pop(name, [])
        if level in self._waiting and not bucket:
            del self._waiting[level]
        if len(parts) == 1:
            return parts[0]
        columns = [np.concatenate([part[0][i] for part in parts]) for i in range(arity)] if parts else []
        return columns, sum(n for _, n in parts)


def _merge(relation: Relation, parts: list[Candidates], repeats: bool) -> None:
    """Add candidates to a relation that holds given rows only: each row once, with its least level."""
    if relation.n:
        parts = [Candidates(relation.columns, relation.n, 0), *parts]
    even = [piece for part in parts for piece in _by_level(part)]
    even.sort(key=lambda piece: piece.level)
    sizes: dict[int, int] = {}
    for piece in even:
        sizes[piece.level] = sizes.get(piece.level, 0) + piece.n
    columns = [_joined([piece.columns[i] for piece in even]) for i in range(relation.arity)]
    n = sum(sizes.values())
    rows = distinct(columns, n, in_order=len(sizes) > FEW) if repeats else None
    if rows is not None:
        blocks = _by_block(rows, list(accumulate(sizes.values())))
        rows = _joined(blocks)
        columns, n = [c.take(rows) for c in columns], len(rows)
        sizes = dict(zip(sizes, map(len, blocks), strict=True))
    held = {level: size for level, size in sizes.items() if size}
    relation.hold(columns, n, [0, *accumulate(held.values())][:-1], list(held))


def _by_block(rows: IntArray, ends: list[int]) -> list[IntArray]:
    """Row numbers, apart by the blocks in which they lie; in ascending order if there are many blocks."""
    if len(ends) == 1:
        return [rows]
    if len(ends) > FEW:
        return np.split(rows, np.searchsorted(rows, ends[:-1]))
    return [rows[(rows >= begin) & (rows < end)] for begin, end in pairwise([0, *ends])]


def _joined(parts: list[IntArray]) -> IntArray:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _by_level(found: Candidates) -> list[Even]:
    """Candidates cut into pieces of one level each."""
    if isinstance(found.level, int):
        return [Even(found.columns, found.n, found.level)]
    least, most = int(found.level.min()), int(found.level.max())
    if least == most:
        return [Even(found.columns, found.n, least)]
    if is_sorted(found.level):
        starts = [int(i) for i in np.flatnonzero(heads(found.level))]
        pieces = pairwise([*starts, found.n])
        return [Even([c[a:b] for c in found.columns], b - a, int(found.level[a])) for a, b in pieces]
    if most - least < FEW:
        masks = [(level, np.flatnonzero(found.level == level)) for level in range(least, most + 1)]
        return [Even([c.take(r) for c in found.columns], len(r), level) for level, r in masks if len(r)]
    levels, rows = ordered(found.level.astype(np.int64), most + 1)
    columns = found.columns if rows is None else [c.take(rows) for c in found.columns]
    starts = [*np.flatnonzero(heads(levels)).tolist(), found.n]
    return [Even([c[a:b] for c in columns], b - a, int(levels[a])) for a, b in pairwise(starts)]
