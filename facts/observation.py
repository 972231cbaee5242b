"""What a connector may say: observations, statements and coverage. It never says what caused what."""

from dataclasses import dataclass

Value = str | int

EVENT = "\0event"
"""Stands in an observation's facts for the event's own name, which is given when the base is built."""

TEXT_LIMIT = 4096
"""Characters of a raw line that are kept as evidence; a longer line is cut and ends in ``…``."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a record stands, so that it can be opened again.

    ``line`` counts from 1 (0 where the source has no lines); ``offset`` is the byte offset of the
    record's first byte in the uncompressed content; ``text`` is the raw line, decoded.
    """

    source: str
    line: int
    offset: int
    text: str


@dataclass(frozen=True, slots=True)
class When:
    """A time interval in integer nanoseconds UTC (or since boot) and the clock that told it."""

    lo: int
    hi: int
    clock: str


@dataclass(frozen=True, slots=True)
class Observation:
    """One record that was understood.

    ``facts`` are ``(relation, arguments)``, with ``EVENT`` where the event's name belongs. Time, node and
    rank become rows of ``at``, ``on_node`` and ``of_rank``.
    """

    kind: str
    place: Place
    facts: tuple[tuple[str, tuple[Value, ...]], ...]
    when: When | None = None
    node: str | None = None
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact that is no event (a job's state, a placement), with its evidence."""

    relation: str
    args: tuple[Value, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock that times refer to: ``kind`` is wall or boot, ``error`` in nanoseconds."""

    name: str
    kind: str
    error: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far a source was read.

    ``status``: ok, partial (truncated, damaged or bounded), empty, failed. ``records`` is the number of lines or
    records seen, ``unparsed`` those that looked like something known and could not be understood.
    ``lo`` and ``hi`` bound the times seen (nanoseconds UTC), None where no wall time was seen.
    ``digest`` is the SHA-256 of the bytes read, in hexadecimal.
    """

    source: str
    kind: str
    status: str
    reason: str | None = None
    records: int = 0
    unparsed: int = 0
    lo: int | None = None
    hi: int | None = None
    nodes: tuple[str, ...] = ()
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """All that connectors said about one incident."""

    observations: tuple[Observation, ...] = ()
    statements: tuple[Statement, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    clocks: tuple[Clock, ...] = ()
