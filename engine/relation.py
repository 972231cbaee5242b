"""A relation at run time: a set of rows in columns, grouped by ascending level.

Invariants: no row occurs twice; rows never change or move once appended; the level of a row is found from
its number, because rows come in blocks of one level, each level higher than the one before. That little
table of blocks is all that proofs cost.
"""

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .columns import BoolArray, IntArray, Packing, bounds, ordered
from .index import Index, KeySet

PACKED = 63
"""Bits of a key and a row number that are sorted together."""

FEW = 8
"""So many levels are told apart by comparing with each."""

LevelArray = npt.NDArray[np.int32]
"""A level for each of some rows."""

TINY = 64
"""Relations of so few rows are not measured."""


class Relation:
    """``columns`` are views of length ``n``; ``levels[i]`` holds from row ``blocks[i]`` on.

    ``keys`` are columns known to repeat no value, as long as the relation does not grow.
    """

    __slots__ = (
        "_bounds",
        "_indexes",
        "_members",
        "_room",
        "_steps",
        "arity",
        "blocks",
        "columns",
        "keys",
        "levels",
        "n",
        "name",
    )

    def __init__(self, name: str, arity: int) -> None:
        self.name, self.arity, self.n = name, arity, 0
        self.columns: list[IntArray] = [np.zeros(0, np.int64) for _ in range(arity)]
        self.blocks: list[int] = []
        self.levels: list[int] = []
        self.keys: frozenset[int] = frozenset()
        self._room: list[IntArray] | None = None
        self._steps: tuple[IntArray, LevelArray] | None = None
        self._indexes: dict[tuple[tuple[int, ...], int | None], list[Index]] = {}
        self._members: dict[tuple[int, ...], list[tuple[int, int, KeySet]]] = {}
        self._bounds: tuple[int, list[tuple[int, int] | None]] = (0, [None] * arity)

    def append(self, columns: Sequence[IntArray], n: int, level: int) -> None:
        """Add rows that are new and distinct, all of one level, not below that of the last block."""
        if not n:
            return
        self.keys = frozenset()
        if not self.levels or self.levels[-1] != level:
            self.levels.append(level)
            self.blocks.append(self.n)
        if not self.n:
            self.columns = list(columns)
        else:
            self._grow(columns, n)
        self.n += n

    def hold(self, columns: Sequence[IntArray], n: int, blocks: list[int], levels: list[int]) -> None:
        """Replace all rows by these, which start a new level at each of ``blocks``."""
        self.columns, self.n, self.blocks, self.levels = list(columns), n, blocks, levels
        self._room, self._steps, self._indexes, self._members = None, None, {}, {}
        self._bounds, self.keys = (0, [None] * self.arity), frozenset()

    def _grow(self, columns: Sequence[IntArray], n: int) -> None:
        """Room doubles, so that a long recursion copies each row a few times only."""
        top = self.n + n
        if self._room is None or (self.arity and len(self._room[0]) < top):
            self._room = [np.empty(2 * top, np.int64) for _ in self.columns]
            for room, column in zip(self._room, self.columns, strict=True):
                room[: self.n] = column
        for room, column in zip(self._room, columns, strict=True):
            room[self.n : top] = column
        self.columns = [room[:top] for room in self._room]

    def one_level(self) -> int | None:
        """The level of all rows, 0 if there are none; None if they differ."""
        if len(self.levels) > 1:
            return None
        return self.levels[0] if self.levels else 0

    def levels_from(self, begin: int, end: int) -> LevelArray:
        """The level of each row of a range."""
        ends = [*self.blocks[1:], self.n]
        sizes = [max(min(b, end) - max(a, begin), 0) for a, b in zip(self.blocks, ends, strict=True)]
        return np.repeat(np.array(self.levels, np.int32), sizes)

    def levels_of(self, rows: IntArray) -> int | LevelArray:
        """The level of each row, as one number if they are seen to be alike."""
        if len(rows) < 8:
            return np.array([self.level(row) for row in rows.tolist()], np.int32)
        least = bisect_right(self.blocks, int(rows.min())) - 1
        most = bisect_right(self.blocks, int(rows.max())) - 1
        if least == most:
            return self.levels[least]
        if most - least <= FEW:
            found = np.full(len(rows), self.levels[least], np.int32)
            for place in range(least + 1, most + 1):
                more = self.levels[place] - self.levels[place - 1]
                found += np.multiply(rows >= self.blocks[place], more, dtype=np.int32)
            return found
        if self._steps is None or len(self._steps[0]) != len(self.blocks):
            self._steps = (np.array(self.blocks, np.int64), np.array(self.levels, np.int32))
        blocks, levels = self._steps
        return levels.take(np.searchsorted(blocks, rows, "right") - 1)

    def level(self, row: int) -> int:
        """The level of one row."""
        return self.levels[bisect_right(self.blocks, row) - 1]

    def upto(self, level: int) -> int:
        """How many rows, from the first, have at most this level."""
        place = bisect_right(self.levels, level)
        return self.blocks[place] if place < len(self.blocks) else self.n

    def bounds(self, column: int) -> tuple[int, int]:
        """Least and greatest value of a column."""
        n, known = self._bounds
        if n != self.n:
            known = [None] * self.arity
            self._bounds = (self.n, known)
        found = known[column]
        if found is None:
            found = known[column] = bounds(self.columns[column])
        return found

    def _ranges(self, columns: tuple[int, ...], start: int) -> list[tuple[int, int]] | None:
        return None if start else [self.bounds(c) for c in columns]

    def spread(self, eq: tuple[int, ...]) -> int:
        """A bound on the number of distinct values of some columns, from their ranges; at most ``n``."""
        if self.n <= TINY:
            return self.n if eq else 1
        kinds = 1
        for c in eq:
            low, high = self.bounds(c)
            kinds *= high - low + 1
            if kinds >= self.n:
                return self.n
        return kinds

    def narrowed(self, eq: tuple[int, ...]) -> tuple[int, ...]:
        """The columns of ``eq`` worth an index: without the widest where keys would outgrow a packed word and
        the others tell rows apart nearly as well."""
        chosen = list(eq)
        while len(chosen) > 1 and not self.has_index(tuple(chosen)):
            widths = [(high - low + 1).bit_length() for low, high in map(self.bounds, chosen)]
            if sum(widths) + self.n.bit_length() <= PACKED:
                break
            del chosen[widths.index(max(widths))]
            if 4 * self.spread(tuple(chosen)) < self.n:
                return eq
        return tuple(chosen)

    def indexes(self, eq: tuple[int, ...], span: int | None = None) -> list[Index]:
        """Indexes that together cover all rows; runs of doubling size while the relation grows."""
        runs = self._indexes.setdefault((eq, span), [])
        start = runs[-1].offset + runs[-1].n if runs else 0
        if start == self.n and runs:
            return runs
        while runs and runs[-1].n < 2 * (self.n - start):
            start = runs.pop().offset
        columns = [c[start:] for c in self.columns] if start else self.columns
        used = eq if span is None else (*eq, span)
        runs.append(Index(columns, eq, span, self.n - start, start, self._ranges(used, start)))
        return runs

    def has_index(self, eq: tuple[int, ...], span: int | None = None) -> bool:
        """Whether such an index is there already."""
        return (eq, span) in self._indexes

    def contains(self, eq: tuple[int, ...], key: Sequence[IntArray], m: int) -> BoolArray:
        """For each of ``m`` keys whether some row has it in the columns ``eq``."""
        runs = self._members.setdefault(eq, [])
        start = runs[-1][1] if runs else 0
        if start < self.n or not runs:
            while runs and runs[-1][1] - runs[-1][0] < 2 * (self.n - start):
                start = runs.pop()[0]
            part = [c[start:] for c in self.columns] if start else self.columns
            runs.append((start, self.n, KeySet(part, eq, self.n - start, self._ranges(eq, start))))
        found = runs[0][2].contains(key, m)
        for _, _, keys in runs[1:]:
            found = found | keys.contains(key, m)
        return found

    def find(self, row: Sequence[int]) -> int | None:
        """The number of a row, or None."""
        if not self.arity:
            return 0 if self.n else None
        key = [np.array([value], np.int64) for value in row]
        for index in self.indexes(tuple(range(self.arity))):
            first, count, _ = index.probe(key, 1)
            if count[0]:
                return int(index.row_numbers(first)[0])
        return None


