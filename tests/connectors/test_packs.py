"""Every pattern of the training packs does what its samples say, and lets its near misses alone."""

import re
from pathlib import Path

import pytest
from aitia.connectors.match import Matcher, Part
from aitia.connectors.packs import Entry, Pattern, compile_entry, load_packs, read_pack
from aitia.connectors.peel import peel
from aitia.connectors.templates import Constant, fill, parse_template
from aitia.engine.errors import InputError

PROGRAM = Path(__file__).parents[2] / "programs" / "training"
FOLDER = PROGRAM / "patterns"
FILES = sorted(FOLDER.glob("*.yaml"))
ENTRIES = [(path, entry) for path in FILES for entry in read_pack(path).patterns]
ALL = load_packs([FOLDER])
MATCHER = Matcher.of(ALL)
DECLARED = {
    name: 0 if not columns.strip() else columns.count(":")
    for name, columns in re.findall(r"^\.decl (\w+)\(([^)]*)\)", (PROGRAM / "schema.dl").read_text(), re.M)
}
EACH = pytest.mark.parametrize("path, entry", ENTRIES, ids=[entry.name for _, entry in ENTRIES])


def the_pattern(entry: Entry) -> Pattern:
    return next(pattern for pattern in ALL if pattern.name == entry.name)


def as_facts(texts: tuple[str, ...]) -> list[tuple[str, tuple[object, ...]]]:
    found = []
    for text in texts:
        template = parse_template(text)
        assert all(isinstance(argument, Constant) for argument in template.arguments), text
        found.append(
            (template.relation, tuple(a.value for a in template.arguments if isinstance(a, Constant)))
        )
    return found


def test_there_are_packs() -> None:
    assert len(ENTRIES) > 60


@EACH
def test_samples_make_their_facts(path: Path, entry: Entry) -> None:
    pattern = the_pattern(entry)
    for sample in entry.samples:
        assert any(word in sample.line for word in pattern.literals), "the prefilter would miss the sample"
        found = pattern.regex.find(peel(sample.line).body.encode())
        assert found is not None, sample.line
        made = [fill(template, found, pattern.maps) for template in pattern.makes]
        assert [fact for fact in made if fact is not None] == as_facts(sample.facts)


@EACH
def test_samples_are_not_taken_by_another_pattern(path: Path, entry: Entry) -> None:
    for sample in entry.samples:
        found = MATCHER.understand(Part(1, 0, sample.line)).found
        assert found is not None
        if not entry.also:
            assert found.pattern.name == entry.name
        assert set(as_facts(sample.facts)) <= set(found.facts)


@EACH
def test_near_misses_are_let_alone(path: Path, entry: Entry) -> None:
    pattern = the_pattern(entry)
    assert entry.near, "a pattern needs a near miss"
    for line in entry.near:
        assert pattern.regex.find(peel(line).body.encode()) is None, line


@EACH
def test_facts_are_declared(path: Path, entry: Entry) -> None:
    for template in the_pattern(entry).makes:
        assert DECLARED[template.relation] == len(template.arguments)
    kind = entry.kind
    assert kind is None or kind in DECLARED


def entry_of(**changes: object) -> Entry:
    given: dict[str, object] = {
        "name": "a-b",
        "in": "any",
        "literals": ["abc"],
        "regex": "abc (?P<x>.*)",
        "kind": "exception",
        "makes": ["exception(event, x)"],
        "reference": "https://example.org/",
        "samples": [{"line": "abc d", "facts": []}],
    }
    return Entry.model_validate(given | changes)


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"regex": "(abc"}, "does not compile"),
        ({"regex": "(?=abc)"}, "does not compile"),
        ({"makes": ["exception(event, y)"]}, "no group `y`"),
        ({"makes": ["exception(event, x|wrong)"]}, "`wrong` is no converter"),
        ({"makes": ["exception(event, x|map:none)"]}, "`map:none` is no converter or table"),
        ({"makes": ["exception event"]}, "not of the form"),
        ({"makes": ["exception(event, !x)"]}, "cannot read the argument"),
        ({"kind": None}, "has no kind"),
    ],
)
def test_a_wrong_entry_is_named(changes: dict[str, object], said: str, tmp_path: Path) -> None:
    pack = read_pack(FILES[0]).model_copy(update={"maps": {}, "parts": {}})
    with pytest.raises(InputError, match=re.escape("p.yaml: pattern `a-b`")) as caught:
        compile_entry(entry_of(**changes), pack, "p.yaml")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "text, said",
    [
        ("patterns: [", "while parsing"),
        ("patterns: 3", "patterns"),
        ("unknown: 1\npatterns: []", "unknown"),
        ("patterns: [{name: x}]", "patterns.0"),
        ("- " * 5000, ""),
        ("!!python/object/apply:os.getcwd []", "could not determine a constructor"),
    ],
)
def test_a_wrong_file_is_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"broken\.yaml") as caught:
        load_packs([tmp_path])
    assert said in str(caught.value)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        load_packs([tmp_path / "none"])


def test_two_patterns_of_one_name_are_refused(tmp_path: Path) -> None:
    text = FILES[1].read_text()
    (tmp_path / "a.yaml").write_text(text)
    (tmp_path / "b.yaml").write_text(text)
    with pytest.raises(InputError, match="two patterns are called"):
        load_packs([tmp_path])
