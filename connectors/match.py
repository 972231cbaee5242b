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


def understand(part: Part, patterns: Sequence[Pattern]) -> tuple[Found | None, bool]:
    """What the patterns make of a part, and whether it looked like something and was not understood."""
    peeled = peel(part.text[:_LINE_TEXT].rstrip())
    main: Found | None = None
    extra: list[Filled] = []
    suspicious = False
    for pattern in patterns:
        if main is not None and not pattern.also:
            continue
        if not any(word in part.text for word in pattern.literals):
            continue
        if peeled.channel == "kernel" and pattern.where in ("application", "scheduler"):
            continue
        found = pattern.regex.search(peeled.body)
        if found is None:
            suspicious = suspicious or not pattern.common
            continue
        try:
            facts = _facts(pattern, found.groupdict())
        except NoValueError:
            suspicious = True
            continue
        if pattern.also:
            extra += facts
        if main is None and not pattern.also:
            main = _found(part, pattern, peeled, found.groupdict(), facts)
    if main is None:
        return None, suspicious
    if not extra:
        return main, False
    return _with_facts(main, extra), False


def _facts(pattern: Pattern, groups: dict[str, str | None]) -> tuple[Filled, ...]:
    made = (fill(template, groups, pattern.maps) for template in pattern.makes)
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


def _with_facts(main: Found, extra: list[Filled]) -> Found:
    return replace(main, facts=tuple(dict.fromkeys((*main.facts, *extra))))


def _evidence(text: str) -> str:
    text = text.rstrip("\n")
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1] + "…"
