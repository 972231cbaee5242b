"""The grammar of terms, by precedence climbing.

Invariant: the recursion is bounded whatever the text, by a budget of operators and parentheses for
each term; neither parsing nor any later walk over a term can run out of stack.
"""

import re

from .cursor import BINARY, RESERVED, Cursor
from .lexer import Token
from .syntax import AGGREGATES, Call, Const, Span, Term, Var, Wildcard

LEAST, GREATEST = -(2**63), 2**63 - 1
_NUMBER = re.compile("0x[0-9a-fA-F]+|0b[01]+|[0-9]+")
_LONG = 40


def _between(left: Span, right: Span) -> Span:
    return Span(left.file, left.line, left.col, right.end_line, right.end_col)


class TermParser(Cursor):
    """Reads terms."""

    __slots__ = ()

    def _term(self, least: int = 1) -> Term:
        """Operators that bind at least as strongly as ``least``, by precedence climbing."""
        left = self._unary()
        while (strength := BINARY.get(self._peek().text, 0)) >= least and self._peek().kind != "string":
            op = self._next()
            self._spend(op)
            right = self._term(strength + 1)
            left = Call(op.text, (left, right), _between(left.span, right.span))
        if self._peek().kind == "^":
            raise self._unexpected("an operator", self._peek())
        return left

    def _unary(self) -> Term:
        token = self._peek()
        if token.kind != "-":
            return self._primary()
        self._at += 1
        self._spend(token)
        if self._peek().kind == "number":
            return self._number(self._next(), token)
        inner = self._unary()
        return Call("neg", (inner,), self._since(token))

    def _primary(self) -> Term:
        token = self._next()
        match token.kind:
            case "ident":
                return self._named(token)
            case "string":
                return Const(self._lexer.value(token), self._since(token))
            case "number":
                return self._number(token)
            case "(":
                self._spend(token)
                inner = self._term()
                self._expect(")", "`)`")
                return inner
            case _:
                raise self._unexpected("a variable, a constant or an expression", token)

    def _named(self, token: Token) -> Term:
        word = token.text
        if word == "_":
            return Wildcard(self._since(token))
        called = self._peek().kind == "("
        if word in ("min", "max") and called:
            return self._extremum(token)
        if word in AGGREGATES:
            raise self._misplaced(token)
        if word in RESERVED:
            raise self._reserved(token)
        if called:
            message = f"`{word}(…)` stands where a value must stand; a relation is not a value"
            raise self._fault("E001", token, message, "put the atom in the body and join on a variable")
        return Var(word, self._since(token))

    def _extremum(self, token: Token) -> Term:
        """``min(a, b, …)`` as nested calls with two arguments each."""
        self._at += 1
        self._spend(token)
        result = self._term()
        if self._peek().kind != ",":
            raise self._unexpected(f"`,`: `{token.text}` takes two values or more", self._peek())
        while self._peek().kind == ",":
            self._spend(self._next())
            result = Call(token.text, (result, self._term()), self._since(token))
        self._expect(")", "`,` or `)`")
        return Call(token.text, result.args, self._since(token)) if isinstance(result, Call) else result

    def _number(self, token: Token, sign: Token | None = None) -> Const:
        value = self._integer(token)
        if sign:
            value = -value
        if not LEAST <= value <= GREATEST:
            raise self._fault("E006", token, "this number does not fit in 64 bits with a sign")
        return Const(value, self._since(sign or token))

    def _integer(self, token: Token) -> int:
        text = token.text
        if "." in text:
            raise self._fault("E010", token, "not supported yet: floats", "scale to an integer")
        if not _NUMBER.fullmatch(text):
            raise self._fault("E007", token, f"`{text[:40]}` is not a number")
        if text[:2] in ("0x", "0b"):
            return int(text, 0)
        digits = text.lstrip("0") or "0"
        return int(digits[:_LONG])  # what is longer is out of range, cut off or not
