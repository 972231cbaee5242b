"""The grammar: what each form means, how faults are recovered from, and that no text can break it."""

import pytest
from aitia.engine import parser, printer
from aitia.engine.checks import diagnose
from aitia.engine.diagnostics import render
from aitia.engine.errors import ProgramError
from aitia.engine.grammar import ClauseParser
from aitia.engine.lexer import Lexer, Source
from aitia.engine.syntax import (
    Aggregate,
    Atom,
    Call,
    Compare,
    Const,
    Decl,
    Directive,
    Not,
    Param,
    Rule,
    Span,
    Term,
    TypeDecl,
    Var,
    Wildcard,
)
from hypothesis import given, settings
from hypothesis import strategies as st

A, B, C = Var("a"), Var("b"), Var("c")


def term(text: str) -> Term:
    (literal,) = parser.parse_body(f"x = {text}")
    assert isinstance(literal, Compare)
    return literal.right


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a + b * c", Call("+", (A, Call("*", (B, C))))),
        ("a * b + c", Call("+", (Call("*", (A, B)), C))),
        ("a - b - c", Call("-", (Call("-", (A, B)), C))),
        ("a - (b - c)", Call("-", (A, Call("-", (B, C))))),
        ("a / b % c", Call("%", (Call("/", (A, B)), C))),
        ("-a * b", Call("*", (Call("neg", (A,)), B))),
        ("-(a * b)", Call("neg", (Call("*", (A, B)),))),
        ("- - a", Call("neg", (Call("neg", (A,)),))),
        ("-3", Const(-3)),
        ("-(3)", Call("neg", (Const(3),))),
        ("a - -3", Call("-", (A, Const(-3)))),
        ("a bor b band c", Call("bor", (A, Call("band", (B, C))))),
        ("a bor b bxor c", Call("bor", (A, Call("bxor", (B, C))))),
        ("a band b bshl c", Call("band", (A, Call("bshl", (B, C))))),
        ("a bshr b + c", Call("bshr", (A, Call("+", (B, C))))),
        ("min(a, b + c)", Call("min", (A, Call("+", (B, C))))),
        ("max(a, b, c)", Call("max", (Call("max", (A, B)), C))),
        ("min(a, b) + c", Call("+", (Call("min", (A, B)), C))),
        ("0xFF", Const(255)),
        ("0b101", Const(5)),
        ("007", Const(7)),
        ("-9223372036854775808", Const(-(2**63))),
        ('"+"', Const("+")),
        ("_", Wildcard()),
    ],
)
def test_terms(text: str, tree: Term) -> None:
    assert term(text) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("p(a, _)", Atom("p", (A, Wildcard()))),
        ("p()", Atom("p", ())),
        ("!p(a)", Not(Atom("p", (A,)))),
        ("a != b", Compare("!=", A, B)),
        ("(a + b) < c", Compare("<", Call("+", (A, B)), C)),
        ("a = count : { p(b) }", Aggregate(A, "count", None, (Atom("p", (B,)),))),
        ("a = count : p(b)", Aggregate(A, "count", None, (Atom("p", (B,)),))),
        ("count : { p(b), b > c } = 3", Aggregate(Const(3), "count", None, parser.parse_body("p(b), b > c"))),
        ("a = min b : { p(b) }", Aggregate(A, "min", B, (Atom("p", (B,)),))),
        ("a = max (b) : { p(b) }", Aggregate(A, "max", B, (Atom("p", (B,)),))),
        ("a = min min(b, c) : { p(b) }", Aggregate(A, "min", Call("min", (B, C)), (Atom("p", (B,)),))),
        ("a = sum b * c : { p(b) }", Aggregate(A, "sum", Call("*", (B, C)), (Atom("p", (B,)),))),
    ],
)
def test_literals(text: str, tree: object) -> None:
    assert parser.parse_body(text) == (tree,)


