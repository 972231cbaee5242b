"""The model of a program: all rows that follow, to be read, matched and asked.

The invariant: what is handed out is decoded, a function of program and facts alone, and sorted in value
order (numbers by size, symbols by text).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from typing import Literal as OneOf

import numpy as np

from .body import Context, Frame, run
from .columns import IntArray, Packing, distinct, heads, ordered
from .errors import UsageError
from .exact import holds
from .expressions import Dropped
from .given import constant_row
from .normal import Rules, normal_body
from .plan import Wish, plan
from .relation import Relation
from .symbols import Symbols
from .syntax import (
    Aggregate,
    Atom,
    Call,
    CheckedProgram,
    Compare,
    Const,
    Literal,
    Not,
    Span,
    Term,
    Var,
    Wildcard,
)

Value = str | int
Row = tuple[Value, ...]
Origin = OneOf["fact"] | Span


@dataclass(slots=True)
class Model:
    """Made by ``evaluate``; ``warnings`` tell of derivations left out for want of a 64-bit result.

    ``rules`` can be had in normal form; ``memo`` belongs to ``why``.
    """

    checked: CheckedProgram
    symbols: Symbols
    relations: dict[str, Relation]
    rules: Rules
    warnings: tuple[Dropped, ...]
    memo: dict[str, Any] = field(default_factory=dict)

    def rows(self, relation: str) -> list[Row]:
        """All rows of a relation."""
        held = self._relation(relation)
        return self._decode(held.columns, held.n, self.columns(relation))

    def count(self, relation: str) -> int:
        """How many rows a relation has."""
        return self._relation(relation).n

    def columns(self, relation: str) -> tuple[str, ...]:
        """The base type of each column, ``symbol`` or ``number``."""
        self._relation(relation)
        return self.checked.columns[relation]

    def contains(self, relation: str, row: Sequence[Value]) -> bool:
        """Whether a row is in the model."""
        return self.find(relation, row) is not None

    def level(self, relation: str, row: Sequence[Value]) -> int:
        """The level of a row: 0 if it is given, else 1 + the greatest level of its premises."""
        number = self.find(relation, row)
        if number is None:
            raise UsageError(f"{relation}{tuple(row)!r} is not in the model")
        return self._relation(relation).level(number)

    def match(self, atom: Atom) -> list[Row]:
        """The rows that fit an atom of constants, variables (repeated: equal) and wildcards."""
        held = self._relation(atom.relation)
        self.check_arity(atom)
        rows: IntArray | None = None
        seen: dict[str, int] = {}
        for c, term in enumerate(atom.args):
            column = held.columns[c] if rows is None else held.columns[c].take(rows)
            match term:
                case Wildcard():
                    continue
                case Const(value):
                    mask = column == self.code(value, self.columns(atom.relation)[c], atom.relation)
                case Var(name) if name in seen:
                    other = held.columns[seen[name]]
                    mask = column == (other if rows is None else other.take(rows))
                case Var(name):
                    seen[name] = c
                    continue
                case _:
                    raise UsageError(f"an expression cannot be matched in {atom.relation}")
            hit = np.flatnonzero(mask)
            rows = hit if rows is None else rows.take(hit)
        if rows is None:
            return self.rows(atom.relation)
        return self._decode([c.take(rows) for c in held.columns], len(rows), self.columns(atom.relation))

    def query(self, body: tuple[Literal, ...], head: tuple[Var, ...]) -> list[Row]:
        """The distinct values of ``head`` for which an ad-hoc body holds.

        Raises UsageError for a body that makes no sense.
        """
        kinds = kinds_of(self, body)
        strangers: dict[str, int] = {}

        def resolve(value: Value) -> int:
            if isinstance(value, int):
                return value
            known = self.symbols.id(value)
            if known is not None:
                return known
            return strangers.setdefault(value, len(self.symbols.texts) + len(strangers))

        names = [v.name for v in head]
        normal = normal_body(tuple(_placed(literal, self.symbols) for literal in body), names, resolve)
        steps = plan(normal, set(names), set(), self.relations, Wish())
        frame = run(steps, Frame(), Context(self.relations, _ignore, 200_000_000))
        if not frame.n:
            return []
        columns = [frame.columns[name] for name in names]
        rows = distinct(columns, frame.n)
        if rows is not None:
            columns = [c.take(rows) for c in columns]
        n = frame.n if rows is None else len(rows)
        texts = self.symbols if not strangers else _Extended([*self.symbols.texts, *strangers])
        found = self._decode(columns, n, tuple(kinds.get(name, "number") for name in names), texts)
        return sorted(found) if strangers else found

    def find(self, relation: str, row: Sequence[Value]) -> int | None:
        """The number of a row in its relation, or None."""
        held = self._relation(relation)
        kinds = self.columns(relation)
        if len(row) != len(kinds):
            raise UsageError(f"{relation!r} has {len(kinds)} columns, not {len(row)}")
        return held.find([self.code(v, k, relation) for v, k in zip(row, kinds, strict=True)])

    def code(self, value: Value, kind: str, relation: str) -> int:
        """A value as the engine holds it; -1 for a symbol that occurs nowhere."""
        if isinstance(value, str) != (kind == "symbol") or isinstance(value, bool):
            raise UsageError(f"{value!r} is not a {kind}, as {relation!r} wants")
        if isinstance(value, int):
            if not -(1 << 63) <= value < 1 << 63:
                raise UsageError(f"{value} does not fit 64 bits")
            return value
        number = self.symbols.id(value)
        return -1 if number is None else number

    def row(self, relation: str, number: int) -> Row:
        """A row by its number."""
        held = self.relations[relation]
        texts = self.symbols.texts
        return tuple(
            texts[int(column[number])] if kind == "symbol" else int(column[number])
            for column, kind in zip(held.columns, self.checked.columns[relation], strict=True)
        )

    def decode_rows(self, relation: str, numbers: IntArray) -> list[Row]:
        """Rows by their numbers, each once, in value order."""
        held = self.relations[relation]
        numbers, _ = ordered(numbers, max(held.n, 1))
        kept = numbers[heads(numbers)]
        return self._decode([c.take(kept) for c in held.columns], len(kept), self.columns(relation))

    def origin(self, relation: str, row: Row) -> Origin:
        """Where a given row comes from: ``"fact"``, or the place of the program fact that states it."""
        places: dict[tuple[str, Row], Span] | None = self.memo.get("facts")
        if places is None:
            places = {}
            for fact in self.checked.program.facts:
                key = (fact.head.relation, constant_row(fact.head))
                places.setdefault(key, fact.span)
            self.memo["facts"] = places
        return places.get((relation, row), "fact")

    def _relation(self, name: str) -> Relation:
        if name not in self.relations:
            raise UsageError(f"the program has no relation {name!r}")
        return self.relations[name]

    def check_arity(self, atom: Atom) -> None:
        """Raises UsageError unless the atom has as many arguments as its relation columns."""
        arity = self._relation(atom.relation).arity
        if len(atom.args) != arity:
            raise UsageError(f"{atom.relation!r} has {arity} columns, not {len(atom.args)}")

    def _decode(
        self,
        columns: Sequence[IntArray],
        n: int,
        kinds: tuple[str, ...],
        symbols: "Symbols | _Extended | None" = None,
    ) -> list[Row]:
        if not columns:
            return [()] * min(n, 1)
        packing = Packing(columns, n)
        _, order = ordered(packing.keys, packing.space)
        sorted_columns = columns if order is None else [c.take(order) for c in columns]
        table = symbols or self.symbols
        lists = [
            table.decode(c) if kind == "symbol" else c.tolist()
            for c, kind in zip(sorted_columns, kinds, strict=True)
        ]
        return list(zip(*lists, strict=True))


class _Extended:
    """Symbols of the model and, after them, those of a query."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts

    def decode(self, ids: IntArray) -> list[str]:
        return [self._texts[i] for i in ids.tolist()]


