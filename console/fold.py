"""Many names in few characters: hostlists (``node-[01-04,07]``) and ranges of ranks (``0-3,7``)."""

import re
from collections.abc import Iterable

_TAIL = re.compile(r"(.*?)(\d+)(\D*)", re.DOTALL)


def ranges(numbers: Iterable[int]) -> str:
    """``0-3,7`` for 0, 1, 2, 3, 7."""
    return ",".join(
        a if a == b else f"{a}-{b}" for a, b in _runs([(n, str(n)) for n in sorted(set(numbers))])
    )


def hostlist(names: Iterable[str]) -> str:
    """Names in Slurm's notation: those that differ only in their last number share a bracket."""
    parted = {name: _TAIL.fullmatch(name) for name in sorted(set(names))}
    shapes = {(m[1], m[3], len(m[2])) for m in parted.values() if m and len(m[2]) > 1 and m[2][0] == "0"}
    groups: dict[tuple[str, str, int], list[tuple[int, str]]] = {}
    folded = [name for name, m in parted.items() if m is None]
    for m in filter(None, parted.values()):
        head, digits, tail = m[1], m[2], m[3]
        width = len(digits) if (head, tail, len(digits)) in shapes else 0
        groups.setdefault((head, tail, width), []).append((int(digits), digits))
    for (head, tail, _), members in groups.items():
        inside = ",".join(a if a == b else f"{a}-{b}" for a, b in _runs(sorted(members)))
        folded.append(f"{head}[{inside}]{tail}" if len(members) > 1 else f"{head}{inside}{tail}")
    return ",".join(sorted(folded))


def _runs(members: list[tuple[int, str]]) -> Iterable[tuple[str, str]]:
    """First and last of each run of consecutive numbers, as written."""
    start = 0
    for i in range(1, len(members) + 1):
        if i == len(members) or members[i][0] != members[i - 1][0] + 1:
            yield members[start][1], members[i - 1][1]
            start = i
