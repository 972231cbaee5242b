"""A quick way through ground facts on one line, which are most of a large program.

Invariant: it gives exactly what the grammar gives, places included, or nothing; whatever is unusual (a
comment inside, an escape, a keyword, a number of many digits, any fault) is left to the grammar.
"""

import re

from .cursor import RESERVED
from .lexer import Lexer
from .syntax import Atom, Const, Rule, Span

_CONST = r'(?:"[^"\\\n]*+"|-?[0-9]{1,18}+)'
_FACT = re.compile(
    rf"\s*+([A-Za-z][A-Za-z0-9_]*+)\(((?:[ ]*+{_CONST}[ ]*+,)*[ ]*+{_CONST}[ ]*+)\)\.(?![A-Za-z0-9_])",
    re.ASCII,
)
_ARGUMENT = re.compile(_CONST)


def ground_fact(lexer: Lexer) -> Rule | None:
    """The next clause if it is a plain ground fact; the lexer then stands behind it, else where it stood."""
    found = _FACT.match(lexer.source.text, lexer.pos)
    if found is None or found[1] in RESERVED:
        return None
    start, end = found.start(1), found.end()
    name, line = lexer.source.name, lexer.source.line(start)
    shift = 1 - lexer.source.line_start(line)
    args = []
    for arg in _ARGUMENT.finditer(lexer.source.text, *found.span(2)):
        word = arg[0]
        value = word[1:-1] if word[0] == '"' else int(word)
        args.append(Const(value, Span(name, line, arg.start() + shift, line, arg.end() + shift)))
    lexer.pos = end
    head = Atom(found[1], tuple(args), Span(name, line, start + shift, line, end + shift - 1))
    doc = lexer.take_doc(start)
    return Rule(head, (), doc.tag("rule") or "", doc, Span(name, line, start + shift, line, end + shift))
