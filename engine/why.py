"""Why a row is in the model: its canonical proof, found when asked.

Evaluation keeps the level of every row and nothing else. A step is found again by reading each rule of the
relation with the head bound to the row: the first rule, in source order, some binding of which has its
highest premise exactly one level below; of its bindings the one whose premise rows, in body order, are least
in value order. The invariant: the proof is a function of program and facts alone, and of least height.

Everything is iterative, so a chain of any length is safe, and memoised in the model, so that what proofs have
in common is one object.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from .body import Context, Frame, Level, run, where
from .columns import IntArray
from .errors import UsageError
from .expressions import Operand, compute
from .model import Model, Row, Value, kinds_of
from .normal import Fold, Lacks, Match, Normal, NormalRule, Test, variables
from .plan import Step, Wish, plan
from .proof import Absent, Aggregated, Compared, Derived, Given, Group, Premise, Proof
from .relation import LevelArray
from .syntax import Aggregate, Compare, Const, Not, Span, Term, Var

Key = tuple[str, int]
"""A relation and a row number."""

Drafts = list[Key | Premise]
"""Premises of a step, those that are rows still without their proof."""

_LIMIT = 50_000_000


def why(model: Model, relation: str, row: Sequence[Value]) -> Proof:
    """The canonical proof of a row. Raises UsageError if the row is not in the model."""
    number = model.find(relation, row)
    if number is None:
        raise UsageError(f"{relation}({', '.join(map(repr, row))}) is not in the model, so nothing proves it")
    return _prover(model).prove((relation, number))


def derivations(model: Model, relation: str, row: Sequence[Value], limit: int = 100) -> list[Derived]:
    """All one-step derivations of a row in canonical order (level, rule, premises), at most ``limit``.

    Premises carry their canonical proofs. A given row has derivations too if rules reach it.
    """
    number = model.find(relation, row)
    if number is None:
        raise UsageError(
            f"{relation}({', '.join(map(repr, row))}) is not in the model, so nothing derives it"
        )
    return _prover(model).derivations((relation, number), limit)


def _prover(model: Model) -> "_Prover":
    prover = model.memo.get("why")
    if not isinstance(prover, _Prover):
        prover = model.memo["why"] = _Prover(model)
    return prover


@dataclass(slots=True)
class _Reader:
    """A rule made ready to be read with its head bound."""

    rule: NormalRule
    steps: tuple[Step, ...]
    kinds: dict[str, str]
    matches: tuple[Match, ...]


@dataclass(slots=True)
class _Draft:
    """One step of a proof whose premises are not proved yet."""

    rule: NormalRule
    bindings: dict[str, Value]
    premises: Drafts
    level: int


@dataclass(slots=True)
class _Prover:
    model: Model
    _proofs: dict[Key, Proof] = field(default_factory=dict)
    _readers: dict[str, list[_Reader]] = field(default_factory=dict)
    _groups: dict[int, tuple[Step, ...]] = field(default_factory=dict)

    def prove(self, key: Key) -> Proof:
        """The proof of a row; premises first, by an explicit stack."""
        drafts: dict[Key, _Draft] = {}
        stack = [key]
        while stack:
            top = stack[-1]
            if top in self._proofs:
                stack.pop()
                continue
            draft = drafts.get(top)
            if draft is None:
                leaf = self._leaf(top)
                if leaf is not None:
                    self._proofs[top] = leaf
                    continue
                draft = drafts[top] = self._draft(top)
                stack.extend(p for p in draft.premises if isinstance(p, tuple) and p not in self._proofs)
                continue
            self._proofs[top] = self._finish(top, drafts.pop(top))
            stack.pop()
        return self._proofs[key]

    def prove_row(self, relation: str, row: Row) -> Proof:
        """The proof of a row by its values."""
        return why(self.model, relation, row)

    def _leaf(self, key: Key) -> Given | None:
        relation, number = key
        if self.model.relations[relation].level(number):
            return None
        row = self.model.row(relation, number)
        return Given(relation, row, self.model.origin(relation, row))

    def _finish(self, key: Key, draft: _Draft) -> Derived:
        premises = tuple(self._proofs[p] if isinstance(p, tuple) else p for p in draft.premises)
        row = self.model.row(*key)
        return Derived(key[0], row, draft.rule.rule, draft.bindings, premises, draft.level)

    def _draft(self, key: Key) -> _Draft:
        relation, number = key
        level = self.model.relations[relation].level(number)
        for reader in self._read(relation):
            frame = self._solve(reader, number, level - 1)
            if frame is None:
                continue
            at = self._least(reader, frame)
            return self._step(reader, frame, at, level)
        raise AssertionError(f"no rule derives row {number} of {relation} at level {level}")

    def _solve(self, reader: _Reader, number: int, below: int | None) -> Frame | None:
        """Bindings of a rule's body for a row; with ``below`` those whose highest premise has that level."""
        columns = self._bind_head(reader.rule, number)
        if columns is None:
            return None
        context = self._context(below)
        frame = run(reader.steps, Frame(1, columns, 0, {}), context)
        if not frame.n or (below is not None and isinstance(frame.level, int) and frame.level != below):
            return None
        if below is not None and not isinstance(frame.level, int):
            frame = where(frame, frame.level == below, tuple(frame.columns))
        return frame if frame.n else None

    def _context(self, ceiling: int | None) -> Context:
        return Context(self.model.relations, _ignore, _LIMIT, ceiling=ceiling, keep_indexes=True)

    def _bind_head(self, rule: NormalRule, number: int) -> dict[str, IntArray] | None:
        columns: dict[str, IntArray] = {}
        for column, argument in zip(self.model.relations[rule.relation].columns, rule.head, strict=True):
            value = column[number : number + 1]
            if isinstance(argument, int):
                if int(value[0]) != argument:
                    return None
            elif argument in columns:
                if columns[argument][0] != value[0]:
                    return None
            else:
                columns[argument] = value
        return columns

    def _read(self, relation: str) -> list[_Reader]:
        """The rules of a relation, in source order."""
        if relation not in self._readers:
            rules = self.model.rules
            self._readers[relation] = [self._reader(rules.normal(*each)) for each in rules.of(relation)]
        return self._readers[relation]

    def _reader(self, rule: NormalRule) -> _Reader:
        bound = {a for a in rule.head if isinstance(a, str)}
        wanted = bound | _all_variables(rule.body)
        steps = plan(rule.body, wanted, bound, self.model.relations, Wish(traced=True))
        matches = tuple(x for x in rule.body if isinstance(x, Match))
        return _Reader(rule, steps, kinds_of(self.model, rule.rule.body), matches)

    def _least(self, reader: _Reader, frame: Frame) -> int:
        """The binding whose premise rows come first, atom by atom and column by column."""
        assert frame.rows is not None
        if frame.n == 1:
            return 0
        left = np.arange(frame.n)
        for match in reader.matches:
            rows = frame.rows[match.src]
            for column in self.model.relations[match.relation].columns:
                values = column.take(rows.take(left))
                left = left[values == values.min()]
                if len(left) == 1:
                    return int(left[0])
        return int(left[0])

    def _step(self, reader: _Reader, frame: Frame, at: int, level: int) -> _Draft:
        """The step of one binding of a frame."""
        columns = {v: c[at : at + 1] for v, c in frame.columns.items()}
        bindings = {
            v: self._value(int(columns[v][0]), reader.kinds.get(v, "number"))
            for v in sorted(columns)
            if not v.startswith("?")
        }
        assert frame.rows is not None
        premises: Drafts = []
        source = reader.rule.rule.body
        for literal in reader.rule.body:
            match literal:
                case Match(src, relation):
                    premises.append((relation, int(frame.rows[src][at])))
                case Lacks(src, relation, args):
                    premises.append(self._absent(relation, args, source[src], columns))
                case Test(src) if src >= 0 and isinstance(source[src], Compare):
                    premises.append(self._compared(literal, source[src], columns, reader.kinds))
                case Fold(src):
                    premises.append(self._aggregated(literal, source[src], columns, bindings, reader.kinds))
        return _Draft(reader.rule, bindings, premises, level)

    def _value(self, code: int, kind: str) -> Value:
        return self.model.symbols.texts[code] if kind == "symbol" else code

    def _absent(
        self, relation: str, args: tuple[Operand | None, ...], literal: object, columns: dict[str, IntArray]
    ) -> Absent:
        assert isinstance(literal, Not)
        kinds = self.model.columns(relation)
        pattern = tuple(
            None if a is None else self._value(_one(a, columns), kind)
            for a, kind in zip(args, kinds, strict=True)
        )
        return Absent(relation, pattern, literal)

    def _compared(
        self, test: Test, literal: object, columns: dict[str, IntArray], kinds: dict[str, str]
    ) -> Compared:
        assert isinstance(literal, Compare)
        kind = "symbol" if "symbol" in (_kind(literal.left, kinds), _kind(literal.right, kinds)) else "number"
        left, right = _one(test.left, columns), _one(test.right, columns)
        return Compared(test.op, self._value(left, kind), self._value(right, kind), literal)

    def _aggregated(
        self,
        fold: Fold,
        literal: object,
        columns: dict[str, IntArray],
        bindings: dict[str, Value],
        kinds: dict[str, str],
    ) -> Aggregated:
        assert isinstance(literal, Aggregate)
        inner_kinds = kinds_of(self.model, literal.body)
        kind = "number" if literal.target is None else _kind(literal.target, {**inner_kinds, **kinds})
        value = self._value(int(columns[fold.result][0]), kind)
        found: dict[str, list[IntArray]] = {}
        self._collect(fold, {v: columns[v] for v in fold.group}, 1, found)
        rows: list[tuple[str, Row]] = []
        for relation, parts in found.items():
            rows += [(relation, row) for row in self.model.decode_rows(relation, np.concatenate(parts))]
        shared = {v: bindings[v] for v in fold.group if v in bindings}
        return Aggregated(fold.kind, value, Group(tuple(rows), self.prove_row), shared, literal)

    def _collect(
        self, fold: Fold, groups: dict[str, IntArray], n: int, found: dict[str, list[IntArray]]
    ) -> None:
        """Numbers of all rows that the body of an aggregate uses for some groups, by relation."""
        steps = self._groups.get(id(fold))
        if steps is None:
            wanted = _all_variables(fold.body) | set(fold.group)
            steps = plan(fold.body, wanted, set(fold.group), self.model.relations, Wish(traced=True))
            self._groups[id(fold)] = steps
        context = self._context(None)
        frame = run(steps, Frame(n, groups, 0, {}), context)
        if frame.n and fold.target is not None:
            _, valid = compute(fold.target, frame.columns, frame.n, _ignore)
            frame = where(frame, valid, tuple(frame.columns))
        assert frame.rows is not None
        for literal in fold.body:
            if isinstance(literal, Match):
                rows = (
                    frame.rows.get(literal.src, np.zeros(0, np.int64)) if frame.n else np.zeros(0, np.int64)
                )
                found.setdefault(literal.relation, []).append(rows)
            elif isinstance(literal, Fold) and frame.n:
                self._collect(literal, {v: frame.columns[v] for v in literal.group}, frame.n, found)

    def derivations(self, key: Key, limit: int) -> list[Derived]:
        """See the function of this name."""
        relation, number = key
        found: list[tuple[int, int, int, _Draft]] = []
        for reader in self._read(relation):
            frame = self._solve(reader, number, None)
            if frame is None:
                continue
            levels = _level_column(frame.level, frame.n)
            for place, at in enumerate(self._in_order(reader, frame, levels)[:limit].tolist()):
                level = int(levels[at]) + 1
                found.append((level, reader.rule.number, place, self._step(reader, frame, at, level)))
        found.sort(key=lambda f: f[:3])
        out: list[Derived] = []
        for *_, draft in found[:limit]:
            for premise in draft.premises:
                if isinstance(premise, tuple):
                    self.prove(premise)
            out.append(self._finish(key, draft))
        return out

    def _in_order(self, reader: _Reader, frame: Frame, levels: LevelArray) -> IntArray:
        """The bindings of a frame by level, then by premise rows."""
        assert frame.rows is not None
        keys: list[IntArray | LevelArray] = [levels]
        for match in reader.matches:
            keys += [c.take(frame.rows[match.src]) for c in self.model.relations[match.relation].columns]
        order: IntArray = np.lexsort(keys[::-1])
        return order


def _all_variables(body: Sequence[Normal]) -> set[str]:
    return set().union(*map(variables, body))


def _one(operand: Operand, columns: dict[str, IntArray]) -> int:
    return int(compute(operand, columns, 1, _ignore)[0][0])


def _level_column(level: Level, n: int) -> LevelArray:
    return np.full(n, level, np.int32) if isinstance(level, int) else level


def _kind(term: Term, kinds: dict[str, str]) -> str:
    match term:
        case Var(name):
            return kinds.get(name, "number")
        case Const(value):
            return "symbol" if isinstance(value, str) else "number"
        case _:
            return "number"


def _ignore(op: str, span: Span, values: tuple[int, ...]) -> None:
    """What has no result was reported when it was derived."""
