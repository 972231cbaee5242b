"""Find the lines of a byte stream that may matter, without decoding the others.

One RE2 alternation of literals runs over whole blocks; newlines are counted by ``bytes.count``. Invariant:
memory is bounded by a few blocks for any length of file or line.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from .automaton import Finder

WINDOW = 64 << 10
"""Bytes kept of a line that is longer than this, around the hit."""
SAMPLE = 64 << 10
"""Bytes of the beginning and of the end of a stream that are kept for a look at its shape and times."""
CUT = "…".encode()


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that holds a literal: its number from 1, the offset of its first byte, and its bytes.

    ``chunk`` is what was in memory around it, ``start`` its place in there.
    """

    line: int
    offset: int
    raw: bytes
    chunk: bytes = field(default=b"", repr=False, compare=False)
    start: int = field(default=0, compare=False)


@dataclass(slots=True)
class Scan:
    """A pass over one stream; the counters are complete when ``hits`` is exhausted.

    ``finder`` may be exchanged while hits are taken; the new one is used from the next block on.
    """

    finder: Finder | None
    lines: int = 0
    size: int = 0
    head: bytes = b""
    tail: bytes = b""
    _ended: bool = field(default=True, repr=False)

    def hits(self, blocks: Iterable[bytes]) -> Iterator[Hit]:
        """The hit lines in order. A line ends at a line feed or a carriage return; line feeds are counted."""
        buffer, base, inside = b"", 0, False
        for block in blocks:
            self._note(block)
            buffer += block
            end = max(buffer.rfind(b"\n"), buffer.rfind(b"\r")) + 1
            if end == 0 and len(buffer) <= 4 * WINDOW:
                continue
            if end:
                yield from self._whole_lines(buffer[:end], base, inside)
                buffer, base, inside = buffer[end:], base + end, False
            if len(buffer) > 4 * WINDOW:
                keep = len(buffer) - WINDOW
                yield from self._long_line(buffer, base, keep, inside)
                buffer, base, inside = buffer[keep:], base + keep, True
        if buffer:
            yield from self._whole_lines(buffer, base, inside)
        if not self._ended:
            self.lines += 1

    def _note(self, block: bytes) -> None:
        if not block:
            return
        if len(self.head) < SAMPLE:
            self.head += block[: SAMPLE - len(self.head)]
        self.tail = block[-SAMPLE:] if len(block) >= SAMPLE else (self.tail + block)[-SAMPLE:]
        self.size += len(block)
        self._ended = block.endswith(b"\n")

    def _whole_lines(self, chunk: bytes, base: int, inside: bool) -> Iterator[Hit]:
        """Hits of a chunk that ends at a line's end; ``inside``: it begins within a line too long to keep."""
        at = counted = 0
        finder = self.finder
        for found in finder.positions(chunk) if finder else ():
            if found < at:
                continue
            start = max(chunk.rfind(b"\n", at, found), chunk.rfind(b"\r", at, found), at - 1) + 1
            end = _line_end(chunk, found)
            self.lines += chunk.count(b"\n", counted, start)
            counted = start
            if finder is not None and end - start > WINDOW:
                found = finder.first(chunk, start, end) or start
            yield self._cut(chunk, base, (start, found, end), inside and start == 0)
            at = end + 1
        self.lines += chunk.count(b"\n", counted)

    def _long_line(self, buffer: bytes, base: int, keep: int, inside: bool) -> Iterator[Hit]:
        """Hits before ``keep`` in a buffer within one line; the rest is seen again with what follows."""
        if self.finder is None:
            return
        at = 0
        while (found := self.finder.first(buffer, at, len(buffer))) is not None and found < keep:
            yield self._cut(buffer, base, (0, found, len(buffer)), inside)
            at = found + WINDOW // 2

    def _cut(self, chunk: bytes, base: int, span: tuple[int, int, int], cut_front: bool) -> Hit:
        start, found, end = span
        if end - start <= WINDOW and not cut_front:
            return Hit(self.lines + 1, base + start, chunk[start:end], chunk, start)
        first = start if found - start < WINDOW // 2 else found - WINDOW // 2
        last = min(end, first + WINDOW)
        front = CUT if cut_front or first > start else b""
        raw = front + chunk[first:last] + (CUT if last < end else b"")
        return Hit(self.lines + 1, base + first, raw, chunk, first)


def sample_lines(sample: bytes, whole: bool) -> Sequence[bytes]:
    """The lines of a sample; the first may be cut unless ``whole`` says that the sample begins at a line."""
    lines = sample.replace(b"\r", b"\n").split(b"\n")
    return lines if whole else lines[1:]


def _line_end(chunk: bytes, found: int) -> int:
    end = chunk.find(b"\n", found)
    end = len(chunk) if end < 0 else end
    early = chunk.find(b"\r", found, end)
    return end if early < 0 else early