def test_items() -> None:
    program = parser.parse_text(
        '.type Node <: symbol .decl p(n: Node, k: number)\n.input p(IO=file, filename="p.csv"), q\n'
        '.output q() .printsize q\np("a", -1).\nq(n) :- p(n, _).'
    )
    assert program.types == (TypeDecl("Node", "symbol"),)
    assert program.decls == (Decl("p", (Param("n", "Node"), Param("k", "number"))),)
    assert [(d.kind, d.relation) for d in program.directives] == [
        *(("input", "p"), ("input", "q"), ("output", "q"), ("printsize", "q")),
    ]
    assert program.directives[0] == Directive("input", "p")
    assert program.facts == (Rule(Atom("p", (Const("a"), Const(-1))), ()),)
    assert program.rules == (Rule(Atom("q", (Var("n"),)), (Atom("p", (Var("n"), Wildcard())),)),)


def test_rules_are_named_by_tag_or_by_number() -> None:
    program = parser.parse_text(
        "p(1).\np(x) :- q(x).\n/// Says so.\n/// @rule second\np(x) :- r(x).\np(x) :- s(x)."
    )
    assert [rule.name for rule in program.rules] == ["p/1", "second", "p/3"]
    assert program.rules[1].doc.reading == "Says so."
    assert program.facts[0].name == ""


def test_places() -> None:
    program = parser.parse_text("q(x) :-\n    p(x),\n    !r(x + 10).\n", "t.dl")
    (rule,) = program.rules
    assert rule.span == Span("t.dl", 1, 1, 3, 16)
    assert rule.body[0].span == Span("t.dl", 2, 5, 2, 9)
    assert rule.body[1].span == Span("t.dl", 3, 5, 3, 15)
    negated = rule.body[1]
    assert isinstance(negated, Not)
    assert negated.atom.args[0].span == Span("t.dl", 3, 8, 3, 14)


def test_ten_faults_give_ten_messages() -> None:
    good = "p(x) :- q(x).\n"
    program, faults = parser.parse_collect((good + "p(x :- q(x).\n") * 10)
    assert [d.span.line for d in faults] == list(range(2, 21, 2))
    assert len(program.rules) == 10


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("p(x) :- q(x), x == 3.", "one `=`"),
        ("p(x) :- q(x), x => 3.", "`>=`"),
        ("p(x) :- q(x), x =< 3.", "`<=`"),
        ("p(x) :- q(x), x <> 3.", "`!=`"),
        ("p(x) :- q(x), not r(x).", "`!relation"),
        ("p(x) :- q(x) and r(x).", "`,`"),
        ("p(x) :- q(x) or r(x).", "one rule for each"),
        ("p(x) <- q(x).", "`head :- body.`"),
        ("p(x) : q(x).", "`head :- body.`"),
        ("p(x) :- q(x),\np(x) :- r(x).", "clause before"),
        (".decl p(x: number).", "without a `.`"),
        ("p('a').", "double quotes"),
        (".ouput p", "`.output`"),
    ],
)
def test_common_slips_get_a_hint(text: str, hint: str) -> None:
    _, (fault,) = parser.parse_collect(text)
    assert hint in fault.hint


def test_parse_text_raises_every_error_and_no_warning() -> None:
    with pytest.raises(ProgramError) as raised:
        parser.parse_text("/// stray\n\np(x :- q(x).\nq(é).\n", "t.dl")
    assert [d.code for d in raised.value.diagnostics] == ["E001", "E002"]
    assert str(raised.value).startswith("t.dl:3:5: error E001: ")


@pytest.mark.parametrize("text", ["root_cause(E, _)", "root_cause(E, _).", "  root_cause ( E , _ ) "])
def test_an_atom_is_a_question(text: str) -> None:
    assert parser.parse_atom(text) == Atom("root_cause", (Var("E"), Wildcard()))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "a(x), b(x)",
        "!a(x)",
        "x > 3",
        "a(x). b(x).",
        "a(x) :- b(x).",
        '"',
        "a(x) é",
        ".decl a(x: number)",
    ],
)
def test_what_is_no_question_is_told(text: str) -> None:
    with pytest.raises(ProgramError) as raised:
        parser.parse_atom(text)
    assert "<query>:1:" in str(raised.value)


# -- any text ----------------------------------------------------------------------------------

WORDS = (
    *(
        "p",
        "q",
        "x",
        "_",
        "count",
        "min",
        "max",
        "sum",
        "mean",
        "bor",
        "match",
        "1",
        "-2",
        "0x",
        "1.5",
        '"s"',
    ),
    *(
        '"',
        "(",
        ")",
        "{",
        "}",
        ",",
        ".",
        ":",
        ":-",
        "!",
        "=",
        "<",
        "+",
        "-",
        "*",
        "^",
        ";",
        "[",
        "\n",
        "\n\n",
    ),
    *(
        ".decl",
        ".type",
        ".input",
        ".include",
        ".foo",
        "<:",
        "number",
        "///",
        "//",
        "/*",
        "*/",
        "/// @rule",
        "é",
    ),
)


