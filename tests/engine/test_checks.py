"""Faulty programs, one file for each number, and programs that must pass."""

import re
from pathlib import Path

import pytest
from aitia.engine import checks, loading, parser
from aitia.engine.diagnostics import CODES, Diagnostic
from aitia.engine.errors import ProgramError

BAD = Path(__file__).parent / "bad"
FILES = sorted(BAD.glob("*.dl"))
ELSEWHERE = {"E025": "no UTF-8, see test_loading", "E060": "no program text, see tests/console"}
"""Numbers that no file of ours in the language can show."""
EXPECT = re.compile(r"// expect: ([EW]\d{3}) at (\d+):(\d+)")


def found_in(path: Path) -> list[Diagnostic]:
    """What one run tells about a file; a file about E021 is read as a text without a folder."""
    if "from-text" in path.name:
        program, faults = parser.parse_collect(path.read_text(), path.name)
    else:
        program, faults = loading.load_collect([path])
    return checks.diagnose(program, extra=faults)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_fault_is_told_at_its_place_and_nothing_else_is(path: Path) -> None:
    text = path.read_text()
    expected = sorted((code, int(line), int(col)) for code, line, col in EXPECT.findall(text))
    assert sorted((d.code, d.span.line, d.span.col) for d in found_in(path)) == expected
    assert expected


def test_every_number_has_a_case() -> None:
    cased = {code for path in FILES for code, _, _ in EXPECT.findall(path.read_text())}
    assert cased == set(CODES) - set(ELSEWHERE)


GOOD = """
.type Node <: symbol
.type Device <: symbol
.type Gpu <: Device
.type Time <: number
.decl on(n: Node, d: Device, t: Time)
.input on
.decl gpu(g: Gpu)
.input gpu
.decl named(x: symbol)
.input named
.decl r(n: Node)
.output r
.decl d(d: Device)
.output d
.decl late(t: Time)
.output late
.decl total(n: Node, k: number)
.output total
.decl path(a: number, b: number)
.output path
"""


@pytest.mark.parametrize(
    "rule",
    [
        "r(n) :- on(n, _, _).",
        "r(x) :- named(x).",  # a plain symbol may become a Node
        "r(n) :- on(n, _, _), named(n).",
        "d(g) :- gpu(g).",  # a Gpu is a Device
        "d(x) :- gpu(x), on(_, x, _).",
        "r(n) :- on(n, g, _), !gpu(g).",
        'r(n) :- on(n, _, _), n != "node-1".',
        "late(t + 5) :- on(_, _, t).",
        "late(t) :- on(_, _, s), t = s * 2, t >= s.",
        "late(m) :- m = max t : { on(_, _, t) }.",
        "total(n, k) :- on(n, _, _), k = count : { on(n, _, _) }.",
        "total(n, k) :- on(n, _, _), count : on(n, _, _) = k.",
        "total(n, k) :- on(n, _, _), k = sum (t / 2) : { on(n, _, t), t > 3 }.",
        "total(n, min(t, u, 3)) :- on(n, _, t), on(n, _, u).",
        "r(n) :- on(n, _, a), on(n, _, b), a < b, 0 = count : { on(n, _, c), a < c, c < b }.",
        "path(a, b) :- path(a, c), path(c, b). path(1, 2).",
        "path(x, y) :- y = x + 1, x = z, path(z, _).",
        "path(x, x) :- x = 3.",
        "path(k, k) :- k = count : { on(x, y, _), named(x), named(y) }, k = count : { on(_, x, _), gpu(x) }.",
    ],
)
def test_sound_rules_pass_without_a_warning(rule: str) -> None:
    program = parser.parse_text(GOOD + rule, "good.dl")
    alone = {"W001", "W003"}  # what one rule out of a program cannot help
    assert [str(d) for d in checks.diagnose(program) if d.code not in alone] == []
    assert checks.check(program).columns["on"] == ("symbol", "symbol", "number")


