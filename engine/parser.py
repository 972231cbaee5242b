"""Text to syntax tree, by recursive descent.

    program    = { declaration | type | directive | include | clause }
    declaration = ".decl" name "(" [ name ":" name { "," … } ] ")"
    type       = ".type" name "<:" name
    directive  = (".input" | ".output" | ".printsize") name [ "(" options ")" ] { "," … }
    include    = ".include" string
    clause     = atom [ ":-" literal { "," literal } ] "."
    literal    = atom | "!" atom | term comparison term | term "=" aggregate | aggregate "=" term
    aggregate  = "count" ":" body | ("min" | "max" | "sum") term ":" body
    body       = "{" literal { "," literal } "}" | atom
    term       = operators by precedence, loosest first: bor, bxor, band, bshl bshr, + -, * / %, unary -
    atom       = name "(" [ term { "," term } ] ")"

Invariant: any text gives a program of the clauses that did parse and diagnostics for the rest, never
another exception. A fault ends its clause; parsing goes on behind the clause's ``.``.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from .diagnostics import Diagnostic, errors, tidy
from .errors import ProgramError
from .grammar import ClauseParser, Fault
from .ground import ground_fact
from .lexer import Lexer, Source
from .syntax import (
    Atom,
    Comment,
    Decl,
    Directive,
    Include,
    Item,
    Literal,
    Program,
    Rule,
    Span,
    TypeDecl,
)


@dataclass(slots=True)
class ParsedFile:
    """One file as read: its items in source order, comments and faults; includes are not followed."""

    name: str
    text: str
    items: list[Item] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def parse_file(text: str, name: str) -> ParsedFile:
    """All items of a text, with the faults of those that are none."""
    lexer = Lexer(Source(name, text))
    parsed = ParsedFile(name, text, comments=lexer.comments, diagnostics=lexer.diagnostics)
    while not lexer.full:
        while fact := ground_fact(lexer):
            parsed.items.append(fact)
        if not (tokens := lexer.clause()):
            break
        ClauseParser(lexer, tokens).items(parsed.items)
    lexer.leave_strays()
    return parsed


def parse_collect(text: str, name: str = "<text>") -> tuple[Program, list[Diagnostic]]:
    """The program of the clauses that did parse, and all faults of the others."""
    parsed = parse_file(text, name)
    diagnostics = list(parsed.diagnostics)
    for item in parsed.items:
        if isinstance(item, Include):
            message = f"`{item.path}` cannot be included from a text that was not read from a file"
            diagnostics.append(Diagnostic("E021", item.span, message))
    return assemble(parsed.items, parsed.comments, {name: text}), tidy(diagnostics)


def parse_text(text: str, name: str = "<text>") -> Program:
    """The program in ``text``; raises ``ProgramError`` with every syntax error."""
    program, diagnostics = parse_collect(text, name)
    if faults := errors(diagnostics):
        raise ProgramError(faults)
    return program


def parse_atom(text: str) -> Atom:
    """One atom, as a question: ``root_cause(E, "hardware", _)``; a final ``.`` may stand or be left out."""
    body = parse_body(text)
    match body:
        case (Atom() as atom,):
            return atom
    span = Span("<query>", 1, 1, 1, 2)
    raise ProgramError([Diagnostic("E001", span, "expected one atom, as in `relation(x, _)`")])


def parse_body(text: str) -> tuple[Literal, ...]:
    """The literals of a query, separated by commas; raises ``ProgramError``."""
    lexer = Lexer(Source("<query>", text))
    literals: tuple[Literal, ...] = ()
    try:
        literals = ClauseParser(lexer, lexer.clause()).query()
        if rest := lexer.clause():
            span = lexer.source.span(rest[0].start, rest[0].end)
            lexer.report(Diagnostic("E001", span, "a query ends here; nothing may follow"))
    except Fault as fault:
        lexer.report(*fault.diagnostics)
    if faults := errors(tidy(lexer.diagnostics)):
        raise ProgramError(faults)
    return literals


def assemble(items: Iterable[Item], comments: Iterable[Comment], texts: dict[str, str]) -> Program:
    """Items in source order as a program; rules without a name get ``relation/n``."""
    decls: list[Decl] = []
    types: list[TypeDecl] = []
    directives: list[Directive] = []
    rules: list[Rule] = []
    facts: list[Rule] = []
    count: dict[str, int] = {}
    for item in items:
        match item:
            case Rule(body=()):
                facts.append(item)
            case Rule(head=head):
                number = count[head.relation] = count.get(head.relation, 0) + 1
                rules.append(item if item.name else replace(item, name=f"{head.relation}/{number}"))
            case Decl():
                decls.append(item)
            case TypeDecl():
                types.append(item)
            case Directive():
                directives.append(item)
            case Include():
                pass
    return Program(
        *(tuple(decls), tuple(types), tuple(directives), tuple(rules), tuple(facts)),
        comments=tuple(comments),
        texts=texts,
    )
