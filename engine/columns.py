"""The columnar floor: sorting, numbering and comparing rows held as int64 columns.

Nothing here knows of rules. The invariant: every result depends on the values alone, and wherever a
choice between equal rows is made, the row with the lowest number wins.

Two facts about numpy shape the code: ``np.sort`` of int64 is vectorised and some fifteen times quicker
than a stable ``argsort``, so a key and its row number are packed in one word and sorted together; and
small key spaces are addressed directly, without any sort.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

LEAST, GREATEST = -(1 << 63), (1 << 63) - 1

WORD = 62
"""Bits of a key that leave room for a sign and one step over the end."""

_NOTHING = np.zeros(0, np.int64)


def bounds(column: IntArray) -> tuple[int, int]:
    """Least and greatest value; (0, -1) for an empty column."""
    if not len(column):
        return 0, -1
    return int(column.min()), int(column.max())


def is_sorted(keys: npt.NDArray[np.integer], strictly: bool = False) -> bool:
    """Whether keys ascend (without repetition if ``strictly``)."""
    if len(keys) < 2:
        return True
    compare = np.greater if strictly else np.greater_equal
    if len(keys) > 64 and not compare(keys[1:64], keys[:63]).all():
        return False
    return bool(compare(keys[1:], keys[:-1]).all())


def heads(ordered_keys: npt.NDArray[np.integer]) -> BoolArray:
    """True where a sorted column starts a new value."""
    mask = np.empty(len(ordered_keys), np.bool_)
    mask[:1] = True
    np.not_equal(ordered_keys[1:], ordered_keys[:-1], out=mask[1:])
    return mask


def ordered(keys: IntArray, space: int | None = None) -> tuple[IntArray, IntArray | None]:
    """Keys in ascending order and the row numbers that put them so; equal keys keep row order.

    ``space`` is a bound on keys that are not negative; without it any int64 is taken. None for the row
    numbers means that the keys were in order already.
    """
    n = len(keys)
    if is_sorted(keys):
        return keys, None
    bits = (n - 1).bit_length()
    if space is not None and space.bit_length() + bits <= WORD + 1:
        packed = keys << bits
        packed |= np.arange(n)
        packed.sort()
        return packed >> bits, packed & ((1 << bits) - 1)
    rows = np.argsort(keys)
    values = keys[rows]
    run = np.cumsum(heads(values))
    rows = np.sort((run << bits) | rows) & ((1 << bits) - 1)
    return values, rows


def dense(column: IntArray) -> tuple[IntArray, IntArray]:
    """Each value replaced by its number among the distinct values, and those values in order."""
    values, rows = ordered(column)
    starts = heads(values)
    numbers = np.cumsum(starts) - 1
    if rows is None:
        return numbers, values[starts]
    codes = np.empty(len(column), np.int64)
    codes[rows] = numbers
    return codes, values[starts]


class Packing:
    """One int64 key for a row of several columns: equal keys mean equal rows, and keys order as rows do.

    A column whose width would overflow the word is numbered densely first, and if that is not enough the
    prefix packed so far is, too; so any width of values fits. ``keys`` are those of the rows it was made
    from, ``space`` a bound on them.
    """

    __slots__ = ("keys", "parts", "space")

    def __init__(
        self, columns: Sequence[IntArray], n: int, ranges: Sequence[tuple[int, int]] | None = None
    ) -> None:
        """``ranges`` are the bounds of the columns, if they are known already."""
        keys: IntArray | None = None
        space = 1
        self.parts: list[tuple[int, int, IntArray | None, IntArray | None]] = []
        for column, (low, high) in zip(columns, ranges or map(bounds, columns), strict=True):
            width = max(high - low + 1, 1)
            values = prefix = None
            if space.bit_length() + width.bit_length() > WORD:
                column, values = dense(column)
                low, width = 0, max(len(values), 1)
                if space.bit_length() + width.bit_length() > WORD and keys is not None:
                    keys, prefix = dense(keys)
                    space = max(len(prefix), 1)
            codes = column - low if low else column
            keys = codes if keys is None else keys * width + codes
            space *= width
            self.parts.append((low, width, values, prefix))
        self.keys: IntArray = np.zeros(n, np.int64) if keys is None else keys
        self.space = space

    def encode(self, columns: Sequence[IntArray], n: int) -> tuple[IntArray, BoolArray | None]:
        """Keys of other rows; the mask (None: all) is False for rows that cannot be among those packed.

        Fewer columns than were packed give the keys of that prefix.
        """
        keys: IntArray | None = None
        fits: BoolArray | None = None
        for part, column in zip(self.parts, columns, strict=False):
            keys, fits = _step(part, keys, fits, column)
        return (np.zeros(n, np.int64) if keys is None else keys), fits


def _step(
    part: tuple[int, int, IntArray | None, IntArray | None],
    keys: IntArray | None,
    fits: BoolArray | None,
    column: IntArray,
) -> tuple[IntArray, BoolArray | None]:
    low, width, values, prefix = part
    if prefix is not None and keys is not None:
        keys, found = look_up(prefix, keys)
        fits = found if fits is None else fits & found
    if values is not None:
        codes, found = look_up(values, column)
    else:
        codes = column - low if low else column
        found = codes.view(np.uint64) < np.uint64(width)
    if not found.all():
        fits = found if fits is None else fits & found
        codes = np.where(found, codes, 0)
    return (codes if keys is None else keys * width + codes), fits


def look_up(values: IntArray, column: IntArray) -> tuple[IntArray, BoolArray]:
    """Places of a column's values among sorted distinct ``values``, and whether they are there."""
    if not len(values):
        return np.zeros(len(column), np.int64), np.zeros(len(column), np.bool_)
    if len(column) > 1024:
        keys, rows = ordered(column)
        if rows is not None:
            places = np.empty(len(column), np.int64)
            places[rows] = np.searchsorted(values, keys)
        else:
            places = np.searchsorted(values, keys)
    else:
        places = np.searchsorted(values, column)
    np.minimum(places, len(values) - 1, out=places)
    return places, values[places] == column


