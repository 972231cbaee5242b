"""Symbols as numbers: every text that facts and program hold, numbered in text order.

The invariant: ids compare as their texts do (by code point), so the engine sorts, compares and takes
the least of symbols without ever looking at a text, and the order in which facts arrive changes nothing.
"""

from bisect import bisect_left
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt


class Symbols:
    """A closed table of texts; ``texts`` is sorted and the id of a text is its place there."""

    __slots__ = ("_ids", "texts")

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts: list[str] = sorted(texts)
        self._ids: dict[str, int] = {text: i for i, text in enumerate(self.texts)}

    def id(self, text: str) -> int | None:
        """The id of ``text``, or None for a text that occurs nowhere."""
        return self._ids.get(text)

    def code(self, value: str | int) -> int:
        """A constant that is in the table, or a number, as the engine holds it."""
        return value if isinstance(value, int) else self._ids[value]

    def place(self, text: str) -> int:
        """How many texts of the table are smaller than ``text``."""
        return bisect_left(self.texts, text)

    def encode(self, column: list[str]) -> npt.NDArray[np.int64]:
        """Ids of a column of texts that are all in the table."""
        return np.fromiter(map(self._ids.__getitem__, column), np.int64, len(column))

    def decode(self, ids: npt.NDArray[np.int64]) -> list[str]:
        """Texts of a column of ids."""
        return list(map(self.texts.__getitem__, ids.tolist()))
