"""Aggregates: ``count``, ``sum``, ``min`` and ``max`` over the bindings of an inner body, per group.

The invariant: every distinct group of the outer bindings is looked at once, whatever came before; an empty
group counts and sums to 0 and has no least or greatest value. The level of the result is the greatest of all
premises in the group.
"""

import numpy as np

from .body import Context, Frame, Level, higher, run, select
from .columns import (
    GREATEST,
    LEAST,
    BoolArray,
    IntArray,
    Packing,
    bounds,
    distinct,
    heads,
    is_sorted,
    ordered,
)
from .expressions import compute
from .plan import GROUP, Reduce


def reduce_groups(step: Reduce, frame: Frame, context: Context) -> Frame:
    """The frame with the aggregate's result bound, without the rows that have none."""
    if step.merge:
        frame = _merged(step, frame)
        first = number = None
    else:
        first, number = _groups(step, frame)
    groups = {v: frame.columns[v] if first is None else frame.columns[v].take(first) for v in step.group}
    values, level, valid = _values(step, groups, frame.n if first is None else len(first), context)
    if number is not None:
        values = values.take(number)
        level = level if isinstance(level, int) else level.take(number)
        valid = None if valid is None else valid.take(number)
    columns = {**frame.columns, step.result: values}
    result = Frame(frame.n, columns, higher(level, frame.level), frame.rows)
    return result if valid is None else select(result, np.flatnonzero(valid), step.keep)


def _merged(step: Reduce, frame: Frame) -> Frame:
    """One row for each group, that of the least level."""
    if not isinstance(frame.level, int) and not is_sorted(frame.level):
        _, order = ordered(frame.level.astype(np.int64))
        frame = frame if order is None else select(frame, order, step.group)
    rows = distinct([frame.columns[v] for v in step.group], frame.n)
    return frame if rows is None else select(frame, rows, step.group)


def _groups(step: Reduce, frame: Frame) -> tuple[IntArray | None, IntArray | None]:
    """A frame row for each distinct group and the group of each frame row; None if each row is its own."""
    if frame.n == 1:
        return None, None
    packing = Packing([frame.columns[v] for v in step.group], frame.n)
    keys, rows = ordered(packing.keys, packing.space)
    starts = heads(keys)
    if starts.all():
        return None, None
    number = np.cumsum(starts) - 1
    if rows is None:
        return np.flatnonzero(starts), number
    back = np.empty(frame.n, np.int64)
    back[rows] = number
    return rows[starts], back


def _values(
    step: Reduce, groups: dict[str, IntArray], n: int, context: Context
) -> tuple[IntArray, Level, BoolArray | None]:
    """Of each group: its value, its level, and whether it has a value (None: all have)."""
    inner_context = Context(context.relations, context.note, context.limit, keep_indexes=context.keep_indexes)
    inner = run(step.inner, Frame(n, {**groups, GROUP: np.arange(n)}), inner_context)
    values: IntArray | None = None
    if inner.n and step.target is not None:
        values, valid = compute(step.target, inner.columns, inner.n, context.note)
        if valid is not None:
            rows = np.flatnonzero(valid)
            values, inner = values.take(rows), select(inner, rows, (GROUP,))
    if not inner.n:
        empty = np.zeros(n, np.int64)
        return empty, 0, None if step.kind in ("count", "sum") else np.zeros(n, np.bool_)
    keys, order = ordered(inner.columns[GROUP], n)
    starts = np.flatnonzero(heads(keys))
    some = keys[starts]
    if values is not None and order is not None:
        values = values.take(order)
    result, valid = _reduce(step, values, starts, len(keys), context)
    level = _levels(inner.level, order, starts, some, n)
    return _spread(result, some, n), level, _has_value(step, valid, some, n)


def _reduce(
    step: Reduce, values: IntArray | None, starts: IntArray, n: int, context: Context
) -> tuple[IntArray, BoolArray | None]:
    if values is None:
        return np.diff(starts, append=n), None
    if step.kind == "min":
        return np.minimum.reduceat(values, starts), None
    if step.kind == "max":
        return np.maximum.reduceat(values, starts), None
    low, high = bounds(values)
    longest = int(np.diff(starts, append=n).max())
    sums = np.add.reduceat(values, starts)
    if low * longest >= LEAST and high * longest <= GREATEST:
        return sums, None
    exact = np.add.reduceat(values.astype(object), starts)
    fits = np.array([LEAST <= total <= GREATEST for total in exact], np.bool_)
    if fits.all():
        return sums, None
    context.note("sum", step.span, (min(int(total) for total in exact[~fits]),))
    return sums, fits


def _levels(level: Level, order: IntArray | None, starts: IntArray, some: IntArray, n: int) -> Level:
    """The greatest level in each group; 0 for an empty one."""
    if isinstance(level, int):
        if len(some) == n or not level:
            return level
        top: Level = level
    else:
        top = np.maximum.reduceat(level if order is None else level.take(order), starts)
    spread = np.zeros(n, np.int32)
    spread[some] = top
    return spread


def _spread(result: IntArray, some: IntArray, n: int) -> IntArray:
    if len(some) == n:
        return result
    values = np.zeros(n, np.int64)
    values[some] = result
    return values


def _has_value(step: Reduce, valid: BoolArray | None, some: IntArray, n: int) -> BoolArray | None:
    if len(some) == n:
        return valid
    found = np.full(n, step.kind in ("count", "sum"), np.bool_)
    found[some] = True if valid is None else valid
    return found if not found.all() else None
