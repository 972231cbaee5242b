"""Text to tokens, one clause at a time.

A clause is handed out as the tokens up to its ``.``, or up to the next directive. The parser can
therefore recover at the end of a clause, and memory is bounded by the longest clause, not the file.
Invariant: any text gives tokens and diagnostics, never an exception, in time linear in its length.
"""

import re
import unicodedata
from bisect import bisect_right
from typing import NamedTuple

from .diagnostics import Diagnostic
from .syntax import NO_DOC, Comment, Doc, Span

DIRECTIVES = ("decl", "type", "input", "output", "printsize", "include")
FOREIGN_DIRECTIVES = (
    *("comp", "debug_delta", "functor", "init", "limitsize", "number_type", "once", "override"),
    *("plan", "pragma", "symbol_type"),
)

# Ends with possessive quantifiers so that no text makes the scan go back over what it has read.
_TOKEN = re.compile(
    r"""(?x)[\ \t\r\n\v\f]*+(?:
      (?P<ident>[A-Za-z_][A-Za-z0-9_]*+)
    | (?P<string>"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*")
    | (?P<number>[0-9][A-Za-z0-9_]*+(?:\.[0-9][A-Za-z0-9_]*+)?)
    | (?P<directive>\.(?:"""
    + "|".join(DIRECTIVES + FOREIGN_DIRECTIVES)
    + r""")(?![A-Za-z0-9_]))
    | (?P<comment>//[^\n]*+|/\*(?s:.*?)\*/)
    | (?P<open>"[^\n]*+|/\*)
    | (?P<op>:-|<:|<=|>=|!=|[-+*/%^(){}\[\],.:;=<>!|@$])
    | (?P<end>\Z)
    | (?P<stray>[^\ \t\r\n\v\fA-Za-z0-9_"+*/%^(){}\[\],.:;=<>!|@$-]++)
    )"""
)
_PLAIN = frozenset(("ident", "string", "number", "directive"))
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+")
_MOST_FAULTS = 1000
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
ESCAPES = {
    **{'"': '"', "'": "'", "\\": "\\", "a": "\a", "b": "\b", "f": "\f"},
    **{"n": "\n", "r": "\r", "t": "\t", "v": "\v"},
}
_STRAY_HINTS = {"'": 'strings stand in double quotes: "text"', "#": "comments begin with `//`"}


class Token(NamedTuple):
    """``kind`` is ident, string, number, directive, or the operator itself; offsets count characters."""

    kind: str
    text: str
    start: int
    end: int


class Source:
    """A named text that turns offsets into places."""

    __slots__ = ("_starts", "name", "text")

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def line(self, offset: int) -> int:
        """The line (from 1) that holds ``offset``."""
        return bisect_right(self._starts, offset)

    def line_start(self, line: int) -> int:
        """The offset at which a line (from 1) begins."""
        return self._starts[line - 1]

    def span(self, start: int, end: int) -> Span:
        """The place from ``start`` up to, not including, ``end``."""
        starts = self._starts
        line = bisect_right(starts, start)
        end_line = line if line == len(starts) or end < starts[line] else bisect_right(starts, end)
        return Span(self.name, line, start - starts[line - 1] + 1, end_line, end - starts[end_line - 1] + 1)

    def begins_line(self, offset: int) -> bool:
        """Whether ``offset`` is the first column of a line."""
        return offset == 0 or self.text[offset - 1] == "\n"


