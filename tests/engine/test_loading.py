"""Programs of several files."""

from pathlib import Path

import pytest
from aitia.engine.diagnostics import Diagnostic
from aitia.engine.errors import InputError, ProgramError
from aitia.engine.loading import load_collect, load_program


def write(folder: Path, **files: str) -> Path:
    """Writes ``name.dl`` files, ``sub__name`` into a folder; gives the path of ``main.dl``."""
    for name, text in files.items():
        path = folder / "pack" / (name.replace("__", "/") + ".dl")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "pack" / "main.dl"


def faults(path: Path) -> list[Diagnostic]:
    return load_collect([path])[1]


def test_includes_are_replaced_by_what_they_include(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main='a(1).\n.include "sub/one.dl"\na(4).\n',
        sub__one='a(2).\n.include "../two.dl"\n.include "two.dl"\n',
        two="a(3). // two\n",
        sub__two="b(x) :- a(x).\n",
    )
    program = load_program([main])
    assert [fact.head.args[0].value for fact in program.facts] == [1, 2, 3, 4]  # type: ignore[union-attr]
    assert program.facts[1].span.file == "pack/sub/one.dl"
    assert sorted(program.texts) == ["pack/main.dl", "pack/sub/one.dl", "pack/sub/two.dl", "pack/two.dl"]
    assert [c.text for c in program.comments] == ["// two"]
    assert program.rules[0].name == "b/1"


def test_a_file_is_read_once_however_it_is_named(tmp_path: Path) -> None:
    main = write(tmp_path, main='.include "one.dl"\n.include "./sub/../one.dl"\n', one="a(1).", sub__x="")
    assert len(load_program([main, main, main.parent / "one.dl"]).facts) == 1


def test_roots_are_one_program_in_the_order_given(tmp_path: Path) -> None:
    write(tmp_path, main="p(x) :- a(x).", other="p(x) :- b(x).")
    folder = tmp_path / "pack"
    program = load_program([folder / "other.dl", folder / "main.dl"])
    assert [(rule.name, rule.span.file) for rule in program.rules] == [
        ("p/1", "pack/other.dl"),
        ("p/2", "pack/main.dl"),
    ]


def test_names_are_relative_to_base(tmp_path: Path) -> None:
    main = write(tmp_path, main="a(1).")
    assert load_program([main], base=tmp_path / "pack").facts[0].span.file == "main.dl"
    assert load_program([main], base=tmp_path).facts[0].span.file == "pack/main.dl"
    (tmp_path / "elsewhere").mkdir()
    assert load_program([main], base=tmp_path / "elsewhere").facts[0].span.file == "main.dl"


def test_a_cycle_is_told_with_every_include_on_it(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main='.include "one.dl"\na(1).\n',
        one='.include "two.dl"\na(2).\n',
        two='\n.include "one.dl"\na(3).\n',
    )
    program, (fault,) = load_collect([main])
    assert fault.code == "E023"
    assert (fault.span.file, fault.span.line) == ("pack/two.dl", 2)
    assert fault.message.endswith("pack/one.dl → pack/two.dl → pack/one.dl")
    assert [(span.file, span.line) for span, _ in fault.related] == [("pack/one.dl", 1)]
    assert len(program.facts) == 3


def test_what_cannot_be_included(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main='.include "none.dl"\n.include "../out.dl"\n.include "sub"\n.include "a\\nb\\v"\n',
        sub__x="",
    )
    (tmp_path / "out.dl").write_text("a(1).")
    assert [d.code for d in faults(main)] == ["E022", "E024", "E022", "E022"]


def test_a_link_that_leads_outside_is_refused(tmp_path: Path) -> None:
    main = write(tmp_path, main='.include "link.dl"\n')
    (tmp_path / "secret.dl").write_text("a(1).")
    (main.parent / "link.dl").symlink_to(tmp_path / "secret.dl")
    program, (fault,) = load_collect([main])
    assert fault.code == "E024" and not program.facts


def test_a_file_that_is_not_utf8_is_told_at_its_byte(tmp_path: Path) -> None:
    main = write(tmp_path, main="")
    main.write_bytes('a(1).\na("é", "'.encode() + b'\xff").\n')
    (fault,) = faults(main)
    assert (fault.code, fault.span.line, fault.span.col) == ("E025", 2, 9)
    assert "0xff" in fault.message


def test_a_byte_order_mark_and_foreign_line_ends_are_read_over(tmp_path: Path) -> None:
    main = write(tmp_path, main="")
    main.write_bytes(b"\xef\xbb\xbfa(1).\r\n/// doc\r\na(2).\r\n")
    program, found = load_collect([main])
    assert found == [] and program.facts[1].doc.reading == "doc"
    assert program.facts[1].span.line == 3


def test_every_syntax_error_of_every_file_is_raised(tmp_path: Path) -> None:
    main = write(tmp_path, main='a(.\n.include "one.dl"\n', one="b(.\n")
    with pytest.raises(ProgramError) as raised:
        load_program([main])
    assert [d.span.file for d in raised.value.diagnostics] == ["pack/main.dl", "pack/one.dl"]


@pytest.mark.parametrize("name", ["missing.dl", ".", "a\0b"])
def test_a_root_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError):
        load_program([tmp_path / name])


def test_no_root_at_all() -> None:
    with pytest.raises(InputError):
        load_program([])


def test_a_long_chain_of_includes_needs_no_stack(tmp_path: Path) -> None:
    files = {f"f{i}": f'.include "f{i + 1}.dl"\na({i}).\n' for i in range(300)}
    main = write(tmp_path, main='.include "f0.dl"\n', **files, f300="")
    assert len(load_program([main]).facts) == 300
