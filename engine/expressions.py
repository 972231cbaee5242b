"""Integer arithmetic on whole columns, exact or absent.

The invariant: a value that does not fit 64 bits, a division by zero or a shift outside 0…63 never becomes a
number; its row is masked out and the least such case of each expression is noted. Division and remainder
truncate toward zero, ``bshr`` keeps the sign, ``bshl`` drops the bits shifted out, as Soufflé does.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from .columns import GREATEST, LEAST, BoolArray, IntArray, bounds
from .syntax import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class Expression:
    """``op`` of ``syntax.OPERATORS`` on operands."""

    op: str
    args: tuple["Operand", ...]
    span: Span = field(default=NOWHERE, compare=False)


Operand = int | str | Expression
"""A value (symbols by their id), a variable, or an expression."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A derivation that is absent because its arithmetic has no 64-bit result."""

    rule: str
    op: str
    values: tuple[int, ...]
    span: Span

    def __str__(self) -> str:
        shown = f"-({self.values[0]})" if self.op == "neg" else f" {self.op} ".join(map(str, self.values))
        place = f"{self.span.file}:{self.span.line}:{self.span.col}: " if self.span.line else ""
        return f"{place}rule {self.rule}: {shown} has no 64-bit value; the derivation is left out"


Note = Callable[[str, Span, tuple[int, ...]], None]
"""Told of an operator, its place and the least operands that have no result."""


def variables_of(operand: Operand) -> set[str]:
    """The variables of an operand."""
    match operand:
        case str():
            return {operand}
        case Expression(args=args):
            return set().union(*map(variables_of, args))
        case _:
            return set()


def compute(
    operand: Operand, columns: Mapping[str, IntArray], n: int, note: Note
) -> tuple[IntArray, BoolArray | None]:
    """The value in each of ``n`` rows, and a mask of the rows that have one (None: all)."""
    match operand:
        case str():
            return columns[operand], None
        case int():
            return np.full(n, operand, np.int64), None
        case Expression(op=op, args=args, span=span):
            parts = [compute(a, columns, n, note) for a in args]
            return _apply(op, span, [p[0] for p in parts], _both([p[1] for p in parts]), note)


def _both(masks: list[BoolArray | None]) -> BoolArray | None:
    known = [m for m in masks if m is not None]
    if not known:
        return None
    return known[0] if len(known) == 1 else known[0] & known[1]


def _apply(
    op: str, span: Span, values: list[IntArray], valid: BoolArray | None, note: Note
) -> tuple[IntArray, BoolArray | None]:
    result, bad = _OPERATIONS[op](*values)
    if bad is None:
        return result, valid
    if valid is not None:
        bad = bad & valid
    if not bad.any():
        return result, valid
    failing = [v[bad] for v in values]
    least = np.lexsort(failing[::-1])[0]
    note(op, span, tuple(int(v[least]) for v in failing))
    result = np.where(bad, 0, result)
    return result, ~bad if valid is None else valid & ~bad


Checked = tuple[IntArray, BoolArray | None]


def _inside(*extremes: int) -> bool:
    return min(extremes) >= LEAST and max(extremes) <= GREATEST


def _add(a: IntArray, b: IntArray) -> Checked:
    (al, ah), (bl, bh) = bounds(a), bounds(b)
    result = a + b
    if _inside(al + bl, ah + bh):
        return result, None
    return result, ((a ^ result) & (b ^ result)) < 0


def _sub(a: IntArray, b: IntArray) -> Checked:
    (al, ah), (bl, bh) = bounds(a), bounds(b)
    result = a - b
    if _inside(al - bh, ah - bl):
        return result, None
    return result, ((a ^ b) & (a ^ result)) < 0


def _mul(a: IntArray, b: IntArray) -> Checked:
    (al, ah), (bl, bh) = bounds(a), bounds(b)
    result = a * b
    if _inside(al * bl, al * bh, ah * bl, ah * bh):
        return result, None
    extreme = (a == -1) & (b == LEAST) | (b == -1) & (a == LEAST)
    divisor = np.where((b == 0) | (b == -1), 1, b)
    wrong = (b != 0) & (b != -1) & ((result // divisor != a) | (result % divisor != 0))
    return result, wrong | extreme


def _divide(a: IntArray, b: IntArray) -> Checked:
    bad = (b == 0) | (a == LEAST) & (b == -1)
    divisor = np.where(bad, 1, b)
    quotient = a // divisor
    inexact = quotient * divisor != a
    quotient += inexact & ((a < 0) != (divisor < 0))
    return quotient, bad


def _remainder(a: IntArray, b: IntArray) -> Checked:
    zero = b == 0
    return np.fmod(a, np.where(zero | (b == -1), 1, b)), zero


def _shift_left(a: IntArray, b: IntArray) -> Checked:
    bad = (b < 0) | (b > 63)
    return np.left_shift(a, np.where(bad, 0, b)), bad


def _shift_right(a: IntArray, b: IntArray) -> Checked:
    bad = (b < 0) | (b > 63)
    return np.right_shift(a, np.where(bad, 0, b)), bad


_OPERATIONS: dict[str, Callable[..., Checked]] = {
    "+": _add,
    "-": _sub,
    "*": _mul,
    "/": _divide,
    "%": _remainder,
    "neg": lambda a: (-a, a == LEAST),
    "band": lambda a, b: (a & b, None),
    "bor": lambda a, b: (a | b, None),
    "bxor": lambda a, b: (a ^ b, None),
    "bshl": _shift_left,
    "bshr": _shift_right,
    "min": lambda a, b: (np.minimum(a, b), None),
    "max": lambda a, b: (np.maximum(a, b), None),
}

COMPARE: dict[str, Callable[[IntArray, IntArray], BoolArray]] = {
    "=": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
