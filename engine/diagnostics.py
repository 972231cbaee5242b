"""What is wrong with a program, as values: number, place, message, hint and second places.

Invariant: the text of a report depends only on the set of diagnostics, never on the order in which
the checks found them; ``tidy`` sorts and drops repetitions, and everything that prints goes through it.
"""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from .codes import CODES, Code
from .syntax import Span

__all__ = ["CODES", "Code", "Diagnostic", "did_you_mean", "errors", "render", "tidy"]

_TAB = 4
_WINDOW = 150
_LEAD = 60


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One fault: ``code`` is a key of ``CODES``, ``related`` holds second places with what they show."""

    code: str
    span: Span
    message: str
    hint: str = ""
    related: tuple[tuple[Span, str], ...] = ()

    @property
    def severity(self) -> str:
        """``error`` or ``warning``."""
        return CODES[self.code].severity

    def __str__(self) -> str:
        place = f"{self.span.file}:{self.span.line}:{self.span.col}"
        return f"{place}: {self.severity} {self.code}: {self.message}"

    def sort_key(self) -> tuple[object, ...]:
        """File, line, column and number first; the rest makes the order total."""
        span = self.span
        place = (span.file, span.line, span.col, self.code)
        return (*place, span.end_line, span.end_col, self.message, self.hint, self.related)


def tidy(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The same diagnostics, each once, by file, line, column and number."""
    return sorted(set(diagnostics), key=Diagnostic.sort_key)


def errors(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Only those that stop a program from running."""
    return [d for d in diagnostics if d.severity == "error"]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint with the known name that looks most like ``name``, or an empty string."""
    close = get_close_matches(name, sorted(set(known)), n=1, cutoff=0.6)
    return f"did you mean `{close[0]}`?" if close else ""


def render(diagnostics: Iterable[Diagnostic], texts: Mapping[str, str]) -> str:
    """All diagnostics as text for a terminal: place, source line with a caret, second places, hint.

    ``texts`` maps file names to their text; a place in a file that is not there is shown without
    its line. The result ends with a newline unless there is nothing to say.
    """
    lines_of: dict[str, list[str]] = {}
    blocks = [_block(d, texts, lines_of) for d in tidy(diagnostics)]
    return "\n".join(blocks)


def _block(d: Diagnostic, texts: Mapping[str, str], lines_of: dict[str, list[str]]) -> str:
    parts = [str(d), *_excerpt(d.span, texts, lines_of)]
    for span, text in d.related:
        parts.append(f"  note: {span.file}:{span.line}:{span.col}: {text}")
        parts.extend(_excerpt(span, texts, lines_of))
    if d.hint:
        parts.append(f"  hint: {d.hint}")
    return "\n".join(parts) + "\n"


def _excerpt(span: Span, texts: Mapping[str, str], lines_of: dict[str, list[str]]) -> list[str]:
    """The source line of ``span`` and a line of carets under it."""
    if span.file not in lines_of:
        lines_of[span.file] = texts[span.file].split("\n") if span.file in texts else []
    lines = lines_of[span.file]
    if not 1 <= span.line <= len(lines):
        return []
    source, start, end = _window(lines[span.line - 1].removesuffix("\r"), span)
    shown = _printable(source)
    indent = _width(_printable(source[:start]))
    length = max(1, _width(_printable(source[:end])) - indent)
    gutter = f"{span.line:>5} | "
    caret = " " * (len(gutter) - 2) + "| " + " " * indent + "^" + "~" * (length - 1)
    return [(gutter + shown).rstrip(), caret]


def _window(line: str, span: Span) -> tuple[str, int, int]:
    """A part of a line that fits on a screen, with the marked columns (from 0) inside it."""
    start = min(max(span.col - 1, 0), len(line))
    end = span.end_col - 1 if span.end_line == span.line else len(line)
    end = min(max(end, start), len(line))
    if len(line) <= _WINDOW:
        return line, start, end
    left = max(0, start - _LEAD)
    cut = line[left : left + _WINDOW]
    lead = "…" if left else ""
    tail = "…" if left + _WINDOW < len(line) else ""
    return lead + cut + tail, start - left + len(lead), min(end - left, len(cut)) + len(lead)


def _printable(text: str) -> str:
    """Tabs as spaces up to the next stop, characters that would move the cursor as ``�``."""
    out: list[str] = []
    column = 0
    for char in text:
        if char == "\t":
            char = " " * (_TAB - column % _TAB)
        elif unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            char = "�"
        out.append(char)
        column += _width(char)
    return "".join(out)


def _width(text: str) -> int:
    """Columns a terminal needs: two for wide characters, none for combining marks."""
    return sum(_char_width(char) for char in text)


def _char_width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
