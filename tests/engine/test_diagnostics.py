"""How diagnostics look, and that their order is their own."""

from aitia.engine.diagnostics import CODES, Diagnostic, did_you_mean, errors, render, tidy
from aitia.engine.syntax import Span
from hypothesis import given
from hypothesis import strategies as st


def at(line: int, col: int, end: int, code: str = "E001", file: str = "t.dl", **more: str) -> Diagnostic:
    return Diagnostic(
        code, Span(file, line, col, line, end), more.get("message", "wrong"), more.get("hint", "")
    )


def caret(text: str, col: int, end: int) -> tuple[str, str]:
    lines = render([at(1, col, end)], {"t.dl": text}).splitlines()
    return lines[1], lines[2]


def test_a_diagnostic_on_one_line() -> None:
    assert (
        str(at(4, 7, 9, "E030", message="unknown relation `x`"))
        == "t.dl:4:7: error E030: unknown relation `x`"
    )
    assert str(at(1, 1, 2, "W001")) == "t.dl:1:1: warning W001: wrong"


def test_a_rendered_diagnostic() -> None:
    second = ((Span("t.dl", 1, 1, 1, 6), "declared here"), (Span("gone.dl", 3, 1, 3, 2), "and there"))
    d = Diagnostic("E031", Span("t.dl", 2, 3, 2, 7), "wrong", "mend it", second)
    assert render([d], {"t.dl": ".decl p\n  p(x).\n"}) == (
        "t.dl:2:3: error E031: wrong\n"
        "    2 |   p(x).\n"
        "      |   ^~~~\n"
        "  note: t.dl:1:1: declared here\n"
        "    1 | .decl p\n"
        "      | ^~~~~\n"
        "  note: gone.dl:3:1: and there\n"
        "  hint: mend it\n"
    )


def test_the_caret_stands_under_its_word() -> None:
    assert caret("\tp(x)", 2, 3) == ("    1 |     p(x)", "      |     ^")
    assert caret("a\tp(x)", 3, 6) == ("    1 | a   p(x)", "      |     ^~~")
    assert caret('p("節点", x)', 9, 10) == ('    1 | p("節点", x)', "      |           ^")
    assert caret('p("節点", x)', 3, 7) == ('    1 | p("節点", x)', "      |   ^~~~~~")
    assert caret("e\u0301 x", 4, 5) == ("    1 | e\u0301 x", "      |   ^")
    assert caret("\x1b[31mx\r", 6, 7) == ("    1 | �[31mx", "      |      ^")


def test_the_end_of_a_text_and_places_beyond_it_can_be_shown() -> None:
    assert caret("p(x)", 5, 5) == ("    1 | p(x)", "      |     ^")
    assert caret("p(x)", 50, 60) == ("    1 | p(x)", "      |     ^")
    assert render([at(9, 1, 2)], {"t.dl": "p(x)"}) == "t.dl:9:1: error E001: wrong\n"


def test_a_span_of_several_lines_is_marked_to_the_end_of_its_first() -> None:
    d = Diagnostic("E001", Span("t.dl", 1, 3, 2, 4), "wrong")
    assert render([d], {"t.dl": "p(x,\n y)"}).splitlines()[2] == "      |   ^~"


def test_a_long_line_is_cut_around_the_caret() -> None:
    text = "a" * 1000 + "HERE" + "b" * 1000
    source, marks = caret(text, 1001, 1005)
    assert len(source) < 170 and "…" in source
    assert source[marks.index("^") : marks.index("^") + marks.count("~") + 1] == "HERE"


DIAGNOSTICS = st.builds(
    at,
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 5),
    st.sampled_from(["E001", "W001"]),
    st.sampled_from(["a.dl", "b.dl"]),
    message=st.sampled_from(["one", "two"]),
    hint=st.sampled_from(["", "so"]),
)


@given(st.lists(DIAGNOSTICS, max_size=8), st.randoms())
def test_the_order_in_which_faults_are_found_does_not_matter(
    found: list[Diagnostic], random: "object"
) -> None:
    shuffled = [*found, *found[:2]]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert render(shuffled, {"a.dl": "x\ny"}) == render(found, {"a.dl": "x\ny"})
    places = [(d.span.file, d.span.line, d.span.col, d.code) for d in tidy(shuffled)]
    assert places == sorted(places)
    assert all(d.severity == "error" for d in errors(found))


def test_suggestions() -> None:
    assert did_you_mean("placment", ["placement", "xid"]) == "did you mean `placement`?"
    assert did_you_mean("zebra", ["placement", "xid"]) == ""


def test_numbers_tell_their_severity() -> None:
    assert all(
        code.severity == ("error" if number[0] == "E" else "warning") for number, code in CODES.items()
    )
    assert len({code.title for code in CODES.values()}) == len(CODES)