def test_check_tells_syntax_and_meaning_in_one_run() -> None:
    program, faults = parser.parse_collect(".decl p(x: number)\np(x) :- .\np(y) :- p(_).\n", "both.dl")
    with pytest.raises(ProgramError) as raised:
        checks.check(program, extra=faults)
    assert [d.code for d in raised.value.diagnostics] == ["E001", "E040"]
    assert "both.dl:2:9" in str(raised.value)


def test_a_declaration_that_did_not_parse_is_one_fault() -> None:
    program, faults = parser.parse_collect(".decl p(x number)\np(1).\n.output p\n", "p.dl")
    assert [d.code for d in checks.diagnose(program, extra=faults)] == ["E001"]


def test_a_declaration_in_a_comment_declares_nothing() -> None:
    with pytest.raises(ProgramError, match="E030"):
        checks.check(parser.parse_text("// .decl p(x: number)\np(1).\n"))


def test_a_checked_program_holds_what_checking_found() -> None:
    checked = checks.check(parser.parse_text(GOOD + "r(x) :- d(x0), named(x), named(x0)."))
    assert list(checked.decls) == ["on", "gpu", "named", "r", "d", "late", "total", "path"]
    assert checked.columns["late"] == ("number",)
    assert checked.strata.index(("d",)) < checked.strata.index(("r",))


PAGE = Path(__file__).parents[2] / "docs" / "errors.md"


def examples(text: str) -> list[str]:
    """The indented blocks of a page."""
    blocks = re.findall(r"(?:(?:^    .*|^)\n)+", text, re.MULTILINE)
    return [re.sub("^    ", "", block, flags=re.MULTILINE).strip("\n") for block in blocks if block.strip()]


def codes_of(text: str, folder: Path, from_text: bool) -> list[str]:
    if from_text:
        program, faults = parser.parse_collect(text)
    else:
        (folder / "main.dl").write_text(text)
        program, faults = loading.load_collect([folder / "main.dl"])
    return [d.code for d in checks.diagnose(program, extra=faults)]


@pytest.mark.parametrize("code", sorted(CODES))
def test_the_documentation_of_each_number_shows_it_and_how_to_mend_it(code: str, tmp_path: Path) -> None:
    page = PAGE.read_text()
    before = examples(page.split("\n## ", 1)[0])[1] + "\n"
    entry = page.split(f"\n## {code} {CODES[code].title}\n", 1)[1].split("\n## ", 1)[0]
    bad, good = examples(entry)
    assert "\nMend: " in entry
    if code not in ELSEWHERE:
        assert code in codes_of(before + bad, tmp_path, code == "E021")
    if code != "E060":
        assert codes_of(before + good, tmp_path, code == "E021") == []


def test_the_documentation_has_no_entry_too_many() -> None:
    headings = re.findall(r"^## (\w+) ", PAGE.read_text(), re.MULTILINE)
    assert headings == sorted(CODES)


def test_many_facts_are_checked() -> None:
    facts = "".join(f'on("n{i % 9}", "d{i % 7}", {i}).\n' for i in range(20_000))
    checked = checks.check(parser.parse_text(GOOD + facts))
    assert len(checked.program.facts) == 20_000


@pytest.mark.parametrize(
    "body",
    [
        ", ".join(f"x{i} = x{i + 1}" for i in range(5_000)) + ", p(x5000)",
        ", ".join(f"p(x{i}), x{i} < x{i + 1}" for i in range(3_000)) + ", p(x3000)",
        "p(x0), " + ", ".join(f"x{i + 1} = count : {{ p(x{i}) }}" for i in range(1_500)),
    ],
    ids=["equations", "comparisons", "aggregates"],
)
def test_a_body_of_thousands_of_literals_is_checked_in_linear_time(body: str) -> None:
    text = f".decl p(x: number) .input p .decl q(x: number) .output q q(x0) :- {body}."
    assert [d.code for d in checks.diagnose(parser.parse_text(text))] in ([], ["W002"])
