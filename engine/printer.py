"""The canonical text of a program and of its parts.

Invariant: ``parse(print(p)) == p``, and what is printed is Soufflé's syntax. Parentheses stand only where
the parser would else read another tree; comments are not printed.
"""

from collections.abc import Iterable

from .cursor import BINARY
from .lexer import ESCAPES
from .syntax import (
    Aggregate,
    Atom,
    Call,
    Compare,
    Const,
    Decl,
    Directive,
    Doc,
    Literal,
    Not,
    Program,
    Rule,
    Term,
    TypeDecl,
    Var,
    Wildcard,
)

_UNARY = 7
_ESCAPED = {ord(char): f"\\{name}" for name, char in ESCAPES.items() if char != "'"}


def term_text(term: Term) -> str:
    """A term, with as few parentheses as its tree allows."""
    return _term(term, 0)


def _term(term: Term, least: int) -> str:
    """A term where only operators that bind at least as strongly as ``least`` may stand bare."""
    match term:
        case Var(name=name):
            return name
        case Wildcard():
            return "_"
        case Const(value=str() as value):
            return symbol_text(value)
        case Const(value=value):
            return str(value)
        case Call(op="neg", args=(inner,)):
            bare = not isinstance(inner, Const) and not (isinstance(inner, Call) and inner.op in BINARY)
            return "-" + (_term(inner, _UNARY) if bare else f"({_term(inner, 0)})")
        case Call(op=("min" | "max") as op, args=args):
            return f"{op}({', '.join(_term(arg, 0) for arg in args)})"
        case Call(op=op, args=(left, right)):
            strength = BINARY[op]
            text = f"{_term(left, strength)} {op} {_term(right, strength + 1)}"
            return f"({text})" if strength < least else text
        case _:
            raise ValueError(f"no syntax for the call {term.op}/{len(term.args)}")


def symbol_text(value: str) -> str:
    """A symbol as a string literal."""
    return f'"{value.translate(_ESCAPED)}"'


def atom_text(atom: Atom) -> str:
    """``relation(a, b)``."""
    return f"{atom.relation}({', '.join(map(term_text, atom.args))})"


def literal_text(literal: Literal) -> str:
    """A literal of a body."""
    match literal:
        case Atom():
            return atom_text(literal)
        case Not(atom=atom):
            return f"!{atom_text(atom)}"
        case Compare(op=op, left=left, right=right):
            return f"{term_text(left)} {op} {term_text(right)}"
        case Aggregate(result=result, kind=kind, target=target, body=body):
            over = "" if target is None else f" {_target(target)}"
            inner = ", ".join(map(literal_text, body))
            return f"{term_text(result)} = {kind}{over} : {{ {inner} }}"


def _target(target: Term) -> str:
    """Computed targets stand in parentheses, for `min (a + b) * c` would read as a call of `min`."""
    return f"({term_text(target)})" if isinstance(target, Call) else term_text(target)


def rule_text(rule: Rule) -> str:
    """A clause without its documentation: a fact on one line, a rule with a line for each literal."""
    if not rule.body:
        return f"{atom_text(rule.head)}."
    body = ",\n    ".join(map(literal_text, rule.body))
    return f"{atom_text(rule.head)} :-\n    {body}."


def decl_text(decl: Decl) -> str:
    """``.decl relation(column: type, …)``."""
    params = ", ".join(f"{param.name}: {param.type}" for param in decl.params)
    return f".decl {decl.name}({params})"


def doc_text(doc: Doc) -> str:
    """Documentation lines: the reading, further text, then the tags; each ends with a newline."""
    lines = [doc.reading, *doc.text, *(f"@{name} {value}".rstrip() for name, value in doc.tags)]
    return "".join(f"/// {line}\n" for line in lines if line)


def program_text(program: Program) -> str:
    """A whole program: types, declarations, directives, facts, rules, each group in source order."""
    blocks = [
        _lines(doc_text(item.doc) + _type_text(item) for item in program.types),
        _lines(doc_text(item.doc) + decl_text(item) for item in program.decls),
        _lines(map(_directive_text, program.directives)),
        _lines(doc_text(fact.doc) + rule_text(fact) for fact in program.facts),
        *(doc_text(rule.doc) + rule_text(rule) + "\n" for rule in program.rules),
    ]
    return "\n".join(block for block in blocks if block)


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _type_text(item: TypeDecl) -> str:
    return f".type {item.name} <: {item.base}"


def _directive_text(item: Directive) -> str:
    return f".{item.kind} {item.relation}"