def survives(text: str) -> None:
    program, faults = parser.parse_collect(text, "t.dl")
    told = render(diagnose(program, extra=faults), program.texts)
    assert all(d.code in told for d in faults)
    assert parser.parse_text(printer.program_text(program)) == program


@given(st.text(max_size=200))
@settings(max_examples=150, deadline=None)
def test_any_text_gives_diagnostics(text: str) -> None:
    survives(text)


@given(st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join))
@settings(max_examples=300, deadline=None)
def test_any_words_give_diagnostics(text: str) -> None:
    survives(text)


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_bytes_give_diagnostics(data: bytes) -> None:
    survives(data.decode("latin-1"))


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000,
        "p(x) :- x = " + "(" * 10_000 + "1" + ")" * 10_000 + ".",
        "p(x) :- x = 1" + " + 1" * 10_000 + ".",
        "p(x) :- x = " + "- " * 10_000 + "1.",
        "p(x) :- " + "min(" * 10_000 + "1",
        "p(x) :- x = max(" + "1, " * 10_000 + "1).",
        "p(x) :- " + "n = count : { " * 10_000,
        "p(x) :- " + "!" * 10_000,
        "p(" * 10_000,
        '"' * 10_000,
        '"\\' * 10_000,
        "/*" * 10_000,
        ".a" * 10_000,
        " " * 10_000 + ".a" * 10_000,
        "9" * 10_000 + ".",
        "p(0x" + "f" * 10_000 + ").",
        "p(" + "9" * 10_000 + ").",
        "p\n" * 10_000,
        "é " * 10_000,
        "///\n" * 10_000,
        "p(x) :- " + "(q(x), " * 10_000,
    ],
    ids=range(21),
)
def test_hostile_texts_end_with_an_error(text: str) -> None:
    program, faults = parser.parse_collect(text)
    assert faults or not (program.rules or program.facts)
    assert len(faults) <= 1001


def test_a_very_long_body_is_no_problem() -> None:
    body = ", ".join(["p(x)"] * 20_000)
    program = parser.parse_text(f".decl p(x: number) p(1). .decl q(x: number) .output q q(x) :- {body}.")
    assert len(program.rules[0].body) == 20_000
    assert parser.parse_text(printer.program_text(program)) == program


# -- the quick way through facts ---------------------------------------------------------------

CONSTANTS = st.one_of(
    st.integers(-(2**63), 2**63 - 1).map(str),
    st.sampled_from(
        ['"a"', '"a b"', '"é,)."', '"a\\n"', '""', "0x1f", "007", "x", "_", '"//"', "- 1", '"/*"']
    ),
)
SPACE = st.sampled_from(["", " ", "  ", "\t", "\n", "/**/"])


@st.composite
def fact_texts(draw: st.DrawFn) -> str:
    name = draw(st.sampled_from(["p", "_q", "r2", "count", "_", "brie", "2p"]))
    args = draw(st.lists(st.tuples(SPACE, CONSTANTS, SPACE).map("".join), max_size=4))
    end = draw(st.sampled_from([").", ") .", ")", ").x", ".", ").\n", ")./// doc"]))
    doc = draw(st.sampled_from(["", "/// A row.\n", "/// @rule r\n", "// c\n", "  "]))
    return doc + name + "(" + ",".join(args) + end


@given(st.lists(fact_texts(), max_size=6).map("\n".join))
@settings(max_examples=300, deadline=None)
def test_the_quick_way_gives_what_the_grammar_gives(text: str) -> None:
    lexer = Lexer(Source("t.dl", text))
    items: list[object] = []
    while tokens := lexer.clause():
        ClauseParser(lexer, tokens).items(items)  # type: ignore[arg-type]
    lexer.leave_strays()
    parsed = parser.parse_file(text, "t.dl")
    assert repr(parsed.items) == repr(items)
    assert parsed.diagnostics == lexer.diagnostics
    assert parsed.comments == lexer.comments
