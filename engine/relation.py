"""A relation at run time: a set of rows in columns, grouped by ascending level.

Invariants: no row occurs twice; rows never change or move once appended; the level of a row is found from
its number, because rows come in blocks of one level, each level higher than the one before. That little
table of blocks is all that proofs cost.
"""

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .columns import BoolArray, IntArray, bounds
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
