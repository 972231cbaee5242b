"""The numbers of all diagnostics: what each means, in one table.

Invariant: a number is never given a second meaning; ``docs/errors.md`` has an entry for each.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """``title`` is a short name, ``severity`` is ``error`` or ``warning``, ``note`` says why it matters."""

    title: str
    severity: str
    note: str


def _error(title: str, note: str) -> Code:
    return Code(title, "error", note)


def _warning(title: str, note: str) -> Code:
    return Code(title, "warning", note)


_LATER = "The word belongs to the language, and this version does not run it yet."

CODES: dict[str, Code] = {
    "E001": _error("syntax", "The text is not a declaration, fact, rule or directive."),
    "E002": _error("stray character", "The character has no meaning outside a string or comment."),
    "E003": _error("unterminated string", "A string ends on the line it begins on."),
    "E004": _error("unknown escape", "A backslash in a string must begin a known escape."),
    "E005": _error("unterminated comment", "Everything after `/*` was swallowed."),
    "E006": _error("number out of range", "Numbers are signed and have 64 bits."),
    "E007": _error("malformed number", "Digits and letters run together."),
    "E008": _error("unfinished clause", "The text ends inside a clause."),
    "E009": _error("expression too large", "A term may hold at most 100 operators and parentheses."),
    "E010": _error("not supported yet: floats", _LATER),
    "E011": _error("not supported yet: disjunction", _LATER),
    "E012": _error("not supported yet: several heads", _LATER),
    "E013": _error("not supported yet: string functions", _LATER),
    "E014": _error("not supported yet: match", _LATER),
    "E015": _error("not supported yet: mean", _LATER),
    "E016": _error("not supported yet: power", _LATER),
    "E017": _error("not in the language", "A feature of Soufflé that aitia leaves out."),
    "E018": _error("reserved word", "The word is a keyword and cannot be a name."),
    "E019": _error("unknown directive", "The word after the dot is not a directive."),
    "E020": _error("misplaced aggregate", "An aggregate stands alone on one side of `=`."),
    "E021": _error("include without a file", "A text that was not read from a file has no folder."),
    "E022": _error("include not readable", "The included file is missing or cannot be read."),
    "E023": _error("include cycle", "A file includes itself, directly or through others."),
    "E024": _error("include outside the program", "A program may read only its own folder tree."),
    "E025": _error("not UTF-8", "Programs are UTF-8 text."),
    "E030": _error("unknown relation", "A relation that is not declared does not exist."),
    "E031": _error("wrong number of arguments", "An atom has one argument for each declared column."),
    "E032": _error("relation declared twice", "Each relation has one declaration."),
    "E033": _error("type declared twice", "Each type has one declaration, and base types have none."),
    "E034": _error("unknown type", "A type is `symbol`, `number` or declared with `.type`."),
    "E035": _error("type clash", "Symbols and numbers never mix."),
    "E036": _error("subtype clash", "Values of two unrelated subtypes never join by accident."),
    "E037": _error("type cycle", "A type may not be its own subtype."),
    "E038": _error("column named twice", "The columns of a relation have different names."),
    "E040": _error("unbound head variable", "A rule may conclude only about values its body found."),
    "E041": _error("unbound variable under negation", "Negation asks about known values."),
    "E042": _error("unbound variable in a computation", "Comparisons and arithmetic need known values."),
    "E043": _error("unbound variable in an aggregate", "An aggregate ranges over known groups."),
    "E044": _error("misplaced wildcard", "`_` stands only for a column of a body atom."),
    "E045": _error("nested aggregate", "An aggregate may not hold another one."),
    "E046": _error("malformed aggregate result", "The result of an aggregate is a variable or constant."),
    "E047": _error("negation through recursion", "A relation may not depend on its own absence."),
    "E048": _error("aggregation through recursion", "A relation may not depend on a total of itself."),
    "E049": _error("rule name used twice", "Names of rules are quoted in proofs and tickets."),
    "E050": _error("fact that is not ground", "A clause without a body holds constants only."),
    "E051": _error("malformed rule name", "Names of rules are in kebab-case."),
    "E060": _error("faulty table", "Facts of a program may stand in a table beside it."),
    "W001": _warning("unused relation", "Nothing reads this relation and it is no output."),
    "W002": _warning("variable used once", "It joins nothing; a typing slip looks just like this."),
    "W003": _warning("rule that never fires", "A relation of the body is empty by construction."),
    "W004": _warning("cartesian product", "Parts of the body share no variable."),
    "W005": _warning("unknown place in a reading", "A proof could not fill the place in."),
    "W006": _warning("stray documentation", "The lines stand above nothing that they could describe."),
}
