"""What a recursive relation holds so far, kept so that new rows are told from old ones quickly.

The invariant: ``new`` names each row once, and only rows that the relation does not hold; whoever asks appends
them before asking again.
"""

from collections.abc import Sequence

import numpy as np

from .columns import WORD, BoolArray, IntArray, bounds, heads, ordered
from .relation import Relation

TABLE = 1 << 26
"""Key spaces up to this size get a table with a byte for each key."""


class Known:
    """What a recursive relation holds so far, to tell new rows from old ones.

    A bit table where the key space is small, else sorted runs of doubling size. Ranges of values are guessed
    with room to spare and widened when a row falls outside; rows too wide for a word go into a set of bytes.
    """

    __slots__ = ("_limits", "_relation", "_runs", "_space", "_table", "_wide")

    def __init__(self, relation: Relation) -> None:
        self._relation = relation
        self._limits: list[tuple[int, int]] | None = None
        self._table: BoolArray | None = None
        self._runs: list[IntArray] = []
        self._space = 1
        self._wide: set[bytes] | None = None

    def new(self, columns: Sequence[IntArray], n: int) -> IntArray | None:
        """Numbers of the rows that are not known, each kind once, and remember them; None for all."""
        if not self._relation.arity:
            return np.zeros(0 if self._relation.n else min(n, 1), np.int64)
        keys = self._keys(columns, n)
        if keys is None and self._wide is None:
            self._widen(columns)
            keys = self._keys(columns, n)
        if keys is None:
            return self._look_up_whole(columns, n)
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
        if space.bit_length() > WORD or any(low < -(1 << 62) or low + w > 1 << 62 for low, w in limits):
            self._wide = set(_whole(relation.columns, relation.n))
            return
        self._limits, self._space = limits, space
        if space <= TABLE:
            self._table = np.zeros(space, np.bool_)
        keys = self._keys(relation.columns, relation.n)
        if keys is None or not relation.n:
            return
        if self._table is not None:
            self._table[keys] = True
        else:
            self._runs = [np.sort(keys)]

    def _search(self, keys: IntArray) -> IntArray:
        values, rows = ordered(keys, self._space)
        fresh = heads(values)
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

    def _look_up_whole(self, columns: Sequence[IntArray], n: int) -> IntArray:
        assert self._wide is not None
        chosen: list[int] = []
        for number, row in enumerate(_whole(columns, n)):
            if row not in self._wide:
                self._wide.add(row)
                chosen.append(number)
        return np.array(chosen, np.int64)


def _whole(columns: Sequence[IntArray], n: int) -> list[bytes]:
    """Each row as its bytes."""
    size = 8 * len(columns)
    data = np.stack(columns, 1).tobytes()
    return [data[i : i + size] for i in range(0, n * size, size)]


def _first_of_each(keys: IntArray, space: int) -> IntArray | slice:
    """Places of the first of each key; all of them as a slice."""
    n = len(keys)
    if 16 * n < space:
        values, rows = ordered(keys, space)
        starts = heads(values)
        if starts.all():
            return slice(None)
        return np.flatnonzero(starts) if rows is None else rows[starts]
    first = np.empty(space, np.int32)
    numbers = np.arange(n, dtype=np.int32)
    first[keys[::-1]] = numbers[::-1]
    return np.flatnonzero(first.take(keys) == numbers)
