"""The one door to RE2 (and to Hyperscan, where it is installed): matching in time linear in the text.

Invariant: which lines are found does not depend on which of the two engines looked for them.
"""

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import re2  # type: ignore[import-untyped]

PREFILTER_MEMORY = 64 << 20


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression over a line's UTF-8 bytes. ``groups`` maps the names of its groups to their numbers."""

    groups: Mapping[str, int]
    _search: Callable[[bytes], Any]

    def find(self, line: bytes) -> dict[str, str | None] | None:
        """The named groups of the leftmost match, None for a group that took no part; None for no match."""
        found = self._search(line)
        if found is None:
            return None
        values = found.groups()
        return {
            name: None if (value := values[number - 1]) is None else value.decode("utf-8", "replace")
            for name, number in self.groups.items()
        }


def expression(source: str) -> Expression:
    """Compile an expression. Raises ValueError that says what is wrong."""
    options = re2.Options()
    options.log_errors = False
    try:
        compiled = re2.compile(source.encode(), options)
    except re2.error as error:
        raise ValueError(str(error)) from None
    names = {
        name.decode() if isinstance(name, bytes) else name: at for name, at in compiled.groupindex.items()
    }
    return Expression(dict(sorted(names.items())), compiled.search)


class Finder(Protocol):
    """Finds any of a set of words in bytes."""

    def positions(self, chunk: bytes) -> Iterable[int]:
        """Positions in ascending order, at least one within each occurrence's line."""

    def first(self, chunk: bytes, at: int, end: int) -> int | None:
        """Where the first word between ``at`` and ``end`` begins."""


@dataclass(frozen=True, slots=True)
class Re2Finder:
    """One RE2 alternation of all words."""

    _compiled: Any

    def positions(self, chunk: bytes) -> Iterator[int]:
        return (found.start() for found in self._compiled.finditer(chunk))

    def first(self, chunk: bytes, at: int, end: int) -> int | None:
        found = self._compiled.search(chunk, at, end)
        return None if found is None else int(found.start())


@dataclass(frozen=True, slots=True)
class HyperscanFinder:
    """A Hyperscan database of the words; RE2 where the exact beginning is wanted."""

    _database: Any
    _exact: Re2Finder

    def positions(self, chunk: bytes) -> list[int]:
        ends: list[int] = []
        self._database.scan(chunk, match_event_handler=lambda _id, _start, end, *_: ends.append(end - 1))
        return ends

    def first(self, chunk: bytes, at: int, end: int) -> int | None:
        return self._exact.first(chunk, at, end)


def any_of(words: Iterable[bytes], hyperscan: bool = True) -> Finder | None:
    """What finds any of the words, None for no words. Hyperscan is used where it is installed and wanted."""
    distinct = sorted(set(words))
    if not distinct:
        return None
    options = re2.Options()
    options.log_errors = False
    options.max_mem = PREFILTER_MEMORY
    alternation = b"|".join(re2.escape(word) for word in distinct)
    exact = Re2Finder(re2.compile(alternation, options))
    database = _hyperscan_database(distinct) if hyperscan else None
    return exact if database is None else HyperscanFinder(database, exact)


def _hyperscan_database(words: list[bytes]) -> Any | None:
    try:
        engine: Any = importlib.import_module("hyperscan")
        database = engine.Database(mode=engine.HS_MODE_BLOCK)
        database.compile(expressions=[re2.escape(word) for word in words])
    except Exception:  # whatever a foreign build of Hyperscan lacks, RE2 finds the same lines
        return None
    return database
