"""Settle what single lines leave open, years, nodes, ranks and clocks, and state the incident's reading."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from aitia.facts.observation import (
    EVENT,
    Clock,
    Coverage,
    Observation,
    Place,
    Reading,
    Statement,
    Value,
    When,
)

from .look import Look
from .match import Found
from .naming import node_of_name, rank_of_name
from .ranks import Ranks, settle
from .sacct import ends, statements
from .settings import FileSettings, Settings
from .stamps import SECOND, Calendar, Dated, SinceBoot, Yearless, interval
from .templates import CLOCK, FROM, NODE, RANK, TO, Earlier

ABSURD = 1 << 62
"""Nanoseconds: no clock tells this (146 years)."""
BACKWARDS = 30 * SECOND
"""A boot clock that falls by more than this was started again."""


def reference_time(looks: Sequence[Look], calendar: Calendar) -> int:
    """The newest time that any source tells in full, else the newest age of a file, in nanoseconds UTC."""
    told: list[int] = []
    for look in looks:
        for stamp in (*(p.stamp for p in look.samples), *(f.stamp for f in look.found)):
            if isinstance(stamp, Dated):
                span = interval(stamp, calendar)
                told += span[:1] if span else ()
        if look.accounts is not None:
            told += [time for job in look.accounts.jobs for time in (job.start, job.end) if time]
    if told:
        return max(told)
    return max((look.modified for look in looks), default=0)


BUFFERED = 60 * SECOND
"""How long a process may hold back what it prints."""
ONE_SIDED = 3600 * SECOND
"""How far from its one timed neighbour a line without a time may have been written."""


@dataclass(slots=True)
class _Settling:
    """One source being settled."""

    look: Look
    stated: FileSettings
    calendar: Calendar
    ranks: Ranks
    default_node: str | None
    labels_are_ranks: bool
    unnamed: str | None = None
    clocks: dict[str, Clock] = field(default_factory=dict)
    nodes: set[str] = field(default_factory=set)
    wall: list[int] = field(default_factory=list)
    boots: int = 1
    last_boot: int = 0
    statements: list[Statement] = field(default_factory=list)


def settle_all(
    looks: Sequence[Look], settings: Settings, stated: Sequence[Statement], calendar: Calendar
) -> Reading:
    """The reading of an incident from the looks at its sources."""
    ranks = settle(member for look in looks for member in look.members)
    said = list(stated) + list(ranks.placements)
    jobs = [job for look in looks if look.accounts for job in look.accounts.jobs]
    accounting = statements(jobs)
    named = {s.args[0] for s in accounting if s.relation == "job"}
    said = [s for s in said if s.relation != "job" or not named] + accounting
    observations = list(ends(accounting))
    coverage: list[Coverage] = []
    clocks: dict[str, Clock] = {}
    for look in looks:
        one = _open(look, settings, calendar, ranks)
        observations += _observations(one)
        said += one.statements
        coverage.append(_coverage(one))
        for clock in one.clocks.values():
            known = clocks.get(clock.name, clock)
            clocks[clock.name] = clock if clock.error >= known.error else known
    if any(s.relation == "job_time" for s in said):
        clocks.setdefault("scheduler", Clock("scheduler", "wall", SECOND))
    return Reading(
        tuple(sorted(observations, key=lambda o: (o.place, o.kind, repr(o.facts)))),
        _distinct(said),
        tuple(sorted(coverage, key=lambda c: c.source)),
        tuple(clocks[name] for name in sorted(clocks)),
    )


def _distinct(said: Iterable[Statement]) -> tuple[Statement, ...]:
    distinct = {(s.relation, s.args, s.place): s for s in said}
    keys = sorted(distinct, key=lambda k: (k[0], [(isinstance(a, str), a) for a in k[1]], k[2]))
    return tuple(distinct[key] for key in keys)


def _open(look: Look, settings: Settings, calendar: Calendar, ranks: Ranks) -> _Settling:
    stated = settings.of_file(look.source.name)
    if stated.kind is not None and look.status not in ("failed", "empty"):
        look.kind = stated.kind
    one = _Settling(look, stated, calendar, ranks, None, _labels_are_ranks(look))
    own_host = {
        p.node
        for p in (*look.samples, *(f.peeled for f in look.found))
        if p.node is not None and p.channel in ("kernel", "host")
    }
    if stated.node is not None:
        one.default_node = stated.node
    elif len(own_host) == 1:
        one.default_node = next(iter(own_host))
    else:
        one.default_node = node_of_name(look.source.name)
    _look_at_samples(one)
    return one


def _look_at_samples(one: _Settling) -> None:
    one.nodes.update(p.node for p in one.look.samples if p.node is not None)
    accounts = one.look.accounts
    one.wall += [t for job in (accounts.jobs if accounts else ()) for t in (job.start, job.end) if t]
    for peeled in one.look.samples:
        if isinstance(peeled.stamp, Dated | Yearless):
            one.wall += interval(peeled.stamp, one.calendar) or ()
    if one.default_node is not None and one.look.kind in ("kernel", "application"):
        one.nodes.add(one.default_node)
    if one.look.kind == "kernel" and not one.nodes:
        one.default_node = _name_unnamed(one)


def _name_unnamed(one: _Settling) -> str:
    name = f"?{one.look.source.name}"
    if one.unnamed is None:
        one.unnamed = name
        one.nodes.add(name)
        one.statements.append(Statement("unnamed", (name,), Place(one.look.source.name, 0, 0, "")))
    return name


def _observations(one: _Settling) -> Iterator[Observation]:
    placed: set[tuple[int, str]] = set()
    for found in one.look.found:
        node = _node(one, found)
        rank = _rank(one, found, node)
        when = _when(one, found, node)
        place = Place(one.look.source.name, found.line, found.offset, found.text)
        if node is not None:
            one.nodes.add(node)
        if (
            rank is not None
            and found.peeled.channel == "nccl"
            and node is not None
            and (rank, node) not in placed
        ):
            placed.add((rank, node))
            one.statements.append(Statement("placement", (rank, node), place))
        facts = [(relation, _fill(args, node, rank, when)) for relation, args in found.facts]
        whole = [(relation, args) for relation, args in facts if args is not None]
        one.statements += [Statement(r, args, place) for r, args in whole if EVENT not in args]
        if found.kind is not None:
            own = tuple((r, args) for r, args in whole if EVENT in args)
            yield Observation(found.kind, place, own, when, node, rank)


def _node(one: _Settling, found: Found) -> str | None:
    if found.node is not None:
        return found.node
    if found.pattern.where == "scheduler":
        return None
    if one.default_node is not None:
        return one.default_node
    kernel = found.pattern.where == "kernel" or found.peeled.channel == "kernel"
    return _name_unnamed(one) if kernel else None


def _rank(one: _Settling, found: Found, node: str | None) -> int | None:
    if found.pattern.where in ("kernel", "scheduler"):
        return None
    if found.rank is not None:
        return found.rank
    if node is not None and found.peeled.pid is not None:
        known = one.ranks.of_process.get((node, found.peeled.pid))
        if known is not None:
            return known
    if one.labels_are_ranks and found.peeled.label is not None:
        return found.peeled.label
    return one.stated.rank if one.stated.rank is not None else rank_of_name(one.look.source.name)


def _labels_are_ranks(look: Look) -> bool:
    """Whether no line contradicts its launcher's label: one that starts a launcher on each node counts nodes."""
    told = [(p.label, p.rank) for p in (*look.samples, *(f.peeled for f in look.found))]
    told += [(m.label, m.rank) for m in look.members]
    return all(label == rank for label, rank in told if label is not None and rank is not None)