class Lexer:
    """Hands out the clauses of a source; comments, documentation and faults gather on the side.

    ``pos`` is the offset behind the last token handed out; ``full`` says that there are more faults than
    anyone reads, and that the rest was not kept.
    """

    __slots__ = ("_docs", "comments", "diagnostics", "full", "pos", "source")

    def __init__(self, source: Source) -> None:
        self.source = source
        self.comments: list[Comment] = []
        self.full = False
        self.diagnostics: list[Diagnostic] = []
        self._docs: dict[int, Comment] = {}
        self.pos = 1 if source.text.startswith("\ufeff") else 0

    def clause(self) -> list[Token]:
        """The tokens up to and with the next ``.``, or up to a directive; empty at the end of the text."""
        tokens: list[Token] = []
        text, match = self.source.text, _TOKEN.match
        while found := match(text, self.pos):
            kind = found.lastgroup or "end"
            start, end = found.span(kind)
            word = text[start:end]
            if word == "." and (directive_end := self._unknown_directive(found.start(), start)):
                kind, end = "directive", directive_end
            if kind == "end" or (kind == "directive" and tokens):
                self.pos = start
                return tokens
            self.pos = end
            if kind == "op":
                tokens.append(Token(word, word, start, end))
                if word == ".":
                    return tokens
            elif kind in _PLAIN:
                tokens.append(Token(kind, text[start:end], start, end))
            elif self._aside(kind, found.start(), start, end, tokens):
                return tokens
        return tokens

    def _unknown_directive(self, gap: int, start: int) -> int:
        """The end of a ``.word`` that begins a line, or 0; ``gap`` is where the space before it begins."""
        word = _WORD.match(self.source.text, start + 1)
        return word.end() if word and self._first_in_line(gap, start) else 0

    def _first_in_line(self, gap: int, start: int) -> bool:
        return self.source.begins_line(gap) or "\n" in self.source.text[gap:start]

    def _aside(self, kind: str, gap: int, start: int, end: int, tokens: list[Token]) -> bool:
        """Takes in a comment or a fault; true if a broken string seems to have hidden the clause's end."""
        if kind == "comment":
            self._comment(gap, start, end)
        elif kind == "stray":
            if not any(token.kind == "broken" for token in tokens[-3:]):
                self._stray(start, end)
            tokens.append(Token("broken", self.source.text[start:end], start, end))
        elif self.source.text[start] == '"':
            return self._broken_string(start, end, tokens)
        else:
            self._report("E005", start, end, "this comment is never closed", "close it with `*/`")
            self.pos = len(self.source.text)
        return False

    def _comment(self, gap: int, start: int, end: int) -> None:
        text = self.source.text[start:end]
        span = self.source.span(start, end)
        comment = Comment(text.rstrip("\r"), span)
        is_doc = text.startswith("///") and not text.startswith("////")
        if is_doc and self._first_in_line(gap, start):
            self._docs[span.line] = comment
        else:
            self.comments.append(comment)

    def _stray(self, start: int, end: int) -> None:
        char = self.source.text[start]
        name = unicodedata.name(char, f"U+{ord(char):04X}")
        shown = f"`{char}` ({name})" if char.isprintable() else name
        self._report("E002", start, end, f"{shown} has no meaning here", _STRAY_HINTS.get(char, ""))

    def _broken_string(self, start: int, end: int, tokens: list[Token]) -> bool:
        self._report("E003", start, end, "this string is never closed", 'close it with `"` on the same line')
        tokens.append(Token("broken", self.source.text[start:end], start, end))
        return self.source.text[start:end].rstrip().endswith(".")

    def report(self, *diagnostics: Diagnostic) -> None:
        """Takes in faults; the first one that is not kept says so."""
        for diagnostic in diagnostics:
            if len(self.diagnostics) < _MOST_FAULTS:
                self.diagnostics.append(diagnostic)
            elif not self.full:
                self.full = True
                message = f"more than {_MOST_FAULTS} faults in this file; the rest of it was not read"
                self.diagnostics.append(Diagnostic("E001", diagnostic.span, message))

    def _report(self, code: str, start: int, end: int, message: str, hint: str = "") -> None:
        self.report(Diagnostic(code, self.source.span(start, end), message, hint))

    def value(self, token: Token) -> str:
        """What a string token stands for; a faulty escape is reported and kept as written."""
        inner = token.text[1:-1]
        if "\\" not in inner:
            return inner
        return _ESCAPE.sub(lambda found: self._escape(found, token.start + 1), inner)

    def _escape(self, found: re.Match[str], base: int) -> str:
        char = found[1]
        if char not in ESCAPES:
            start = base + found.start()
            hint = r"known escapes are \" \' \\ \a \b \f \n \r \t \v"
            self._report("E004", start, start + 2, f"`\\{char}` is not an escape", hint)
        return ESCAPES.get(char, found[0])

    def take_doc(self, offset: int) -> Doc:
        """The documentation lines directly above the line of ``offset``; each is handed out once."""
        if not self._docs:
            return NO_DOC
        line = self.source.line(offset) - 1
        lines: list[str] = []
        while comment := self._docs.pop(line, None):
            lines.append(comment.text[3:].strip())
            line -= 1
        return doc_of(lines[::-1])

    def leave_strays(self) -> None:
        """At the end of the text: documentation that describes nothing becomes comments, with a warning."""
        for comment in self._docs.values():
            message = "this documentation stands above no declaration or clause"
            hint = "put it directly above, without an empty line between, or make it a `//` comment"
            self.report(Diagnostic("W006", comment.span, message, hint))
            self.comments.append(comment)
        self._docs.clear()
        self.comments.sort(key=lambda comment: comment.span)


def doc_of(lines: list[str]) -> Doc:
    """Documentation lines, without their slashes, as reading, tags and text."""
    tags: list[tuple[str, str]] = []
    prose: list[str] = []
    for line in lines:
        if line.startswith("@") and len(line) > 1:
            name, _, value = line[1:].partition(" ")
            tags.append((name, value.strip()))
        elif line:
            prose.append(line)
    if not tags and not prose:
        return NO_DOC
    return Doc(prose[0] if prose else "", tuple(tags), tuple(prose[1:]))
