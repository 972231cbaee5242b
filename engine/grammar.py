"""The grammar of a clause: a method for each line of the grammar in ``parser``.

Invariant: aggregates do not nest and terms are bounded, so no text can exhaust the stack.
"""

from dataclasses import replace

from .cursor import QUALIFIERS, RESERVED, TERM_BUDGET, Fault
from .diagnostics import did_you_mean
from .lexer import DIRECTIVES, FOREIGN_DIRECTIVES, Lexer, Token
from .syntax import (
    AGGREGATES,
    COMPARISONS,
    NO_DOC,
    Aggregate,
    Atom,
    Compare,
    Decl,
    Directive,
    Doc,
    Include,
    Item,
    Literal,
    Not,
    Param,
    Rule,
    Term,
    TypeDecl,
    Wildcard,
)
from .terms import TermParser

__all__ = ["ClauseParser", "Fault"]


class ClauseParser(TermParser):
    """Reads the tokens of one clause, which may have directives in front of it."""

    __slots__ = ("_in_aggregate",)

    def __init__(self, lexer: Lexer, tokens: list[Token]) -> None:
        super().__init__(lexer, tokens)
        self._in_aggregate = False

    # -- items ---------------------------------------------------------------------------------

    def items(self, into: list[Item]) -> None:
        """Appends all items of the tokens; faults go to the lexer's diagnostics."""
        while self._peek().kind != "eof":
            begin = self._at
            doc = self._doc(self._peek())
            try:
                into.extend(self._item(doc))
            except Fault as fault:
                self._recover(begin, fault)
                if not self._broken_since(begin):
                    self._lexer.report(*fault.diagnostics)

    def _doc(self, token: Token) -> Doc:
        """The documentation of the item that ``token`` begins, if it is of a kind that has one."""
        if token.kind == "directive" and token.text not in (".decl", ".type"):
            return NO_DOC
        return self._lexer.take_doc(token.start)

    def _broken_since(self, begin: int) -> bool:
        """Whether the lexer has found a fault in this clause; a second one would only repeat it."""
        return any(token.kind == "broken" for token in self._tokens[begin : self._at])

    def _recover(self, begin: int, fault: Fault) -> None:
        """To the end of the clause, or to a name in the first column, which looks like a new clause."""
        if self._tokens[self._at - 1].start == fault.start:
            self._at -= 1
        self._at = max(self._at, begin + 1)
        self._in_aggregate = False
        source = self._lexer.source
        while (token := self._peek()).kind != "eof":
            if token.kind in ("ident", "directive") and source.begins_line(token.start):
                return
            self._at += 1

    def _item(self, doc: Doc) -> list[Item]:
        token = self._peek()
        match token.kind:
            case "directive":
                self._at += 1
                return self._directive(token, doc)
            case _:
                return [self._clause(doc)]

    def _directive(self, token: Token, doc: Doc) -> list[Item]:
        match token.text:
            case ".decl":
                return [self._decl(token, doc)]
            case ".type":
                return [self._type(token, doc)]
            case ".include":
                path = self._expect("string", "the path of a file in double quotes")
                return [Include(self._lexer.value(path), self._since(token))]
            case ".input" | ".output" | ".printsize":
                return self._io(token)
            case word if word[1:] in FOREIGN_DIRECTIVES:
                raise self._fault("E017", token, f"`{word}` is not in the language")
            case word:
                hint = did_you_mean(word[1:], DIRECTIVES).replace("`", "`.", 1)
                raise self._fault("E019", token, f"`{word}` is not a directive", hint)

    def _decl(self, start: Token, doc: Doc) -> Decl:
        name = self._name("a relation")
        if self._peek().kind == ",":
            raise self._fault("E017", self._peek(), "one `.decl` declares one relation")
        self._expect("(", "`(` and the columns")
        params: list[Param] = []
        while self._peek().kind != ")":
            if params:
                self._expect(",", "`,` or `)` after a column")
            params.append(self._param())
        self._at += 1
        span = self._since(start)
        if self._peek().text in (*QUALIFIERS, "choice"):
            message = f"the qualifier `{self._peek().text}` is not in the language"
            raise self._fault("E017", self._peek(), message, "leave it out")
        return Decl(name.text, tuple(params), doc, span)

    def _param(self) -> Param:
        name = self._name("a column")
        self._expect(":", "`:` and the type of the column")
        kind = self._type_name()
        return Param(name.text, kind.text, self._since(name))

    def _type(self, start: Token, doc: Doc) -> TypeDecl:
        name = self._name("a type")
        if self._peek().kind == "=":
            message = "unions, records and other types made with `=` are not in the language"
            raise self._fault("E017", self._peek(), message, "write `.type Name <: symbol`")
        self._expect("<:", "`<:` and the type it is part of")
        base = self._type_name()
        return TypeDecl(name.text, base.text, doc, self._since(start))

    def _type_name(self) -> Token:
        token = self._name("a type")
        if token.text in ("float", "unsigned"):
            message = f"not supported yet: the type `{token.text}`"
            raise self._fault("E010", token, message, "scale to an integer and use `number`")
        return token

    def _io(self, start: Token) -> list[Item]:
        found: list[Item] = []
        while True:
            name = self._name("a relation")
            found.append(Directive(start.text[1:], name.text, self._since(name)))
            if self._peek().kind == "(":
                self._options()
            if self._peek().kind != ",":
                return found
            self._at += 1

    def _options(self) -> None:
        """Soufflé's ``(IO=file, …)``, which aitia reads over."""
        self._at += 1
        while self._peek().kind != ")":
            self._expect("ident", "the name of an option or `)`")
            self._expect("=", "`=` and the value of the option")
            if self._next().kind not in ("ident", "string", "number"):
                raise self._unexpected("a value", self._tokens[self._at - 1])
            if self._peek().kind != ")":
                self._expect(",", "`,` or `)`")
        self._at += 1

    def _clause(self, doc: Doc) -> Rule:
        start = self._peek()
        head = self._head()
        body: tuple[Literal, ...] = ()
        token = self._next()
        if token.kind == ":-":
            body = self._literals()
            token = self._next()
        if token.kind != ".":
            raise self._end_fault(token, bool(body))
        return Rule(head, body, doc.tag("rule") or "", doc, self._since(start))

    def _head(self) -> Atom:
        if (token := self._peek()).kind != "ident":
            hint = "declarations and directives end without a `.`" if token.kind == "." else ""
            raise self._unexpected("a declaration, a fact or a rule", token, hint)
        head = self._atom()
        if (token := self._peek()).kind == ",":
            message = "not supported yet: a rule with several heads"
            raise self._fault("E012", token, message, "write one rule for each head")
        return head

    def _end_fault(self, token: Token, has_body: bool) -> Fault:
        wanted = "`,` or `.`" if has_body else "`:-` or `.`"
        if token.kind == "eof":
            return self._fault("E008", token, f"the text ends inside a clause; expected {wanted}")
        meant = not has_body and token.kind in (":", "<", "<=", "=")
        return self._unexpected(wanted, token, "a rule is written `head :- body.`" if meant else "")

    def query(self) -> tuple[Literal, ...]:
        """A body that is all there is; a final ``.`` is optional."""
        body = self._literals()
        if self._peek().kind == ".":
            self._at += 1
        if self._peek().kind != "eof":
            raise self._unexpected("`,` or the end of the query", self._peek())
        return body

    # -- literals ------------------------------------------------------------------------------

    def _literals(self) -> tuple[Literal, ...]:
        found = [self._literal()]
        while self._peek().kind == ",":
            self._at += 1
            found.append(self._literal())
        return tuple(found)

    def _literal(self) -> Literal:
        token = self._peek()
        if token.kind == "!":
            self._at += 1
            return Not(self._atom(), self._since(token))
        if token.kind == "ident" and self._after().kind == "(" and token.text not in RESERVED:
            return self._atom()
        if token.kind in (",", ".", ":-", ")", "}"):
            raise self._unexpected("a literal of the body", token)
        if token.kind == "(":
            self._refuse_group()
        return self._comparison(token)

    def _refuse_group(self) -> None:
        """A parenthesis that holds literals, not a term."""
        depth = 0
        for token in self._tokens[self._at :]:
            depth += (token.kind == "(") - (token.kind == ")")
            if token.kind == ";" or (token.kind == "," and depth == 1):
                message = "not supported yet: a parenthesised group of literals"
                raise self._fault("E011", token, message, "write one rule for each alternative")
            if depth == 0:
                return

    def _atom(self) -> Atom:
        name = self._name("a relation")
        self._expect("(", f"`(` after `{name.text}`")
        args = self._arguments()
        return Atom(name.text, args, self._since(name))

    def _arguments(self) -> tuple[Term, ...]:
        """Terms up to and with the closing parenthesis."""
        found: list[Term] = []
        if self._peek().kind == ")":
            self._at += 1
            return ()
        while True:
            self._budget = TERM_BUDGET
            found.append(self._term())
            token = self._next()
            if token.kind == ")":
                return tuple(found)
            if token.kind != ",":
                raise self._unexpected("`,` or `)`", token)

    def _comparison(self, start: Token) -> Literal:
        left = self._operand()
        op = self._next()
        if op.kind not in COMPARISONS:
            raise self._unexpected("a comparison such as `=` or `<`", op)
        middle = self._peek()
        right = self._operand()
        span = self._since(start)
        if isinstance(left, Aggregate):
            if isinstance(right, Aggregate):
                raise self._misplaced(middle)
            self._only_equal(op, start)
            return replace(left, result=right, span=span)
        if isinstance(right, Aggregate):
            self._only_equal(op, middle)
            return replace(right, result=left, span=span)
        return Compare(op.kind, left, right, span)

    def _only_equal(self, op: Token, aggregate: Token) -> None:
        if op.kind != "=":
            raise self._misplaced(aggregate)

    # -- aggregates ----------------------------------------------------------------------------

    def _operand(self) -> Term | Aggregate:
        """A side of a comparison; an aggregate comes back without its result."""
        self._budget = TERM_BUDGET
        return self._aggregate() if self._begins_aggregate() else self._term()

    def _begins_aggregate(self) -> bool:
        token = self._peek()
        if token.kind != "ident" or token.text not in (*AGGREGATES, "mean"):
            return False
        if token.text not in ("min", "max") or self._after().kind != "(":
            return True
        depth = 0
        for place, later in enumerate(self._tokens[self._at + 1 :], self._at + 2):
            depth += (later.kind == "(") - (later.kind == ")")
            if depth == 0:
                return self._tokens[place].kind == ":"
        return False

    def _aggregate(self) -> Aggregate:
        start = self._next()
        if start.text == "mean":
            message = "not supported yet: the aggregate `mean`"
            raise self._fault("E015", start, message, "divide a `sum` by a `count`")
        if self._in_aggregate:
            message = "an aggregate may not hold another aggregate"
            raise self._fault("E045", start, message, "give the inner one a relation of its own")
        target = None if start.text == "count" else self._term()
        self._expect(":", f"`:` and the body of `{start.text}`")
        self._in_aggregate = True
        body = self._aggregate_body()
        self._in_aggregate = False
        return Aggregate(Wildcard(), start.text, target, body, self._since(start))

    def _aggregate_body(self) -> tuple[Literal, ...]:
        if self._peek().kind == "ident":
            return (self._atom(),)
        self._expect("{", "`{` and the body of the aggregate")
        body = self._literals()
        self._expect("}", "`,` or `}`")
        return body