def _when(one: _Settling, found: Found, node: str | None) -> When | None:
    stamp = found.stamp
    if stamp is None:
        return _between(one, found, node)
    if isinstance(stamp, SinceBoot):
        return _boot_time(one, stamp, node)
    span = interval(stamp, one.calendar)
    if span is None or abs(span[0]) >= ABSURD:
        return None
    one.wall += span
    name = _clock_name(one, found, node)
    known = one.clocks.get(name)
    error = max(found.peeled.wall_error, known.error if known else 0)
    one.clocks[name] = Clock(name, "wall", error)
    return When(*span, name)


def _between(one: _Settling, found: Found, node: str | None) -> When | None:
    """For a line of output without a time: between its timed neighbours, allowing for buffered writes.

    Where only one side tells, an hour on the other side is allowed. Kernel lines keep to their own clock.
    """
    if found.pattern.where == "kernel" or one.look.kind == "kernel":
        return None
    above, below = (
        interval(t, one.calendar) if t is not None else None
        for t in one.look.around.get(found.line, (None, None))
    )
    if above is None and below is None:
        return None
    lo = above[0] - BUFFERED if above else below[0] - ONE_SIDED  # type: ignore[index]
    hi = below[1] + BUFFERED if below else above[1] + ONE_SIDED  # type: ignore[index]
    if hi < lo or max(abs(lo), abs(hi)) >= ABSURD:
        return None
    name = _clock_name(one, found, node)
    one.clocks.setdefault(name, Clock(name, "wall", SECOND))
    return When(lo, hi, name)


def _boot_time(one: _Settling, stamp: SinceBoot, node: str | None) -> When | None:
    if stamp.ns >= ABSURD:
        return None
    if stamp.ns < one.last_boot - BACKWARDS:
        one.boots += 1
    one.last_boot = stamp.ns
    name = f"boot:{node or one.look.source.name}" + (f"#{one.boots}" if one.boots > 1 else "")
    one.clocks[name] = Clock(name, "boot", 0)
    return When(stamp.ns, stamp.ns + stamp.after, name)


def _clock_name(one: _Settling, found: Found, node: str | None) -> str:
    if not found.own_clock or one.look.kind == "scheduler":
        return "scheduler"
    return node or "job"


def _fill(
    args: Sequence[Value | Earlier], node: str | None, rank: int | None, when: When | None
) -> tuple[Value, ...] | None:
    """Put the record's own values in; None where one that is needed is not known."""
    own: dict[Value, Value | None] = {
        NODE: node,
        RANK: rank,
        FROM: when.lo if when else None,
        TO: when.hi if when else None,
        CLOCK: when.clock if when else None,
    }
    filled: list[Value] = []
    for arg in args:
        value: Value | None
        if isinstance(arg, Earlier):
            end = own[arg.end]
            value = end - arg.ns if isinstance(end, int) else None
        else:
            value = own.get(arg, arg) if isinstance(arg, str) else arg
        if value is None or (isinstance(value, int) and not -(2**63) <= value < 2**63):
            return None
        filled.append(value)
    return tuple(filled)


def _coverage(one: _Settling) -> Coverage:
    look = one.look
    nodes = () if look.kind in ("scheduler", "unknown") else tuple(sorted(one.nodes))
    return Coverage(
        source=look.source.name,
        kind=look.kind,
        status=look.status,
        reason="; ".join(look.reasons) or None,
        records=look.records,
        unparsed=look.unparsed,
        lo=min(one.wall, default=None),
        hi=max(one.wall, default=None),
        nodes=nodes,
        digest=look.digest,
    )