def _ignore(op: str, span: Span, values: tuple[int, ...]) -> None:
    """Queries leave underivable rows out without a word."""


def kinds_of(model: Model, body: tuple[Literal, ...]) -> dict[str, str]:
    """The base type of each variable of a body, which is checked against the declarations on the way."""
    kinds: dict[str, str] = {}
    for literal in body:
        match literal:
            case Atom() | Not():
                _atom_kinds(model, literal if isinstance(literal, Atom) else literal.atom, kinds)
            case Aggregate(body=inner):
                kinds |= {k: v for k, v in kinds_of(model, inner).items() if k not in kinds}
    for _ in body:
        for literal in body:
            match literal:
                case Compare("=", left, right):
                    _equal_kinds(left, right, kinds)
                case Aggregate(Var(name), "min" | "max", target) if target is not None:
                    kinds.setdefault(name, _kind(target, kinds) or "number")
    for literal in body:
        if isinstance(literal, Compare) and {"symbol", "number"} <= {
            _kind(literal.left, kinds),
            _kind(literal.right, kinds),
        }:
            raise UsageError("a symbol is compared with a number")
    return kinds


def _atom_kinds(model: Model, atom: Atom, kinds: dict[str, str]) -> None:
    model.check_arity(atom)
    for term, kind in zip(atom.args, model.columns(atom.relation), strict=True):
        match term:
            case Var(name):
                if kinds.setdefault(name, kind) != kind:
                    raise UsageError(f"variable {name} is both a symbol and a number")
            case Const(value) if isinstance(value, str) != (kind == "symbol"):
                raise UsageError(f"{value!r} is not a {kind}, as {atom.relation!r} wants")
            case Call() if kind == "symbol":
                raise UsageError(f"{atom.relation!r} wants a symbol, not an expression")


def _placed(literal: Literal, symbols: Symbols) -> Literal:
    """The literal with order comparisons against texts that occur nowhere turned into places in the table."""
    match literal:
        case Aggregate(body=body):
            return replace(literal, body=tuple(_placed(inner, symbols) for inner in body))
        case Compare("<" | "<=" | ">" | ">=" as op, left, Const(str() as text)) if symbols.id(text) is None:
            if isinstance(left, Const):
                return Compare("=", Const(int(holds(op, left.value, text))), Const(1))
            return Compare("<" if op[0] == "<" else ">=", left, Const(symbols.place(text)))
        case Compare("<" | "<=" | ">" | ">=" as op, Const(str() as text), right) if symbols.id(text) is None:
            return _placed(Compare(_MIRROR[op], right, Const(text)), symbols)
    return literal


_MIRROR = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _kind(term: Term, kinds: dict[str, str]) -> str | None:
    match term:
        case Var(name):
            return kinds.get(name)
        case Const(value):
            return "symbol" if isinstance(value, str) else "number"
        case _:
            return "number"


def _equal_kinds(left: Term, right: Term, kinds: dict[str, str]) -> None:
    for one, other in ((left, right), (right, left)):
        kind = _kind(other, kinds)
        if isinstance(one, Var) and one.name not in kinds and kind is not None:
            kinds[one.name] = kind
