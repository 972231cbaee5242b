"""Running the steps of a plan: vectorised joins, filters, anti-joins and assignments over frames.

A frame is a table of bindings. The invariant: after each step it holds exactly the bindings of the literals
done so far, projected on the variables still wanted, each with the greatest level of its premises; a frame
that is traced also holds the number of the premise row for each literal.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from .columns import GREATEST, LEAST, BoolArray, IntArray
from .errors import LimitExceeded
from .expressions import COMPARE, Note, Operand, compute
from .index import expand
from .plan import Anti, Assign, Filter, Join, Reduce, Step
from .relation import LevelArray, Relation

Level = int | LevelArray


@dataclass(slots=True)
class Frame:
    """``n`` bindings; ``level`` is one number where all premises are of one level."""

    n: int = 1
    columns: dict[str, IntArray] = field(default_factory=dict)
    level: Level = 0
    rows: dict[int, IntArray] | None = None
    """Of a traced frame: per ``src`` the premise row of each binding."""


@dataclass(slots=True)
class Context:
    """What a run looks at; ``windows`` bound the rows of an atom (by ``src``), ``ceiling`` their levels."""

    relations: Mapping[str, Relation]
    note: Note
    limit: int
    windows: dict[int, tuple[int, int]] = field(default_factory=dict)
    ceiling: int | None = None
    keep_indexes: bool = False


def run(steps: Sequence[Step], frame: Frame, context: Context) -> Frame:
    """The bindings of all steps; a frame without rows as soon as there is none (then without columns)."""
    from .aggregates import reduce_groups  # the two call each other

    for step in steps:
        match step:
            case Join():
                frame = _exists(step, frame, context) if step.exists else _join(step, frame, context)
            case Filter(op, left, right, keep):
                frame = _filter(op, left, right, keep, frame, context)
            case Assign(variable, value, keep):
                frame = _assign(variable, value, keep, frame, context)
            case Anti():
                frame = _anti(step, frame, context)
            case Reduce():
                frame = reduce_groups(step, frame, context)
        if not frame.n:
            return Frame(0, {}, 0, frame.rows)
    return frame


def higher(one: Level, other: Level) -> Level:
    """The greater of two levels, row by row where they differ."""
    if isinstance(one, int) and isinstance(other, int):
        return max(one, other)
    return np.maximum(one, other)


def select(frame: Frame, rows: IntArray, keep: Sequence[str]) -> Frame:
    """The given rows of a frame, in that order, projected on ``keep``."""
    columns = frame.columns
    level = frame.level if isinstance(frame.level, int) else frame.level.take(rows)
    traced = None if frame.rows is None else {s: r.take(rows) for s, r in frame.rows.items()}
    return Frame(len(rows), {v: columns[v].take(rows) for v in keep if v in columns}, level, traced)


def where(frame: Frame, mask: BoolArray | None, keep: Sequence[str]) -> Frame:
    """The rows of a frame where the mask is set (None: all)."""
    if mask is None:
        return frame
    rows = np.flatnonzero(mask)
    return frame if len(rows) == frame.n else select(frame, rows, keep)


def _both(one: BoolArray | None, other: BoolArray | None) -> BoolArray | None:
    if one is None or other is None:
        return other if one is None else one
    return one & other


def _filter(
    op: str, left: Operand, right: Operand, keep: Sequence[str], frame: Frame, context: Context
) -> Frame:
    if isinstance(left, str) and isinstance(right, int):
        return where(frame, COMPARE[op](frame.columns[left], right), keep)  # type: ignore[arg-type]
    a, a_valid = compute(left, frame.columns, frame.n, context.note)
    b, b_valid = compute(right, frame.columns, frame.n, context.note)
    mask: BoolArray | None = COMPARE[op](a, b)
    return where(frame, _both(mask, _both(a_valid, b_valid)), keep)


def _assign(variable: str, value: Operand, keep: Sequence[str], frame: Frame, context: Context) -> Frame:
    column, valid = compute(value, frame.columns, frame.n, context.note)
    columns = {**frame.columns, variable: column}
    return where(Frame(frame.n, columns, frame.level, frame.rows), valid, keep)


def _anti(step: Anti, frame: Frame, context: Context) -> Frame:
    relation = context.relations[step.relation]
    key, valid = _operands(step.key, frame, context)
    if not relation.n:
        return where(frame, valid, step.keep)
    if not step.eq:
        return Frame(0, {}, 0, frame.rows)
    return where(frame, _both(~relation.contains(step.eq, key, frame.n), valid), step.keep)


def _operands(
    operands: Sequence[Operand], frame: Frame, context: Context
) -> tuple[list[IntArray], BoolArray | None]:
    key: list[IntArray] = []
    valid: BoolArray | None = None
    for operand in operands:
        column, fits = compute(operand, frame.columns, frame.n, context.note)
        key.append(column)
        valid = _both(valid, fits)
    return key, valid


def _exists(step: Join, frame: Frame, context: Context) -> Frame:
    relation = context.relations[step.relation]
    if not relation.n:
        return Frame(0)
    frame = Frame(frame.n, frame.columns, higher(frame.level, relation.levels[0]), None)
    if step.span is not None:
        _, first, count, order = _probe_span(step, relation, frame, context)[0]
        left, _ = expand(first, np.minimum(count, 1), order)
        return frame if left is None else select(frame, left, step.keep)
    if not step.eq:
        return frame
    key, _ = _operands(step.key, frame, context)
    return where(frame, relation.contains(step.eq, key, frame.n), step.keep)


Run = tuple[int, IntArray, IntArray, IntArray | None]


def _probe_span(step: Join, relation: Relation, frame: Frame, context: Context) -> list[Run]:
    """Runs of rows per index of a join with bounds."""
    key, _ = _operands(step.key, frame, context)
    low, low_valid = _limit(step.low, 1, frame, context)
    high, high_valid = _limit(step.high, -1, frame, context)
    valid = _both(low_valid, high_valid)
    runs: list[Run] = []
    for i, index in enumerate(relation.indexes(step.eq, step.span)):
        first, count, order = index.probe_span(key, low, high, frame.n)
        if valid is not None:
            count *= valid if order is None else valid[order]
        runs.append((i, first, count, order))
    return runs


def _limit(
    limit: tuple[Operand, bool] | None, inward: int, frame: Frame, context: Context
) -> tuple[IntArray | None, BoolArray | None]:
    """An inclusive bound; a strict one is moved inward by one, and is invalid where it cannot be."""
    if limit is None:
        return None, None
    values, valid = compute(limit[0], frame.columns, frame.n, context.note)
    if limit[1]:
        extreme = values == (GREATEST if inward > 0 else LEAST)
        if extreme.any():
            valid = _both(valid, ~extreme)
        values = values + inward
    return values, valid


def _join(step: Join, frame: Frame, context: Context) -> Frame:
    relation = context.relations[step.relation]
    begin, end = context.windows.get(step.src, (0, relation.n))
    if context.ceiling is not None:
        end = min(end, relation.upto(context.ceiling))
    if begin >= end:
        return Frame(0, {}, 0, frame.rows)
    if not step.eq and step.span is None and not step.same:
        return _cross(step, frame, relation, begin, end, context)
    left, rows = _matches(step, frame, relation, begin, end, context)
    for a, b in step.same:
        keep = np.flatnonzero(relation.columns[a].take(rows) == relation.columns[b].take(rows))
        rows = rows.take(keep)
        left = keep if left is None else left.take(keep)
    return _assemble(step, frame, relation, left, rows)


Pairs = tuple[IntArray | None, IntArray]
"""A binding and a row number for each way they fit; None for the bindings: each once, in order."""


def _matches(step: Join, frame: Frame, relation: Relation, begin: int, end: int, context: Context) -> Pairs:
    """The rows of a window that fit each binding."""
    if not step.eq and step.span is None:
        left = np.repeat(np.arange(frame.n), end - begin)
        return left, np.tile(np.arange(begin, end), frame.n)
    if frame.n == 1 and not frame.columns and step.span is None and not context.keep_indexes:
        return _scan(step, relation, begin, end)
    eq = step.eq
    if step.span is not None:
        indexes = relation.indexes(eq, step.span)
        runs = _probe_span(step, relation, frame, context)
    else:
        eq = relation.narrowed(eq)
        indexes = relation.indexes(eq)
        key, _ = _operands([k for c, k in zip(step.eq, step.key, strict=True) if c in eq], frame, context)
        runs = [(i, *index.probe(key, frame.n)) for i, index in enumerate(indexes)]
    _check(sum(int(run[2].sum()) for run in runs), step, context)
    pairs: list[Pairs] = []
    for i, first, count, order in runs:
        left_part, places = expand(first, count, order)
        pairs.append((left_part, indexes[i].row_numbers(places)))
    found = pairs[0] if len(pairs) == 1 else _concatenate(pairs, frame.n)
    rest = [(c, k) for c, k in zip(step.eq, step.key, strict=True) if c not in eq]
    if rest or begin or end < relation.n:
        found = _inside(found, rest, frame, relation, begin, end)
    return found


def _scan(step: Join, relation: Relation, begin: int, end: int) -> Pairs:
    """Rows that hold the constants of an atom, without an index."""
    mask: BoolArray | None = None
    for c, value in zip(step.eq, step.key, strict=True):
        mask = _both(mask, relation.columns[c][begin:end] == value)
    assert mask is not None
    rows = np.flatnonzero(mask) + begin
    return np.zeros(len(rows), np.int64), rows


def _inside(
    found: Pairs, rest: list[tuple[int, int | str]], frame: Frame, relation: Relation, begin: int, end: int
) -> Pairs:
    """Those pairs whose row is in the window and fits the columns that the index left out."""
    left, rows = found
    mask = (rows >= begin) & (rows < end)
    for c, argument in rest:
        mask &= relation.columns[c].take(rows) == _gathered(argument, frame, left)
    inside = np.flatnonzero(mask)
    return (inside if left is None else left.take(inside)), rows.take(inside)


def _gathered(argument: int | str, frame: Frame, left: IntArray | None) -> IntArray | int:
    """An argument for each of some bindings (None: all)."""
    if isinstance(argument, int):
        return argument
    return frame.columns[argument] if left is None else frame.columns[argument].take(left)


def _concatenate(pairs: list[Pairs], n: int) -> Pairs:
    lefts = [np.arange(n) if left is None else left for left, _ in pairs]
    return np.concatenate(lefts), np.concatenate([rows for _, rows in pairs])


def _check(total: int, step: Join, context: Context) -> None:
    if total > context.limit:
        raise LimitExceeded(f"a join with {step.relation} gives {total:,} rows, more than {context.limit:,}")


def _cross(step: Join, frame: Frame, relation: Relation, begin: int, end: int, context: Context) -> Frame:
    """Every row of the window with every binding; a plain scan if there is one binding without columns."""
    size = end - begin
    _check(frame.n * size, step, context)
    if frame.n > 1 or frame.columns or frame.rows is not None or not isinstance(frame.level, int):
        left = np.repeat(np.arange(frame.n), size)
        return _assemble(step, frame, relation, left, np.tile(np.arange(begin, end), frame.n))
    columns = {v: relation.columns[c][begin:end] for v, c in step.binds}
    one = relation.level(begin)
    if one == relation.level(end - 1):
        return Frame(size, columns, max(frame.level, one))
    return Frame(size, columns, higher(frame.level, relation.levels_from(begin, end)))


def _assemble(step: Join, frame: Frame, relation: Relation, left: IntArray | None, rows: IntArray) -> Frame:
    if left is None:
        level, traced = frame.level, None if frame.rows is None else dict(frame.rows)
        columns = {v: frame.columns[v] for v in step.keep if v in frame.columns}
    else:
        taken = select(frame, left, step.keep)
        level, columns, traced = taken.level, taken.columns, taken.rows
    for variable, c in step.binds:
        columns[variable] = relation.columns[c].take(rows)
    if traced is not None:
        traced[step.src] = rows
    one = relation.one_level()
    return Frame(len(rows), columns, higher(level, relation.levels_of(rows) if one is None else one), traced)
