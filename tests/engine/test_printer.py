"""What is printed reads back as the same tree."""

import pytest
from aitia.engine import parser, printer
from aitia.engine.cursor import RESERVED
from aitia.engine.syntax import (
    AGGREGATES,
    COMPARISONS,
    Aggregate,
    Atom,
    Call,
    Compare,
    Const,
    Decl,
    Directive,
    Doc,
    Not,
    Param,
    Program,
    Rule,
    Term,
    TypeDecl,
    Var,
    Wildcard,
)
from hypothesis import given, settings
from hypothesis import strategies as st

NAMES = st.from_regex(r"[a-zA-Z][a-zA-Z0-9_]{0,5}|_[a-z]", fullmatch=True).filter(lambda n: n not in RESERVED)
CONSTANTS = st.builds(Const, st.text(max_size=8) | st.integers(-(2**63), 2**63 - 1))
LEAVES = st.builds(Var, NAMES) | CONSTANTS | st.just(Wildcard())


def _calls(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    pairs = st.tuples(inner, inner)
    operators = ["+", "-", "*", "/", "%", "band", "bor", "bxor", "bshl", "bshr", "min", "max"]
    return st.builds(Call, st.sampled_from(operators), pairs) | st.builds(
        Call, st.just("neg"), st.tuples(inner)
    )


TERMS: st.SearchStrategy[Term] = st.recursive(LEAVES, _calls, max_leaves=8)
ATOMS = st.builds(Atom, NAMES, st.lists(TERMS, max_size=3).map(tuple))
FLAT = ATOMS | st.builds(Not, ATOMS) | st.builds(Compare, st.sampled_from(COMPARISONS), TERMS, TERMS)
BODIES = st.lists(FLAT, min_size=1, max_size=3).map(tuple)


@st.composite
def aggregates(draw: st.DrawFn) -> Aggregate:
    kind = draw(st.sampled_from(AGGREGATES))
    target = None if kind == "count" else draw(TERMS)
    return Aggregate(draw(TERMS), kind, target, draw(BODIES))


LITERALS = FLAT | aggregates()
# What a documentation line can hold: one line without space at its ends.
LINES = st.text(st.characters(categories=["L", "N", "P", "Zs"]), max_size=12).map(str.strip)
READINGS = LINES.filter(lambda line: not line.startswith("@"))
DOCS = st.builds(
    Doc, READINGS, st.lists(st.tuples(st.sampled_from(["rule", "action"]), LINES), max_size=2).map(tuple)
)
RULES = st.builds(Rule, ATOMS, st.lists(LITERALS, min_size=1, max_size=3).map(tuple), doc=DOCS)
FACTS = st.builds(
    Rule, st.builds(Atom, NAMES, st.lists(CONSTANTS, max_size=3).map(tuple)), st.just(()), doc=DOCS
)
PARAMS = st.lists(st.builds(Param, NAMES, NAMES.filter(lambda n: n not in ("float", "unsigned"))), max_size=3)
PROGRAMS = st.builds(
    Program,
    st.lists(st.builds(Decl, NAMES, PARAMS.map(tuple), DOCS), max_size=3).map(tuple),
    st.lists(st.builds(TypeDecl, NAMES, NAMES, DOCS), max_size=3).map(tuple),
    st.lists(st.builds(Directive, st.sampled_from(["input", "output", "printsize"]), NAMES), max_size=3).map(
        tuple
    ),
    st.lists(RULES, max_size=3).map(tuple),
    st.lists(FACTS, max_size=3).map(tuple),
)


@given(PROGRAMS)
@settings(max_examples=200, deadline=None)
def test_a_printed_program_reads_back_as_itself(program: Program) -> None:
    text = printer.program_text(program)
    again = parser.parse_text(text)
    assert again == program
    assert printer.program_text(again) == text
    assert [rule.doc for rule in again.rules] == [rule.doc for rule in program.rules]


@given(TERMS)
@settings(max_examples=200, deadline=None)
def test_a_printed_term_reads_back_as_itself(term: Term) -> None:
    assert parser.parse_body(f"x = {printer.term_text(term)}") == (Compare("=", Var("x"), term),)


@pytest.mark.parametrize(
    "text",
    [
        "p(a, _, 3)",
        "!p(a)",
        "a - (b - c) != -b * 2",
        "a - b - c < (a + b) * c",
        "x = min(a, b band 3)",
        "-(3) = -3",
        'n = count : { p(a, "\\"\\n\\t\\\\"), !q(a) }',
        "n = max (a + 1) : { p(a) }",
        "n = min a : { p(a) }",
    ],
)
def test_canonical_text_is_printed_as_it_is(text: str) -> None:
    (literal,) = parser.parse_body(text)
    assert printer.literal_text(literal) == text


def test_a_rule_takes_a_line_for_each_literal() -> None:
    program = parser.parse_text("/// Both hold.\n/// @rule both\nr(x):-p(x),!q(x,3).p( 1 ).")
    assert printer.program_text(program) == (
        "p(1).\n\n/// Both hold.\n/// @rule both\nr(x) :-\n    p(x),\n    !q(x, 3).\n"
    )


def test_text_that_other_readers_would_not_see_is_kept() -> None:
    odd = Atom("p", (Const("\x00\u2028\x85é☃\x1b"),))
    assert parser.parse_atom(printer.atom_text(odd)) == odd
