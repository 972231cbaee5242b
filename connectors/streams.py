"""Open a file of any size, compressed or not, as bounded blocks of bytes.

Invariant: memory stays bounded whatever the file holds; a damaged or exploding stream gives what could be
read and a reason, never an exception.
"""

import bz2
import codecs
import hashlib
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

BLOCK = 1 << 20
RATIO_LIMIT = 200
FREE_OUTPUT = 256 << 20
"""What a compressed file may give whatever its ratio; beyond, at most RATIO_LIMIT times its size."""
LZMA_MEMORY = 256 << 20

ARCHIVES: tuple[tuple[int, bytes, str], ...] = (
    (0, b"PK\x03\x04", "zip"),
    (0, b"\x28\xb5\x2f\xfd", "zstd"),
    (257, b"ustar", "tar"),
    (0, b"7z\xbc\xaf\x27\x1c", "7z"),
)


class Inflater(Protocol):
    """One member of a compressed stream."""

    def feed(self, data: bytes) -> bytes:
        """Decompress at most a block; give b"" when more input is needed."""

    @property
    def ended(self) -> bool:
        """Whether the member's end was reached."""

    @property
    def rest(self) -> bytes:
        """Input behind the member's end, or not yet taken."""


@dataclass(slots=True)
class Content:
    """The blocks of one file; read ``digest``, ``size`` and ``trouble`` when they are exhausted.

    ``digest`` is over the bytes as stored; ``trouble`` says why reading stopped early, else None.
    """

    path: Path
    trouble: str | None = None
    size: int = 0
    modified: int = 0
    _hash: "hashlib._Hash" = field(default_factory=hashlib.sha256)

    @property
    def digest(self) -> str:
        """SHA-256 of the stored bytes that were read."""
        return self._hash.hexdigest()

    def stored(self) -> Iterator[bytes]:
        """The bytes as they lie on disk."""
        try:
            with self.path.open("rb") as file:
                self.modified = os.fstat(file.fileno()).st_mtime_ns
                while block := file.read(BLOCK):
                    self.size += len(block)
                    self._hash.update(block)
                    yield block
        except OSError as error:
            self.trouble = f"cannot be read: {error.strerror or error}"

    def blocks(self) -> Iterator[bytes]:
        """The text's bytes: decompressed, and UTF-16 with a mark turned to UTF-8."""
        return _recode(self._inflated())

    def _inflated(self) -> Iterator[bytes]:
        stored = self.stored()
        first = next(stored, b"")
        open_member = inflater_for(first)
        if open_member is None:
            yield first
            yield from stored
            return
        try:
            yield from self._members(open_member, first, stored)
        except (zlib.error, OSError, EOFError, ValueError, lzma.LZMAError) as error:
            self.trouble = f"the compressed data is damaged: {error}"

    def _members(
        self, open_member: "Callable[[], Inflater]", data: bytes, stored: Iterator[bytes]
    ) -> Iterator[bytes]:
        member, output = open_member(), 0
        while True:
            piece = member.feed(data)
            output += len(piece)
            if output > max(FREE_OUTPUT, RATIO_LIMIT * self.size):
                self.trouble = f"the compressed data grows more than {RATIO_LIMIT}-fold; reading stopped"
                return
            yield piece
            data = member.rest
            if member.ended:
                data = data.lstrip(b"\0") or next(stored, b"").lstrip(b"\0")
                if not data:
                    return
                member = open_member()
            elif not piece and not data:
                data = next(stored, b"")
                if not data:
                    self.trouble = "the compressed data ends early"
                    return


@dataclass(slots=True)
class _Gzip:
    _inner: "zlib._Decompress" = field(default_factory=lambda: zlib.decompressobj(wbits=31))

    def feed(self, data: bytes) -> bytes:
        return self._inner.decompress(data, BLOCK)

    @property
    def ended(self) -> bool:
        return self._inner.eof

    @property
    def rest(self) -> bytes:
        return self._inner.unused_data if self._inner.eof else self._inner.unconsumed_tail


@dataclass(slots=True)
class _Other:
    """bz2 and xz: the standard library keeps the input that is left by itself."""

    _inner: bz2.BZ2Decompressor | lzma.LZMADecompressor

    def feed(self, data: bytes) -> bytes:
        return self._inner.decompress(data, BLOCK)

    @property
    def ended(self) -> bool:
        return self._inner.eof

    @property
    def rest(self) -> bytes:
        return self._inner.unused_data if self._inner.eof else b""


def inflater_for(head: bytes) -> Callable[[], Inflater] | None:
    """What decompresses a file that begins like this, None for a plain one."""
    if head.startswith(b"\x1f\x8b"):
        return _Gzip
    if head.startswith(b"BZh") and head[4:10] in (b"1AY&SY", b"\x17rE8P\x90"):
        return lambda: _Other(bz2.BZ2Decompressor())
    if head.startswith(b"\xfd7zXZ\0"):
        return lambda: _Other(lzma.LZMADecompressor(memlimit=LZMA_MEMORY))
    return None


def archive_kind(head: bytes) -> str | None:
    """The name of the archive format that these first bytes show, None for no archive."""
    for offset, magic, name in ARCHIVES:
        if head[offset : offset + len(magic)] == magic:
            return name
    return None


def is_binary(head: bytes) -> bool:
    """Whether the first bytes are no text: many NULs or controls, or some and much that is no UTF-8."""
    nulls = head.count(b"\0")
    controls = sum(head.count(bytes((c,))) for c in (*range(1, 9), *range(14, 27), 28, 29))
    lost = len(head) - len(head.decode("utf-8", "ignore").encode())
    return (
        nulls * 10 > 3 * len(head)
        or controls * 10 > len(head)
        or (controls * 50 > len(head) and lost * 10 > len(head))
    )


def _is_utf16(first: bytes) -> bool:
    """A mark, and what is written mostly in ASCII behind it: many zero bytes."""
    sample = first[2:4096]
    marked = first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return marked and sample.count(b"\0") * 4 > len(sample)


def _recode(blocks: Iterator[bytes]) -> Iterator[bytes]:
    first = next(blocks, b"")
    if _is_utf16(first):
        decoder = codecs.getincrementaldecoder("utf-16")(errors="replace")
        yield decoder.decode(first).encode()
        for block in blocks:
            yield decoder.decode(block).encode("utf-8", "replace")
        yield decoder.decode(b"", final=True).encode()
        return
    yield first
    yield from blocks
