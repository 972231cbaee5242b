"""Tokens, places, comments and documentation."""

import pytest
from aitia.engine.lexer import Lexer, Source, doc_of
from aitia.engine.syntax import NO_DOC, Doc, Span
from hypothesis import given
from hypothesis import strategies as st


def clauses(text: str) -> list[list[str]]:
    lexer = Lexer(Source("t.dl", text))
    found = []
    while tokens := lexer.clause():
        found.append([token.text for token in tokens])
    return found


def test_a_clause_ends_at_its_dot_or_before_a_directive() -> None:
    text = '.decl p(x: number)\n.input p p(1).p(2). /* . */ p("a.b") // .\n.output p'
    assert clauses(text) == [
        [".decl", "p", "(", "x", ":", "number", ")"],
        [".input", "p", "p", "(", "1", ")", "."],
        ["p", "(", "2", ")", "."],
        ["p", "(", '"a.b"', ")"],
        [".output", "p"],
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x<=1", ["x", "<=", "1"]),
        ("x<:y", ["x", "<:", "y"]),
        ("a:-b", ["a", ":-", "b"]),
        ("!=!", ["!=", "!"]),
        ("0x1F-0b10", ["0x1F", "-", "0b10"]),
        ("1.5.", ["1.5", "."]),
        ("1.", ["1", "."]),
        ("x _y_1 _", ["x", "_y_1", "_"]),
        (r'"a\"b\\"', [r'"a\"b\\"']),
        (".declare x", [".declare", "x"]),
        ("\ufeffp(1).", ["p", "(", "1", ")", "."]),
        ("a/**/b/*x*//c", ["a", "b", "/", "c"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert clauses(text)[0] == words


def test_places_count_lines_and_columns_from_one() -> None:
    source = Source("t.dl", "ab\r\n\tcé\n\nx")
    assert source.span(0, 2) == Span("t.dl", 1, 1, 1, 3)
    assert source.span(5, 7) == Span("t.dl", 2, 2, 2, 4)
    assert source.span(1, 10) == Span("t.dl", 1, 2, 4, 2)
    assert source.span(10, 10) == Span("t.dl", 4, 2, 4, 2)


@given(st.text(alphabet="ab\n\t é", max_size=40), st.data())
def test_a_place_agrees_with_counting(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    before, through = text[:start].split("\n"), text[:end].split("\n")
    expected = Span("t", len(before), len(before[-1]) + 1, len(through), len(through[-1]) + 1)
    assert Source("t", text).span(start, end) == expected


def test_comments_are_kept_and_documentation_is_handed_out_once() -> None:
    text = "// one\n/// reads {x}\n/// @rule name\np(1). /// not above\n//// four\n"
    lexer = Lexer(Source("t.dl", text))
    start = lexer.clause()[0].start
    lexer.clause()
    assert lexer.take_doc(start) == Doc("reads {x}", (("rule", "name"),))
    assert lexer.take_doc(start) is NO_DOC
    assert [c.text for c in lexer.comments] == ["// one", "/// not above", "//// four"]


def test_documentation_must_stand_directly_above() -> None:
    lexer = Lexer(Source("t.dl", "/// far\n\np(1)."))
    assert lexer.take_doc(lexer.clause()[0].start) is NO_DOC
    lexer.leave_strays()
    assert [(d.code, d.span.line) for d in lexer.diagnostics] == [("W006", 1)]
    assert [c.text for c in lexer.comments] == ["/// far"]


def test_doc_of_sorts_lines_into_reading_tags_and_text() -> None:
    lines = ["@since 1", "A row.", "", "More.", "@param x the x", "@action", "@"]
    assert doc_of(lines) == Doc(
        "A row.", (("since", "1"), ("param", "x the x"), ("action", "")), ("More.", "@")
    )


@pytest.mark.parametrize(
    ("written", "value"),
    [(r"a\tb\n", "a\tb\n"), (r"\"\'\\", "\"'\\"), (r"\a\b\f\r\v", "\a\b\f\r\v"), ("é☃", "é☃")],
)
def test_escapes(written: str, value: str) -> None:
    lexer = Lexer(Source("t.dl", f'"{written}"'))
    assert lexer.value(lexer.clause()[0]) == value
    assert lexer.diagnostics == []


@given(st.text(max_size=80))
def test_every_text_gives_tokens_that_lie_in_it_in_order(text: str) -> None:
    lexer = Lexer(Source("t.dl", text))
    at = 0
    while tokens := lexer.clause():
        for token in tokens:
            assert at <= token.start < token.end <= len(text)
            assert text[token.start : token.end] == token.text
            at = token.end
