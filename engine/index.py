"""Finding rows by value: sorted indexes with an optional range column, and plain membership.

The invariant: an index answers for exactly the rows ``offset … offset+n-1`` it was made from and never
changes; a relation that grows holds several.
"""

from collections.abc import Sequence

import numpy as np

from .columns import GREATEST, LEAST, BoolArray, IntArray, Packing, look_up, ordered


class Index:
    """Rows ordered by the columns ``eq``, then by the column ``span`` if one is given.

    Small key spaces get a table of starts (a gather per probe instead of a search).
    """

    __slots__ = ("_packing", "_starts", "keys", "n", "offset", "rows", "span")

    def __init__(
        self,
        columns: Sequence[IntArray],
        eq: tuple[int, ...],
        span: int | None,
        n: int,
        offset: int = 0,
        ranges: Sequence[tuple[int, int]] | None = None,
    ) -> None:
        wanted = [columns[c] for c in eq]
        if span is not None:
            wanted.append(columns[span])
        self._packing = Packing(wanted, n, ranges)
        self.keys, self.rows = ordered(self._packing.keys, self._packing.space)
        self._packing.keys = self.keys
        self.n, self.offset, self.span = n, offset, span
        self._starts: IntArray | None = None

    def _direct(self, m: int) -> IntArray | None:
        """The table of starts, if the key space is small enough for ``m`` probes to pay for it.

        Two sentinels at each end make a clipped key out of range an empty run.
        """
        space = self._packing.space
        if self._starts is None and space <= 4 * (self.n + m) + 1024 and 16 * m >= self.n:
            starts = np.zeros(space + 3, np.int64)
            np.cumsum(np.bincount(self.keys, minlength=space), out=starts[2:-1])
            starts[-1] = self.n
            self._starts = starts
        return self._starts

    def probe(self, key: Sequence[IntArray], m: int) -> tuple[IntArray, IntArray, IntArray | None]:
        """Of each of ``m`` keys: where its run starts, how long it is, and the order of the answers.

        The third array gives the probe of each answer; None means that answer i is of probe i.
        """
        starts = self._direct(m)
        if starts is not None and len(key) == 1 and self._packing.parts[0][2] is None:
            least = self._packing.parts[0][0]
            codes = key[0] - (least - 1 if least > LEAST else GREATEST)  # wraps to the same
            first = starts.take(codes, mode="clip")
            return first, starts[1:].take(codes, mode="clip") - first, None
        keys, fits = self._packing.encode(key, m)
        if starts is not None:
            keys += 1
            if fits is not None:
                keys *= fits
            first = starts.take(keys)
            return first, starts[1:].take(keys) - first, None
        keys, order = ordered(keys, self._packing.space)
        first = np.searchsorted(self.keys, keys, "left")
        count = np.searchsorted(self.keys, keys, "right") - first
        if fits is not None:
            count *= fits if order is None else fits[order]
        return first, count, order

    def probe_span(
        self, key: Sequence[IntArray], low: IntArray | None, high: IntArray | None, m: int
    ) -> tuple[IntArray, IntArray, IntArray | None]:
        """As ``probe``, for rows whose span column is also in ``low … high``, both inclusive."""
        packing = self._packing
        *_, (least, width, values, prefix) = packing.parts
        keys, fits = packing.encode(key, m)
        if prefix is not None:
            keys, found = look_up(prefix, keys)
            fits = found if fits is None else fits & found
        begin, end = _limits(low, high, least, width, values)
        keys = keys * width
        first_keys, order = ordered(keys + begin, packing.space + width)
        last_keys = keys + end
        if order is not None:
            last_keys = last_keys[order]
        first = np.searchsorted(self.keys, first_keys, "left")
        count = np.searchsorted(self.keys, last_keys, "right") - first
        np.maximum(count, 0, out=count)
        if fits is not None:
            count *= fits if order is None else fits[order]
        return first, count, order

    def row_numbers(self, places: IntArray) -> IntArray:
        """Row numbers in the relation of places in this index."""
        rows = places if self.rows is None else self.rows.take(places)
        return rows + self.offset if self.offset else rows


def _limits(
    low: IntArray | None, high: IntArray | None, least: int, width: int, values: IntArray | None
) -> tuple[IntArray | int, IntArray | int]:
    """Codes of the first and the last value inside the limits; past the ends where there is none."""
    begin: IntArray | int = 0
    end: IntArray | int = width - 1
    if values is not None:
        if low is not None:
            begin = np.searchsorted(values, low, "left")
        if high is not None:
            end = np.searchsorted(values, high, "right") - 1
        return begin, end
    greatest = least + width - 1
    if low is not None:
        begin = np.clip(low, least, greatest) - least
        begin += low > greatest
    if high is not None:
        end = np.clip(high, least, greatest) - least
        end -= high < least
    return begin, end


def expand(first: IntArray, count: IntArray, order: IntArray | None) -> tuple[IntArray | None, IntArray]:
    """Runs written out: the probe of each answer (None: one answer for each, in order) and its place."""
    m = len(count)
    total = int(count.sum())
    if total == m and int(count.max(initial=0)) <= 1:
        return order, first
    if total <= m and int(count.max(initial=0)) <= 1:
        hit = np.flatnonzero(count)
        return (hit if order is None else order.take(hit)), first.take(hit)
    probes = np.repeat(np.arange(m), count)
    shift = first - (np.cumsum(count) - count)
    places = shift.take(probes)
    places += np.arange(total)
    return (probes if order is None else order.take(probes)), places


class KeySet:
    """Membership of keys in the columns ``eq`` of some rows: a bit table if the space is small."""

    __slots__ = ("_keys", "_packing", "_table")

    def __init__(
        self,
        columns: Sequence[IntArray],
        eq: tuple[int, ...],
        n: int,
        ranges: Sequence[tuple[int, int]] | None = None,
    ) -> None:
        self._packing = Packing([columns[c] for c in eq], n, ranges)
        keys = self._packing.keys
        self._table: BoolArray | None = None
        self._keys = keys
        if self._packing.space <= max(16 * n + 4096, min(256 * n, 1 << 23)):
            self._table = np.zeros(self._packing.space, np.bool_)
            self._table[keys] = True
        else:
            self._keys = ordered(keys, self._packing.space)[0]
        self._packing.keys = self._keys

    def contains(self, key: Sequence[IntArray], m: int) -> BoolArray:
        """For each of ``m`` keys whether some row has it."""
        keys, fits = self._packing.encode(key, m)
        if self._table is not None:
            found: BoolArray = self._table.take(keys)
        else:
            found = look_up(self._keys, keys)[1]
        return found if fits is None else found & fits
