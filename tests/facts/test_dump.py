"""Dumps: lossless round trip, equal bytes for equal bases, every fault with file and line."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aitia.engine.errors import AitiaError, FactError, InputError
from aitia.facts.base import FactBase, build
from aitia.facts.dump import dump, is_dump, load
from aitia.facts.observation import Coverage, Observation, Place, Reading, Statement
from hypothesis import given, settings
from hypothesis import strategies as st

from .test_base import READING, SCHEMA

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
PLACES = st.builds(Place, TEXT, st.integers(0, 2**40), st.integers(0, 2**60), TEXT)
STATEMENTS = st.builds(
    Statement, st.just("placement"), st.tuples(st.integers(-(2**63), 2**63 - 1), TEXT), PLACES
)
COVERAGE = st.builds(
    Coverage,
    TEXT,
    TEXT,
    st.sampled_from(("ok", "partial", "empty", "failed")),
    st.none() | TEXT,
    lo=st.none() | st.integers(-(2**63), 2**63 - 1),
    hi=st.integers(-(2**63), 2**63 - 1),
    nodes=st.lists(TEXT, max_size=3).map(tuple),
)
READINGS = st.builds(
    Reading,
    observations=st.lists(st.builds(Observation, TEXT, PLACES, st.just(())), max_size=5).map(tuple),
    statements=st.lists(STATEMENTS, max_size=5).map(tuple),
    coverage=st.lists(COVERAGE, max_size=3, unique_by=lambda c: c.source).map(tuple),
)


def written(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "incident.aitia"
    path.write_bytes(content)
    return path


@settings(max_examples=60, deadline=None)
@given(READINGS)
def test_round_trip_without_loss(tmp_path_factory: pytest.TempPathFactory, reading: Reading) -> None:
    base = build(SCHEMA, reading)
    packed = dump(base, "1.0")
    path = written(tmp_path_factory.mktemp("dump"), packed)
    again = load(path, SCHEMA)
    assert again == base
    assert dump(again, "1.0") == packed
    assert is_dump(path)


def lines(base: FactBase) -> list[Any]:
    return [json.loads(line) for line in gzip.decompress(dump(base, "1.0")).splitlines()]


def packed(rows: list[Any]) -> bytes:
    return gzip.compress(b"\n".join(json.dumps(r).encode() for r in rows) + b"\n")


def change(**fields: Any) -> Callable[[list[Any]], None]:
    return lambda rows: rows[0].update(fields)


FAULTS: list[tuple[Callable[[list[Any]], object], str]] = [
    (change(format=2), ":1: dump format 2 is not known"),
    (change(schema_version=8), ":1: the facts follow schema 8, the program declares 7"),
    (change(aitia="logs"), ":1: this is not a fact dump"),
    (change(facts=3), "promises 3 facts"),
    (change(sources=[]), r":\d+: evidence names a source"),
    (change(extra=1), ":1: extra"),
    (lambda rows: rows.append(["xid", ["e", "a"], []]), r":\d+: .xid. has 3 columns"),
    (lambda rows: rows.append(["nothing", [], []]), r":\d+: there is no input relation"),
    (lambda rows: rows.append(["xid", ["e", "a", 1.5], []]), r":\d+: not a fact|64-bit"),
    (lambda rows: rows.append(["xid", ["e", "a", True], []]), r":\d+: .xid.code"),
    (lambda rows: rows.append({"xid": 1}), r":\d+: not a fact"),
]


@pytest.mark.parametrize(("spoil", "message"), FAULTS)
def test_faults_name_file_and_line(
    tmp_path: Path, spoil: Callable[[list[Any]], object], message: str
) -> None:
    rows = lines(build(SCHEMA, READING))
    spoil(rows)
    path = written(tmp_path, packed(rows))
    with pytest.raises(FactError, match=message) as caught:
        load(path, SCHEMA)
    assert str(path) in str(caught.value)


def test_damaged_files_are_told_apart(tmp_path: Path) -> None:
    good = dump(build(SCHEMA, READING), "1.0")
    with pytest.raises(FactError, match="no gzip file"):
        load(written(tmp_path, b"plain text"), SCHEMA)
    with pytest.raises(FactError, match="cut off or damaged"):
        load(written(tmp_path, good[:-20]), SCHEMA)
    with pytest.raises(FactError, match=":1: not JSON"):
        load(written(tmp_path, gzip.compress(b"{\n")), SCHEMA)
    with pytest.raises(FactError, match=":1: not JSON"):
        load(written(tmp_path, gzip.compress(b"[" * 100_000)), SCHEMA)
    with pytest.raises(FactError, match=":1: the line is not UTF-8"):
        load(written(tmp_path, gzip.compress(b"\xff\n")), SCHEMA)
    with pytest.raises(InputError, match="No such file"):
        load(tmp_path / "none", SCHEMA)
    assert not is_dump(tmp_path / "none")


@settings(max_examples=80, deadline=None)
@given(st.binary(max_size=200), st.booleans())
def test_random_bytes_raise_nothing_but_our_errors(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, zipped: bool
) -> None:
    path = written(tmp_path_factory.mktemp("junk"), gzip.compress(content) if zipped else content)
    with pytest.raises(AitiaError):
        load(path, SCHEMA)
