"""Given facts, from outside and from the program, checked and put into columns.

The invariant: whatever is handed in, either every row fits its declaration and the result depends only on
the set of rows, or a FactError names the relation and the row.
"""

from collections.abc import Iterable, Mapping

import numpy as np

from .columns import GREATEST, LEAST, IntArray, Packing, heads, is_sorted, ordered
from .errors import FactError
from .relation import Relation
from .symbols import Symbols
from .syntax import Aggregate, Atom, Call, CheckedProgram, Compare, Const, Literal, Not, Term

Facts = Mapping[str, Iterable[tuple[str | int, ...]]]
Raw = list[str] | IntArray
"""A column as handed in: texts, or numbers already in place."""


def take_in(checked: CheckedProgram, facts: Facts) -> tuple[Symbols, dict[str, Relation]]:
    """All relations of the program with their given rows at level 0, and the table of symbols."""
    raw: dict[str, list[list[Raw]]] = {name: [] for name in checked.columns}
    for name in sorted(facts):
        types = checked.columns.get(name)
        if types is None:
            raise FactError(f"facts for {name!r}, which the program does not declare")
        raw[name].append(_columns(name, types, facts[name]))
    own: dict[str, list[tuple[str | int, ...]]] = {}
    for fact in checked.program.facts:
        own.setdefault(fact.head.relation, []).append(constant_row(fact.head))
    for name, rows in own.items():
        raw[name].append(_columns(name, checked.columns[name], rows))
    symbols = Symbols(_texts(checked, raw))
    return symbols, {
        name: _relation(name, checked.columns[name], parts, symbols) for name, parts in raw.items()
    }


def constant_row(head: Atom) -> tuple[str | int, ...]:
    """The row that the head of a program fact states."""
    return tuple(map(_value, head.args))


def _value(term: Term) -> str | int:
    match term:
        case Const(value):
            return value
        case Call("neg", (Const(int() as value),)):
            return -value
    raise FactError("a fact may hold constants only")


def _columns(name: str, types: tuple[str, ...], rows: Iterable[tuple[str | int, ...]]) -> list[Raw]:
    if isinstance(rows, np.ndarray):
        return _array(name, types, rows)
    try:
        listed = list(rows)
    except TypeError:
        raise FactError(f"facts for {name!r} must be rows, not {rows!r:.200}") from None
    if not types:
        for row in listed:
            _check_row(name, types, row)
        return [np.zeros(len(listed), np.int64)]
    try:
        columns = list(zip(*listed, strict=True))
        fits = not listed or len(columns) == len(types)
    except (TypeError, ValueError):
        fits = False
    if fits and all(
        set(map(type, column)) <= {str if kind == "symbol" else int}
        for column, kind in zip(columns, types, strict=False)
    ):
        try:
            return (
                [
                    list(columns[i]) if kind == "symbol" else np.array(columns[i], np.int64)
                    for i, kind in enumerate(types)
                ]
                if listed
                else []
            )
        except OverflowError:
            pass
    for row in listed:
        _check_row(name, types, row)
    columns = list(zip(*listed, strict=True))
    return [
        list(map(str, columns[i])) if kind == "symbol" else np.array([int(v) for v in columns[i]], np.int64)
        for i, kind in enumerate(types)
    ]


def _array(name: str, types: tuple[str, ...], rows: IntArray) -> list[Raw]:
    if rows.dtype != np.int64 or rows.ndim != 2 or rows.shape[1] != len(types) or "symbol" in types:
        wanted = f"an int64 array of shape (n, {len(types)}) and columns that are all numbers"
        raise FactError(f"facts for {name!r}: {wanted} expected, not {rows.dtype} {rows.shape}")
    return [np.ascontiguousarray(rows[:, i]) for i in range(len(types))] or [np.zeros(len(rows), np.int64)]


def _check_row(name: str, types: tuple[str, ...], row: object) -> None:
    if not isinstance(row, tuple | list):
        raise FactError(f"a fact of {name!r} must be a tuple, not {type(row).__name__}: {row!r:.200}")
    if len(row) != len(types):
        raise FactError(f"{name!r} has {len(types)} columns, not {len(row)}: {row!r:.200}")
    for i, (value, kind) in enumerate(zip(row, types, strict=True)):
        wanted = str if kind == "symbol" else int
        if not isinstance(value, wanted) or isinstance(value, bool):
            got = type(value).__name__
            raise FactError(f"column {i + 1} of {name!r} is a {kind}, not {got}: {row!r:.200}")
        if isinstance(value, int) and not LEAST <= value <= GREATEST:
            raise FactError(f"column {i + 1} of {name!r} does not fit 64 bits: {row!r:.200}")


def _texts(checked: CheckedProgram, raw: Mapping[str, list[list[Raw]]]) -> set[str]:
    texts: set[str] = set()
    for parts in raw.values():
        for part in parts:
            for column in part:
                if isinstance(column, list):
                    texts.update(column)
    for rule in checked.program.rules:
        for atom_or_other in (rule.head, *rule.body):
            _constants(atom_or_other, texts)
    return texts


def _constants(part: Literal | Term, texts: set[str]) -> None:
    match part:
        case Const(str() as value):
            texts.add(value)
        case Atom(args=args) | Call(args=args) | Not(Atom(args=args)):
            for arg in args:
                _constants(arg, texts)
        case Compare(left=left, right=right):
            _constants(left, texts)
            _constants(right, texts)
        case Aggregate(result=result, target=target, body=body):
            for inner in (result, *body, *(() if target is None else (target,))):
                _constants(inner, texts)


def _relation(name: str, types: tuple[str, ...], parts: list[list[Raw]], symbols: Symbols) -> Relation:
    relation = Relation(name, len(types))
    coded = [
        [symbols.encode(c) if isinstance(c, list) else c for c in part]
        for part in parts
        if part and len(part[0])
    ]
    if not coded:
        return relation
    if not types:
        relation.append([], 1, 0)
        return relation
    columns = [np.concatenate(cs) if len(cs) > 1 else cs[0] for cs in zip(*coded, strict=True)]
    rows = _in_order(columns)
    if rows is not None:
        columns = [c.take(rows) for c in columns]
    relation.append(columns, len(columns[0]), 0)
    if is_sorted(columns[0], strictly=True):
        relation.keys = frozenset((0,))
    return relation


def _in_order(columns: list[IntArray]) -> IntArray | None:
    """Row numbers that sort rows by value and drop repeated ones; None if they are so already."""
    if is_sorted(columns[0], strictly=True):
        return None
    packing = Packing(columns, len(columns[0]))
    keys, rows = ordered(packing.keys, packing.space)
    if rows is None and is_sorted(keys, strictly=True):
        return None
    rows = np.arange(len(keys)) if rows is None else rows
    return rows[heads(keys)]
