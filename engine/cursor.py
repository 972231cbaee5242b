"""A cursor over the tokens of one clause, and how a fault is worded.

Invariant: the last token is ``eof`` and is never passed, so looking one ahead is always safe.
"""

from .diagnostics import Diagnostic
from .lexer import Lexer, Token
from .syntax import AGGREGATES, Span

TERM_BUDGET = 100

# Binding strength as in Soufflé; all of these associate to the left.
BINARY = {
    **{"bor": 1, "bxor": 2, "band": 3, "bshl": 4, "bshr": 4},
    **{"+": 5, "-": 5, "*": 6, "/": 6, "%": 6},
}
STRING_FUNCTIONS = ("cat", "contains", "ord", "strlen", "substr", "to_number", "to_string")
# Words that have a meaning in Soufflé and none in aitia.
FOREIGN_WORDS = (
    *("as", "autoinc", "bnot", "bshru", "false", "fold", "land", "lnot", "lor", "lxor", "nil"),
    *("range", "to_float", "to_unsigned", "true", "__ITERATION__", "__FILE__", "__LINE__", "__INCL__"),
)
QUALIFIERS = (
    *("brie", "btree", "btree_delete", "eqrel", "inline", "input", "magic", "no_inline", "no_magic"),
    *("output", "overridable", "printsize", "stateful"),
)
RESERVED = frozenset(
    {
        *("match", "mean", "bor", "bxor", "band", "bshl", "bshr"),
        *(*AGGREGATES, *STRING_FUNCTIONS, *FOREIGN_WORDS, *QUALIFIERS),
    }
)
_LATER_WORDS = {
    **{word: ("E013", f"not supported yet: the string function `{word}`") for word in STRING_FUNCTIONS},
    **{word: ("E017", f"`{word}` is not in the language") for word in FOREIGN_WORDS},
    "match": ("E014", "not supported yet: `match`"),
    "mean": ("E015", "not supported yet: the aggregate `mean`"),
}
_LATER_SIGNS = {
    "^": ("E016", "not supported yet: the power operator `^`", "multiply, or shift with `bshl`"),
    ";": ("E011", "not supported yet: disjunction with `;`", "write one rule for each alternative"),
    "[": ("E017", "records are not in the language", "give each field a column of its own"),
    "$": ("E017", "`$` (counters and branches) is not in the language", ""),
    "@": ("E017", "functions of the user's own (`@`) are not in the language", ""),
    "|": ("E017", "`|` is not in the language", ""),
}
# Hints for slips that are known from other languages, by the word before and the word at fault.
_SLIPS = {
    ("=", "="): "equality is written with one `=`",
    ("=", ">"): "write `>=`",
    ("=", "<"): "write `<=`",
    ("<", ">"): "write `!=`",
}
_SLIPS_ALONE = {
    "and": "literals are separated by `,`",
    "or": "write one rule for each alternative",
    ":-": "does the clause before end with `.`?",
}


class Fault(Exception):
    """Ends a clause; never leaves the parser. Empty if the lexer has already reported the fault.

    ``start`` is the offset of the token at fault.
    """

    def __init__(self, start: int, *diagnostics: Diagnostic) -> None:
        super().__init__()
        self.start = start
        self.diagnostics = diagnostics


class Cursor:
    """Where the parser stands in the tokens of a clause."""

    __slots__ = ("_at", "_budget", "_lexer", "_tokens")

    def __init__(self, lexer: Lexer, tokens: list[Token]) -> None:
        end = tokens[-1].end if tokens else len(lexer.source.text)
        self._lexer = lexer
        eof = Token("eof", "", end, end)
        self._tokens = [*tokens, eof, eof]  # twice, so that looking one ahead needs no test
        self._at = 0
        self._budget = TERM_BUDGET

    def _peek(self) -> Token:
        return self._tokens[self._at]

    def _after(self) -> Token:
        """The token behind the next one."""
        return self._tokens[self._at + 1]

    def _next(self) -> Token:
        token = self._tokens[self._at]
        if token.kind != "eof":
            self._at += 1
        return token

    def _expect(self, kind: str, wanted: str) -> Token:
        token = self._next()
        if token.kind != kind:
            raise self._unexpected(wanted, token)
        return token

    def _name(self, what: str) -> Token:
        """An identifier that may name something."""
        token = self._expect("ident", f"the name of {what}")
        if token.text in RESERVED or token.text == "_":
            message = f"`{token.text}` is a reserved word and cannot be the name of {what}"
            raise self._fault("E018", token, message)
        return token

    def _spend(self, token: Token) -> None:
        """Every operator and parenthesis of a term costs one."""
        self._budget -= 1
        if self._budget < 0:
            message = f"this term has more than {TERM_BUDGET} operators and parentheses"
            raise self._fault("E009", token, message, "name a part of it with `=`")

    def _since(self, start: Token) -> Span:
        """From ``start`` to the end of the last token read."""
        return self._lexer.source.span(start.start, self._tokens[self._at - 1].end)

    def _fault(self, code: str, token: Token, message: str, hint: str = "") -> Fault:
        span = self._lexer.source.span(token.start, token.end)
        return Fault(token.start, Diagnostic(code, span, message, hint))

    def _unexpected(self, wanted: str, token: Token, hint: str = "") -> Fault:
        """The fault that ``token`` stands where ``wanted`` should."""
        if token.kind == "broken":
            return Fault(token.start)
        if token.kind == "eof":
            return self._fault("E008", token, f"this is not finished; expected {wanted}")
        if token.kind in _LATER_SIGNS:
            code, message, advice = _LATER_SIGNS[token.kind]
            return self._fault(code, token, message, advice)
        shown = token.text if len(token.text) <= 40 else token.text[:40] + "…"
        return self._fault("E001", token, f"expected {wanted}, found `{shown}`", hint or self._slip(token))

    def _slip(self, token: Token) -> str:
        """What was perhaps meant, or an empty string."""
        place = self._at if self._peek() is token else self._at - 1
        before = self._tokens[place - 1].text if place > 0 else ""
        if before == "not":
            return "negation is written `!relation(…)`"
        return _SLIPS.get((before, token.text)) or _SLIPS_ALONE.get(token.text, "")

    def _reserved(self, token: Token) -> Fault:
        """A reserved word where a value must stand."""
        message = f"`{token.text}` is a reserved word and cannot be a variable"
        code, message = _LATER_WORDS.get(token.text, ("E018", message))
        return self._fault(code, token, message)

    def _misplaced(self, token: Token) -> Fault:
        message = "an aggregate stands alone on one side of `=`"
        hint = "write `n = count : { … }` and use `n` in a literal of its own"
        return self._fault("E020", token, message, hint)
