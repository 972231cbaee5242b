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
    groups: dict[tuple[str, str, int], list[tuple[int, str]]] = {}
    plain: list[str] = []
    for name in sorted(set(names)):
        found = _TAIL.fullmatch(name)
        if found:
            head, digits, tail = found.groups()
            padded = len(digits) if len(digits) > 1 and digits.startswith("0") else 0
            groups.setdefault((head, tail, padded), []).append((int(digits), digits))
        else:
            plain.append(name)
    folded = []
    for (head, tail, _), members in groups.items():
        members.sort()
        if len(members) == 1:
            folded.append(f"{head}{members[0][1]}{tail}")
        else:
            inside = ",".join(a if a == b else f"{a}-{b}" for a, b in _runs(members))
            folded.append(f"{head}[{inside}]{tail}")
    return ",".join(sorted(plain + folded))


def _runs(members: list[tuple[int, str]]) -> Iterable[tuple[str, str]]:
    start = 0
    for i in range(1, len(members) + 1):
        if (
            i == len(members)
            or members[i][0] != members[i - 1][0] + 1
            or len(members[i][1]) != len(members[start][1])
        ):
            yield members[start][1], members[i - 1][1]
            start = i
