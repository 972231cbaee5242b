"""Which rank ran where, from NCCL's own lines: a member of a communicator names its rank, process and host.

Invariant: only the largest communicator seen counts as the job's, and only ranks that it places on one host.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from aitia.facts.observation import TEXT_LIMIT, Place, Statement

from .match import Part
from .peel import peel

LITERAL = b" nranks "
_MEMBER = re.compile(
    r"\bcomm 0x[0-9a-f]{1,16} rank (\d{1,6}) nranks (\d{1,6})\b(?:[\w ]{0,80} busId ([0-9a-f]{3,9})\b)?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Member:
    """A process of a communicator of ``size`` ranks; ``label`` is what a launcher put before its line.

    ``device`` is the PCI address of its GPU, empty where the line does not tell.
    """

    label: int | None
    size: int
    rank: int
    node: str
    pid: int
    place: Place
    device: str = ""


def member_of(part: Part, source: str) -> Member | None:
    """The member that a line tells of, None where it tells of none."""
    found = _MEMBER.search(part.text[:4096])
    if found is None:
        return None
    peeled = peel(part.text[:4096])
    if peeled.node is None or peeled.pid is None:
        return None
    place = Place(source, part.line, part.offset, part.text[:TEXT_LIMIT])
    device = _address(found[3]) if found[3] else ""
    return Member(peeled.label, int(found[2]), int(found[1]), peeled.node, peeled.pid, place, device)


def _address(bus_id: str) -> str:
    """NCCL's busId (domain, bus, device and function in one number: 5d000) as a PCI address."""
    number = int(bus_id, 16)
    return f"{number >> 20:04x}:{number >> 12 & 0xFF:02x}:{number >> 4 & 0xFF:02x}"


@dataclass(frozen=True, slots=True)
class Ranks:
    """Where ranks ran and on which GPU, how many there were, and the rank of a process on a node."""

    placements: tuple[Statement, ...]
    of_process: Mapping[tuple[str, int], int]


def settle(members: Iterable[Member]) -> Ranks:
    """Judge all members of an incident together."""
    seen = list(members)
    world = max((m.size for m in seen), default=0)
    homes: dict[int, dict[tuple[str, int], Place]] = {}
    for member in sorted((m for m in seen if m.size == world), key=lambda m: m.place):
        homes.setdefault(member.rank, {}).setdefault((member.node, member.pid), member.place)
    placements: list[Statement] = []
    processes: dict[tuple[str, int], set[int]] = {}
    for rank, places in sorted(homes.items()):
        if len({node for node, _ in places}) != 1:
            continue
        (node, _), place = next(iter(places.items()))
        placements.append(Statement("placement", (rank, node), place))
        devices = {m.device for m in seen if m.size == world and m.rank == rank}
        if len(devices) == 1 and (device := devices.pop()):
            placements.append(Statement("rank_device", (rank, node, device), place))
        for process in places:
            processes.setdefault(process, set()).add(rank)
    if placements:
        placements.append(Statement("world_size", (world,), placements[0].place))
    sure = {process: next(iter(found)) for process, found in processes.items() if len(found) == 1}
    return Ranks(tuple(placements), sure)
