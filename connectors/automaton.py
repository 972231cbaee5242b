"""The one door to RE2: expressions that run in time linear in the text, whatever text or expression it is."""

from collections.abc import Iterable, Mapping
from typing import Protocol, cast

import re2  # type: ignore[import-untyped]

PREFILTER_MEMORY = 64 << 20


class TextMatch(Protocol):
    """What an expression found in a text."""

    def groupdict(self) -> dict[str, str | None]:
        """The named groups; None for one that took no part."""


class TextExpression(Protocol):
    """An expression over text."""

    @property
    def groupindex(self) -> Mapping[str, int]:
        """The named groups."""

    def search(self, text: str) -> TextMatch | None:
        """The leftmost match."""


class BytesMatch(Protocol):
    """What an expression found in bytes."""

    def start(self) -> int:
        """Where it begins."""


class BytesExpression(Protocol):
    """An expression over bytes."""

    def search(self, text: bytes, pos: int) -> BytesMatch | None:
        """The leftmost match at or after a position."""


def text_expression(source: str) -> TextExpression:
    """Compile an expression over text. Raises ValueError that says what is wrong."""
    options = re2.Options()
    options.log_errors = False
    try:
        return cast(TextExpression, re2.compile(source, options))
    except re2.error as error:
        raise ValueError(str(error)) from None


def any_of(words: Iterable[bytes]) -> BytesExpression | None:
    """An expression that finds any of the words, None for no words."""
    distinct = sorted(set(words))
    if not distinct:
        return None
    options = re2.Options()
    options.log_errors = False
    options.max_mem = PREFILTER_MEMORY
    return cast(BytesExpression, re2.compile(b"|".join(re2.escape(word) for word in distinct), options))
