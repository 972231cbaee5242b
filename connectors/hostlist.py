"""Slurm host lists: ``gpu[001-003,010],cpu[1-2]-ib[0-1]``.

Written from the notation alone; every list has a bound on how many names it may give.
"""

import re
from itertools import product

CAP = 65_536


class HostlistError(ValueError):
    """The text is no host list, or names too many hosts."""


def expand(text: str, cap: int = CAP) -> tuple[str, ...]:
    """The hosts of a list in order; zero padding survives.

    Raises HostlistError for what is no list, and before more than ``cap`` names are made.
    """
    names: list[str] = []
    for part in _split(text):
        pieces = [_choices(piece, cap) for piece in re.split(r"(\[[^\[\]]*\])", part) if piece]
        count = 1
        for choices in pieces:
            count *= len(choices)
            if count + len(names) > cap:
                raise HostlistError(f"the host list names more than {cap} hosts")
        names += ["".join(chosen) for chosen in product(*pieces)] if pieces else []
    return tuple(names)


def _split(text: str) -> list[str]:
    """Cut at commas outside brackets."""
    parts, start, inside = [], 0, False
    for at, char in enumerate(text):
        if char == "[":
            if inside:
                raise HostlistError("a bracket inside a bracket")
            inside = True
        elif char == "]":
            if not inside:
                raise HostlistError("a closing bracket without an opening one")
            inside = False
        elif char == "," and not inside:
            parts.append(text[start:at].strip())
            start = at + 1
    if inside:
        raise HostlistError("a bracket is not closed")
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def _choices(piece: str, cap: int) -> list[str]:
    if not piece.startswith("["):
        if not re.fullmatch(r"[\w.:-]+", piece, re.ASCII):
            raise HostlistError(f"`{piece[:40]}` is no host name")
        return [piece]
    found: list[str] = []
    for item in piece[1:-1].split(","):
        bounds = re.fullmatch(r"\s*(\d{1,18})(?:-(\d{1,18}))?\s*", item, re.ASCII)
        if bounds is None:
            raise HostlistError(f"`{item[:40]}` is no range")
        low, high = int(bounds[1]), int(bounds[2] or bounds[1])
        if high < low or high - low >= cap - len(found):
            raise HostlistError(f"the range `{item[:40]}` is empty or names more than {cap} hosts")
        found += [str(number).zfill(len(bounds[1])) for number in range(low, high + 1)]
    return found