class Known:
    """What a recursive relation holds so far, to tell new rows from old ones.

    A bit table where the key space is small, else sorted runs of doubling size. Ranges of values are guessed
    with room to spare and widened when a row falls outside; keys too wide for a word are compared whole.
    """

    __slots__ = ("_columns", "_limits", "_relation", "_runs", "_table")

    TABLE = 1 << 26

    def __init__(self, relation: Relation) -> None:
        self._relation = relation
        self._limits: list[tuple[int, int]] | None = None
        self._table: BoolArray | None = None
        self._runs: list[IntArray] = []

    def new(self, columns: Sequence[IntArray], n: int) -> IntArray | None:
        """Numbers of the rows that are not known, each kind once, and remember them; None for all."""
        if not self._relation.arity:
            return np.zeros(0 if self._relation.n else min(n, 1), np.int64)
        keys = self._keys(columns, n)
        if keys is None:
            self._widen(columns)
            keys = self._keys(columns, n)
        if keys is None:
            return self._compare(columns, n)
        if self._table is None:
            return self._search(keys)
        rows = np.flatnonzero(~self._table.take(keys))
        fresh = keys.take(rows)
        rows = rows[_first_of_each(fresh, len(self._table))]
        self._table[fresh] = True
        return rows

    def _keys(self, columns: Sequence[IntArray], n: int) -> IntArray | None:
        if self._limits is None:
            return None
        keys: IntArray | None = None
        for column, (low, width) in zip(columns, self._limits, strict=True):
            codes = column - low if low else column
            if n and int(codes.view(np.uint64).max()) >= width:
                return None
            keys = codes if keys is None else keys * width + codes
        return keys

    def _widen(self, columns: Sequence[IntArray]) -> None:
        """New ranges around all that is known and the rows to come; the known rows are entered again."""
        self._table, self._runs, self._limits = None, [], None
        relation, limits, space = self._relation, [], 1
        for i, column in enumerate(columns):
            low, high = bounds(column)
            if relation.n:
                least, greatest = relation.bounds(i)
                low, high = min(low, least), max(high, greatest)
            room = (high - low + 1) // 2 + 1 if relation.n else 0
            low = low - room if low < 0 else max(low - room, 0)
            limits.append((low, high + room + 1 - low))
            space *= limits[-1][1]
        if space.bit_length() > WORD_OF_KNOWN or any(
            low < -(1 << 62) or low + w > 1 << 62 for low, w in limits
        ):
            return
        self._limits = limits
        if space <= self.TABLE:
            self._table = np.zeros(space, np.bool_)
        keys = self._keys(relation.columns, relation.n)
        if keys is None or not relation.n:
            return
        if self._table is not None:
            self._table[keys] = True
        else:
            self._runs = [np.sort(keys)]

    def _search(self, keys: IntArray) -> IntArray:
        values, rows = ordered(keys, 1 << WORD_OF_KNOWN)
        fresh = np.empty(len(values), np.bool_)
        fresh[:1] = True
        np.not_equal(values[1:], values[:-1], out=fresh[1:])
        for run in self._runs:
            places = np.minimum(np.searchsorted(run, values), len(run) - 1)
            fresh &= run[places] != values
        merged = values[fresh]
        chosen = np.flatnonzero(fresh) if rows is None else rows[fresh]
        while self._runs and len(self._runs[-1]) < 2 * len(merged):
            merged = np.sort(np.concatenate([self._runs.pop(), merged]))
        if len(merged):
            self._runs.append(merged)
        return chosen

    def _compare(self, columns: Sequence[IntArray], n: int) -> IntArray:
        old = self._relation.n
        both = [np.concatenate(pair) for pair in zip(self._relation.columns, columns, strict=True)]
        packing = Packing(both, old + n)
        values, rows = ordered(packing.keys, packing.space)
        first = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
        chosen = first if rows is None else rows[first]
        return chosen[chosen >= old] - old


WORD_OF_KNOWN = 61


def _first_of_each(keys: IntArray, space: int) -> IntArray | slice:
    """Places of the first of each key; all of them as a slice."""
    n = len(keys)
    if 16 * n < space:
        values, rows = ordered(keys, space)
        starts = np.empty(n, np.bool_)
        starts[:1] = True
        np.not_equal(values[1:], values[:-1], out=starts[1:])
        if starts.all():
            return slice(None)
        return np.flatnonzero(starts) if rows is None else rows[starts]
    first = np.empty(space, np.int32)
    numbers = np.arange(n, dtype=np.int32)
    first[keys[::-1]] = numbers[::-1]
    return np.flatnonzero(first.take(keys) == numbers)
