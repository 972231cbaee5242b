"""When a line without a time was written: between the nearest lines above and below it that tell one.

The work per line is bounded, and what was looked at for one line is not looked at again for the next.
"""

from dataclasses import dataclass

from .match import decode
from .peel import peel
from .scan import Hit
from .stamps import Dated, Yearless

LINES = 200
"""Lines that are looked at in each direction."""
REACH = 64 << 10
"""Bytes that are looked at in each direction."""

Told = Dated | Yearless | None


@dataclass(slots=True)
class Surroundings:
    """Times around the hits of one stream, asked for in the order of the stream."""

    _seen_to: int = 0
    _above: Told = None
    _next_at: int = -1
    _below: Told = None

    def of(self, hit: Hit) -> tuple[Told, Told]:
        """The times of the nearest timed line above and below; None where none is near."""
        self._look_up(hit)
        self._look_down(hit)
        return self._above, self._below

    def _look_up(self, hit: Hit) -> None:
        base, start = hit.offset - hit.start, hit.start
        first = max(start - REACH, self._seen_to - base, 0)
        lines = hit.chunk[first:start].replace(b"\r", b"\n").split(b"\n")
        for raw in reversed(lines[-LINES:]):
            if told := _time(raw):
                self._above = told
                break
        self._seen_to = hit.offset

    def _look_down(self, hit: Hit) -> None:
        base, end = hit.offset - hit.start, hit.start + len(hit.raw)
        if self._next_at >= base + end:
            return
        self._below, at = None, end + 1
        for raw in hit.chunk[at : at + REACH].replace(b"\r", b"\n").split(b"\n")[:LINES]:
            if told := _time(raw):
                self._below, self._next_at = told, base + at
                return
            at += len(raw) + 1
        self._next_at = base + at


def _time(raw: bytes) -> Told:
    if not raw.strip():
        return None
    stamp = peel(decode(raw[:500])).stamp
    return stamp if isinstance(stamp, Dated | Yearless) else None
