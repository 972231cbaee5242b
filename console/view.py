"""What the model says of single events, looked up once: kind, place, time, node, rank, evidence."""

from collections import defaultdict
from dataclasses import dataclass, field

from aitia.engine.model import Model
from aitia.facts.base import FactBase
from aitia.facts.observation import Place

from .diagnosis import Moment
from .times import iso

NOWHERE = Place("", 0, 0, "")


@dataclass
class View:
    """Indexes over the ground facts of one case."""

    base: FactBase
    model: Model
    kinds: dict[str, str] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    moments: dict[str, tuple[int, int, str]] = field(default_factory=dict)
    nodes: dict[tuple[str, str], str] = field(default_factory=dict)
    stated: dict[str, str] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)
    blamed: dict[str, int] = field(default_factory=dict)
    repeats: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    unnamed: frozenset[str] = frozenset()
    wall: frozenset[str] = frozenset()

    def moment(self, event: str) -> Moment:
        """When the event began; ends are null without a wall clock."""
        found = self.moments.get(event)
        if found is None:
            return Moment(begin=None, end=None, clock=None)
        lo, hi, clock = found
        if clock not in self.wall:
            return Moment(begin=None, end=None, clock=clock)
        return Moment(begin=iso(lo), end=iso(hi), clock=clock)

    def node(self, event: str, attempt: str | None = None) -> str | None:
        """The node of the event, as the attempt places it or as its record states it; None without a name."""
        node = self.stated.get(event, "") if attempt is None else self.nodes.get((attempt, event), "")
        return self.named(node)

    def named(self, node: str) -> str | None:
        """A node's name, or None for a host that no source names."""
        return None if not node or node in self.unnamed else node

    def order(self, event: str) -> tuple[int, str]:
        """Events in order of their numbers (e2 before e10)."""
        number = event[1:]
        return (int(number) if number.isdigit() else 0, event)


def view(base: FactBase, model: Model) -> View:
    """Look everything up once."""
    made = View(base, model)
    for row in base.rows.get("event", ()):
        made.kinds[str(row[0])] = str(row[1])
        made.places[str(row[0])] = next(iter(base.places("event", row)), NOWHERE)
    for name, lo, hi, clock in model.rows("moment"):
        made.moments[str(name)] = (int(lo), int(hi), str(clock))
    for attempt, event, node in model.rows("node_of"):
        made.nodes[str(attempt), str(event)] = str(node)
    made.stated = {str(e): str(n) for e, n in base.rows.get("on_node", ())}
    made.ranks = {str(e): int(r) for e, r in base.rows.get("of_rank", ())}
    made.blamed = {str(e): int(r) for e, r in model.rows("rank_to_blame")}
    for again, first in model.rows("repeats"):
        made.repeats[str(first)].append(str(again))
    made.unnamed = frozenset(str(n) for (n,) in base.rows.get("unnamed", ()))
    made.wall = frozenset(str(c) for c, kind, _ in base.rows.get("clock", ()) if kind == "wall")
    return made
