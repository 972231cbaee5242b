"""Colour and width of a terminal. Colour only where a person looks: on a terminal, without NO_COLOR."""

import os
import shutil
import sys
from dataclasses import dataclass
from typing import TextIO

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


@dataclass(frozen=True, slots=True)
class Theme:
    """How text may be dressed: ``colour`` escapes, ``unicode`` tree lines, ``width`` in columns."""

    colour: bool = False
    unicode: bool = True
    width: int = 100

    def paint(self, text: str, *styles: str) -> str:
        """``text`` in the given styles, or as it is."""
        if not self.colour or not text:
            return text
        return f"\x1b[{';'.join(_CODES[s] for s in styles)}m{text}\x1b[0m"

    @property
    def branches(self) -> tuple[str, str, str, str]:
        """Tree lines: child, last child, and what stands below each."""
        return ("├─ ", "└─ ", "│  ", "   ") if self.unicode else ("|- ", "`- ", "|  ", "   ")


def theme_for(stream: TextIO | None = None) -> Theme:
    """The theme for a stream (stdout unless given)."""
    out = stream or sys.stdout
    terminal = out.isatty() and os.environ.get("TERM") != "dumb"
    colour = terminal and not os.environ.get("NO_COLOR")
    encoding = (getattr(out, "encoding", None) or "ascii").lower().replace("-", "")
    width = shutil.get_terminal_size((100, 40)).columns if terminal else 100
    return Theme(colour, encoding.startswith("utf"), max(60, width))


def clean(text: str) -> str:
    """A raw line made safe for a terminal: control characters become visible."""
    return "".join(c if c.isprintable() or c == "\t" else "�" if ord(c) > 126 else "·" for c in text)


def clip(text: str, width: int) -> str:
    """At most ``width`` characters, the end replaced by an ellipsis."""
    return text if len(text) <= width else text[: max(1, width - 1)] + "…"
