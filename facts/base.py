"""The fact base: ground facts in canonical order, the evidence of each, and what was looked at.

Equal facts are one; their evidence joins. The same readings give the same base, whatever their order.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aitia.engine.errors import FactError

from .observation import EVENT, Clock, Coverage, Observation, Place, Reading, Value
from .schema import Schema

if TYPE_CHECKING:
    import pandas

Row = tuple[Value, ...]
NO_PLACES: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class FactBase:
    """``rows`` are sorted by value in each relation; ``evidence`` maps ``(relation, row)`` to sorted places."""

    schema: Schema
    rows: Mapping[str, tuple[Row, ...]]
    evidence: Mapping[tuple[str, Row], tuple[Place, ...]] = field(default_factory=dict)
    coverage: tuple[Coverage, ...] = ()

    def places(self, relation: str, row: Row) -> tuple[Place, ...]:
        """Where this fact was read; empty for a fact without evidence."""
        return self.evidence.get((relation, row), NO_PLACES)

    def count(self) -> int:
        """Number of facts."""
        return sum(map(len, self.rows.values()))

    def frame(self, relation: str) -> "pandas.DataFrame":
        """One relation as a pandas frame, a column for each declared column."""
        import pandas

        if relation not in self.schema.decls:
            raise FactError(f"there is no relation `{relation}`")
        names = [p.name for p in self.schema.decls[relation].params]
        return pandas.DataFrame(list(self.rows.get(relation, ())), columns=names)

    @classmethod
    def from_frames(cls, schema: Schema, frames: "Mapping[str, pandas.DataFrame]") -> "FactBase":
        """A base from pandas frames, one for each relation; columns are matched by name.

        Raises FactError for an unknown relation, a missing column, or a value of the wrong type.
        """
        rows: dict[str, set[Row]] = {}
        for relation, frame in frames.items():
            if relation not in schema.decls:
                raise FactError(f"there is no relation `{relation}`")
            names = [p.name for p in schema.decls[relation].params]
            missing = [n for n in names if n not in frame.columns]
            if missing:
                raise FactError(f"the frame of `{relation}` has no column {', '.join(missing)}")
            for values in frame[names].itertuples(index=False, name=None):
                row = tuple(v.item() if hasattr(v, "item") else v for v in values)
                schema.require(relation, row)
                rows.setdefault(relation, set()).add(row)
        return cls(schema, {r: tuple(sorted(s)) for r, s in sorted(rows.items())})


def build(schema: Schema, reading: Reading) -> FactBase:
    """Name the events, state the facts, join equal ones.

    Events are named e1, e2, … in order of time, then of source and line; those without a time come last.
    Raises FactError when a connector says something that the schema does not declare: that is a fault of
    the connector, not of its input.
    """
    found: dict[tuple[str, Row], set[Place]] = {}

    def say(relation: str, row: Row, place: Place | None) -> None:
        schema.require(relation, row)
        found.setdefault((relation, row), set()).update((place,) if place else ())

    wall = {c.name for c in reading.clocks if c.kind == "wall"}
    for number, seen in enumerate(sorted(reading.observations, key=lambda o: _order(o, wall)), 1):
        for relation, row in _facts_of(f"e{number}", seen):
            say(relation, row, seen.place)
    for statement in reading.statements:
        say(statement.relation, statement.args, statement.place)
    for clock in reading.clocks:
        say(*_clock_fact(clock), None)
    for source in reading.coverage:
        for relation, row in _coverage_facts(source):
            say(relation, row, None)
    rows: dict[str, list[Row]] = {}
    for relation, row in sorted(found, key=lambda key: key):
        rows.setdefault(relation, []).append(row)
    evidence = {key: tuple(sorted(places)) for key, places in sorted(found.items()) if places}
    coverage = tuple(sorted(reading.coverage, key=lambda c: (c.source, c.kind)))
    return FactBase(schema, {r: tuple(v) for r, v in rows.items()}, evidence, coverage)


def _order(seen: Observation, wall: set[str]) -> tuple[bool, int, Place, str, str]:
    timed = seen.when is not None and seen.when.clock in wall
    at = seen.when.lo if timed and seen.when else 0
    return (not timed, at, seen.place, seen.kind, repr(seen.facts))


def _facts_of(event: str, seen: Observation) -> Iterable[tuple[str, Row]]:
    yield "event", (event, seen.kind, seen.place.source, seen.place.line)
    if seen.when:
        yield "at", (event, seen.when.lo, seen.when.hi, seen.when.clock)
    if seen.node:
        yield "on_node", (event, seen.node)
    if seen.rank is not None:
        yield "of_rank", (event, seen.rank)
    for relation, args in seen.facts:
        yield relation, tuple(event if a == EVENT else a for a in args)


def _clock_fact(clock: Clock) -> tuple[str, Row]:
    return "clock", (clock.name, clock.kind, clock.error)


def _coverage_facts(source: Coverage) -> Iterable[tuple[str, Row]]:
    yield "source", (source.source, source.kind, source.status)
    for node in source.nodes:
        yield "covers_node", (source.source, node)
    if source.lo is not None and source.hi is not None:
        yield "covers_time", (source.source, source.lo, source.hi)
