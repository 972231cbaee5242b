"""One hit line, or part of a line, and the patterns: what it says, with time, node and rank still as printed.

Invariant: the first pattern in pack order decides what a line is; others add to it only where they say so.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from aitia.facts.observation import TEXT_LIMIT

from .packs import Pattern
from .peel import Peeled, peel, short_host
from .scan import Hit
from .stamps import Stamp, parse_iso
from .templates import Filled, NoValueError, clean, fill

_GLUE = re.compile(rb"\[rank\d{1,6}\]:|\[\d{1,4},\d{1,6}\]<std(?:out|err)>:")
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)")
_LINE_TEXT = 1 << 16
RANK_DIGITS = 6
"""A longer number is no rank."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a line said. ``own_clock``: the time is the line's own, not one of the scheduler's in its text."""

    pattern: Pattern
    kind: str | None
    line: int
    offset: int
    text: str
    facts: tuple[Filled, ...]
    peeled: Peeled
    stamp: Stamp | None
    own_clock: bool
    node: str | None
    rank: int | None


@dataclass(frozen=True, slots=True)
class Understood:
    """What came of a part. ``suspicious``: it looked like something known and was not understood.

    ``tried`` names the patterns that were tried on it.
    """

    found: Found | None
    suspicious: bool
    tried: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A line, or what follows a second rank prefix in it."""

    line: int
    offset: int
    text: str


def decode(raw: bytes) -> str:
    """A line as text: UTF-8, else Latin-1; without NULs, colours and a byte order mark."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    return text.replace("\0", "").removeprefix("\ufeff")


def parts(hit: Hit) -> Iterator[Part]:
    """The line, cut before each rank prefix that follows more than prefixes."""
    start = 0
    for glue in _GLUE.finditer(hit.raw):
        before = hit.raw[start : glue.start()]
        if before.strip() and peel(decode(before)).body.strip():
            yield Part(hit.line, hit.offset + start, decode(before))
            start = glue.start()
    yield Part(hit.line, hit.offset + start, decode(hit.raw[start:]))


@dataclass(frozen=True, slots=True)
class Matcher:
    """The patterns, and for each literal the patterns that it calls for (bit ``n`` for pattern ``n``)."""

    patterns: tuple[Pattern, ...]
    calls: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, patterns: Sequence[Pattern]) -> "Matcher":
        """A matcher that tries patterns in the order given."""
        calls: dict[str, int] = {}
        for number, pattern in enumerate(patterns):
            for word in pattern.literals:
                calls[word] = calls.get(word, 0) | 1 << number
        return cls(tuple(patterns), tuple(calls.items()))

    def called(self, text: str) -> Iterator[Pattern]:
        """The patterns of which a literal stands in the text, in order."""
        bits = 0
        for word, mask in self.calls:
            if word in text:
                bits |= mask
        while bits:
            lowest = bits & -bits
            yield self.patterns[lowest.bit_length() - 1]
            bits ^= lowest

    def understand(self, part: Part) -> "Understood":
        """What the patterns make of a part."""
        peeled = peel(part.text[:_LINE_TEXT].rstrip())
        body = peeled.body.encode("utf-8", "replace")
        main: Found | None = None
        extra: list[Filled] = []
        tried: list[str] = []
        suspicious = False
        for pattern in self.called(part.text):
            if main is not None and not pattern.also:
                continue
            if peeled.channel == "kernel" and pattern.where in ("application", "scheduler"):
                continue
            tried.append(pattern.name)
            groups = pattern.regex.find(body)
            facts = None if groups is None else _facts(pattern, groups)
            if groups is None or facts is None:
                suspicious = suspicious or groups is not None or not pattern.common
            elif pattern.also:
                extra += facts
            else:
                main = _found(part, pattern, peeled, groups, facts)
        if main is not None and extra:
            main = replace(main, facts=tuple(dict.fromkeys((*main.facts, *extra))))
        return Understood(main, suspicious and main is None, tuple(tried))


def with_context(found: Found, lent: Found | None) -> Found:
    """A line with the node, rank and time that an earlier line gave, where it has none of its own."""
    if lent is None:
        return found
    return replace(
        found,
        node=found.node or lent.node,
        rank=lent.rank if found.rank is None else found.rank,
        stamp=found.stamp or lent.stamp,
    )


def _facts(pattern: Pattern, groups: dict[str, str | None]) -> tuple[Filled, ...] | None:
    """The facts of a match, None where a value is not of its kind."""
    try:
        made = [fill(template, groups, pattern.maps) for template in pattern.makes]
    except NoValueError:
        return None
    return tuple(fact for fact in made if fact is not None)


def _found(
    part: Part, pattern: Pattern, peeled: Peeled, groups: dict[str, str | None], facts: tuple[Filled, ...]
) -> Found:
    at = groups.get("at")
    stamp = parse_iso(at) if at else peeled.stamp
    node = groups.get("node")
    return Found(
        pattern=pattern,
        kind=pattern.kind,
        line=part.line,
        offset=part.offset,
        text=_evidence(part.text),
        facts=facts,
        peeled=peeled,
        stamp=stamp,
        own_clock=pattern.clock == "line" or not at,
        node=clean(short_host(node)) if node else peeled.node,
        rank=_rank(groups.get("rank"), peeled.rank, groups.get("rank_hint")),
    )


def _rank(stated: str | None, prefixed: int | None, hinted: str | None) -> int | None:
    """The group ``rank`` is surer than the prefix, that surer than ``rank_hint`` (a rank in some group)."""
    if stated is not None and len(stated) <= RANK_DIGITS:
        return int(stated)
    if prefixed is None and hinted is not None and len(hinted) <= RANK_DIGITS:
        return int(hinted)
    return prefixed


def _evidence(text: str) -> str:
    text = text.rstrip("\n")
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1] + "…"
