"""What a proof is made of. Values only: nothing here looks anything up.

The invariant: a ``Derived`` node holds one premise for each literal of its rule's body, in source order, and
the levels of its premises are below its own. Nodes are shared, so a proof is a graph that reads as a tree;
``Derived`` compares by identity, since comparing whole trees would repeat what they share.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal as OneOf
from typing import overload

from .syntax import Aggregate, Compare, Not, Rule, Span

Value = str | int
Row = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """A leaf: a fact handed in (``origin`` is ``"fact"``) or one of the program (its place)."""

    relation: str
    row: Row
    origin: OneOf["fact"] | Span

    @property
    def level(self) -> int:
        return 0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Derived:
    """``row`` follows by ``rule`` under ``bindings`` from ``premises``."""

    relation: str
    row: Row
    rule: Rule
    bindings: dict[str, Value]
    premises: tuple["Premise", ...]
    level: int

    def __repr__(self) -> str:
        return f"Derived({self.relation}{self.row!r} by {self.rule.name}, level {self.level})"


@dataclass(frozen=True, slots=True)
class Absent:
    """No row of ``relation`` fits ``pattern`` (None fits every value)."""

    relation: str
    pattern: tuple[Value | None, ...]
    literal: Not


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison that holds, with the values of both sides."""

    op: str
    left: Value
    right: Value
    literal: Compare


@dataclass(frozen=True, slots=True)
class Aggregated:
    """``value`` is the ``kind`` over ``group``, the distinct rows that the body of the aggregate used.

    Rows come relation by relation, in order of first use, then in value order. ``bindings`` are the variables
    that the aggregate shares with its rule.
    """

    kind: str
    value: Value
    group: "Group"
    bindings: dict[str, Value] = field(compare=False)
    literal: Aggregate


class Group(Sequence["Proof"]):
    """The rows under an aggregate; the proof of each is made when it is looked at.

    ``rows`` are pairs of relation and row and cost nothing.
    """

    __slots__ = ("_prove", "rows")

    def __init__(self, rows: tuple[tuple[str, Row], ...], prove: "Callable[[str, Row], Proof]") -> None:
        self.rows = rows
        self._prove = prove

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> "Proof": ...
    @overload
    def __getitem__(self, place: slice) -> "tuple[Proof, ...]": ...
    def __getitem__(self, place: int | slice) -> "Proof | tuple[Proof, ...]":
        if isinstance(place, slice):
            return tuple(self._prove(*row) for row in self.rows[place])
        return self._prove(*self.rows[place])

    def __iter__(self) -> "Iterator[Proof]":
        return (self._prove(*row) for row in self.rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Group) and self.rows == other.rows

    def __hash__(self) -> int:
        return hash(self.rows)

    def __repr__(self) -> str:
        return f"Group of {len(self.rows)}"


Proof = Given | Derived
Premise = Given | Derived | Absent | Compared | Aggregated

_PLACE = re.compile(r"\{([A-Za-z_][A-Za-z_0-9]*)\}")


def reading(derived: Derived) -> str:
    """The rule's reading with its ``{variable}`` places filled in; empty if the rule has none.

    A place that the rule does not bind stays as it is written.
    """

    def fill(found: re.Match[str]) -> str:
        value = derived.bindings.get(found.group(1))
        return found.group(0) if value is None else str(value)

    return _PLACE.sub(fill, derived.rule.doc.reading)


def walk(proof: Proof) -> Iterator[Proof]:
    """Each node of a proof once, conclusions before premises; groups of aggregates are not entered."""
    seen: set[int] = set()
    stack: list[Proof] = [proof]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if isinstance(node, Derived):
            stack.extend(p for p in reversed(node.premises) if isinstance(p, Given | Derived))