def distinct(columns: Sequence[IntArray], n: int, in_order: bool = False) -> IntArray | None:
    """Row numbers of the first row of each kind; None if no row repeats another.

    With ``in_order`` the numbers ascend, else their order follows the values or the rows as is cheaper.
    """
    if n < 2:
        return None
    if not columns:
        return np.zeros(1, np.int64)
    if is_sorted(columns[0], strictly=True):
        return None
    ranges = [bounds(column) for column in columns]
    narrow = _fitting(ranges, WORD + 1 - n.bit_length())
    if 1 < len(narrow) < len(columns):
        rows = _distinct_by(columns, narrow, n)
        if rows is not None:
            return None if len(rows) == n else np.sort(rows) if in_order else rows
    packing = Packing(columns, n, ranges)
    return distinct_keys(packing.keys, packing.space, in_order)


def _fitting(ranges: Sequence[tuple[int, int]], room: int) -> list[int]:
    """Which columns can be packed into ``room`` bits as they are."""
    space = 1
    narrow: list[int] = []
    for place, (low, high) in enumerate(ranges):
        bits = (high - low + 1).bit_length()
        if space.bit_length() + bits <= room:
            space <<= bits
            narrow.append(place)
    return narrow


def _distinct_by(columns: Sequence[IntArray], narrow: list[int], n: int) -> IntArray | None:
    """Distinct rows by some columns alone, if these happen to determine the others; else None."""
    packing = Packing([columns[i] for i in narrow], n)
    keys, rows = ordered(packing.keys, packing.space)
    starts = heads(keys)
    if rows is None:
        rows = np.arange(n)
    if starts.all():
        return rows
    first = rows[starts]
    repeated = np.flatnonzero(~starts)
    same, as_ = rows[repeated], first[np.cumsum(starts)[repeated] - 1]
    wide = [column for i, column in enumerate(columns) if i not in narrow]
    if all((column[same] == column[as_]).all() for column in wide):
        return first
    return None


def distinct_keys(keys: IntArray, space: int, in_order: bool = False) -> IntArray | None:
    """As ``distinct``, of keys in ``0 … space-1``."""
    n = len(keys)
    if space <= 8 * n + 4096:
        first = np.empty(space, np.int32)
        numbers = np.arange(n, dtype=np.int32)
        first[keys[::-1]] = numbers[::-1]
        rows = np.flatnonzero(first[keys] == numbers)
        return None if len(rows) == n else rows
    values, places = ordered(keys, space)
    starts = heads(values)
    if starts.all():
        return None
    if places is None:
        return np.flatnonzero(starts)
    rows = places[starts]
    if in_order:
        rows.sort()
    return rows
