"""Facts at rest: gzip-compressed JSON lines that round-trip without loss.

Line 1 is the manifest, then come the sources with their coverage, then the facts in canonical order. Equal bases
give equal bytes (the gzip header carries no time). Line format, one JSON array or object a line:

    {"aitia": "facts", "format": 1, "schema": 1, "facts": 42, "sources": [{…coverage…}]}
    ["xid", ["e1", "node-02", "0000:5d:00", 79], [[0, 812, 60233, "NVRM: Xid …"]]]

The third member lists the places: number of the source in the manifest, line, byte offset, raw text.
"""

import gzip
import io
import json
import zlib
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from aitia.engine.errors import FactError, InputError
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from .base import FactBase, Row
from .observation import Coverage, Place
from .schema import Schema

FORMAT = 1
LINE_LIMIT = 16 << 20
"""Characters that one line of a dump may have."""
MAGIC = b"\x1f\x8b"


class Manifest(BaseModel):
    """The first line of a dump."""

    model_config = ConfigDict(extra="forbid", strict=True)

    aitia: str
    format: int
    version: str
    schema_version: int
    facts: int
    sources: list[dict[str, Any]]


_COVERAGE = TypeAdapter(Coverage)
_FACT: TypeAdapter[tuple[str, tuple[str | int, ...], list[tuple[int, int, int, str]]]] = TypeAdapter(
    tuple[str, tuple[str | int, ...], list[tuple[int, int, int, str]]]
)


def dump(base: FactBase, version: str) -> bytes:
    """The whole base as bytes; ``version`` is that of the program that wrote it."""
    names = [c.source for c in base.coverage]
    extra = sorted({p.source for places in base.evidence.values() for p in places} - set(names))
    index = {name: i for i, name in enumerate(names + extra)}
    sources = [asdict(c) for c in base.coverage] + [{"source": name} for name in extra]
    head = Manifest(
        aitia="facts",
        format=FORMAT,
        version=version,
        schema_version=base.schema.version,
        facts=base.count(),
        sources=sources,
    )
    out = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=out, mode="wb", compresslevel=6, mtime=0) as packed:
        packed.write(_line(head.model_dump()))
        for relation in sorted(base.rows):
            for row in base.rows[relation]:
                places = [[index[p.source], p.line, p.offset, p.text] for p in base.places(relation, row)]
                packed.write(_line([relation, row, places]))
    return out.getvalue()


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"


def is_dump(path: Path) -> bool:
    """Whether a file starts as a dump does; False where it cannot be read."""
    try:
        with gzip.open(path, "rb") as packed:
            return packed.read(18).startswith(b'{"aitia":"facts"')
    except (OSError, EOFError, zlib.error):
        return False


def load(path: Path, schema: Schema) -> FactBase:
    """Read a dump; every fault names the file and the line.

    Raises InputError when the file cannot be opened, FactError when it is damaged, of another format or
    schema version, or holds a row that the schema does not declare.
    """
    try:
        lines = _lines(path)
        first = next(lines, "")
        head = _manifest(path, first, schema)
        sources = tuple(_coverage(path, s) for s in head.sources)
        names = [str(s["source"]) for s in head.sources]
        rows: dict[str, list[Row]] = {}
        evidence: dict[tuple[str, Row], tuple[Place, ...]] = {}
        for number, text in enumerate(lines, 2):
            relation, row, places = _fact(path, number, text, schema, names)
            rows.setdefault(relation, []).append(row)
            if places:
                evidence[relation, row] = places
    except OSError as error:
        if isinstance(error, gzip.BadGzipFile):
            raise FactError(f"{path}: this is no gzip file") from None
        raise InputError(f"{path}: {error.strerror or error}") from None
    except (EOFError, zlib.error):
        raise FactError(
            f"{path}: the dump is cut off or damaged (its compression does not end well)"
        ) from None
    count = sum(map(len, rows.values()))
    if count != head.facts:
        raise FactError(f"{path}: the manifest promises {head.facts} facts, the file holds {count}")
    return FactBase(
        schema,
        {r: tuple(sorted(set(v))) for r, v in sorted(rows.items())},
        dict(sorted(evidence.items())),
        tuple(c for c in sources if c is not None),
    )


def _lines(path: Path) -> Iterator[str]:
    with gzip.open(path, "rb") as packed:
        number = 0
        while line := packed.readline(LINE_LIMIT + 1):
            number += 1
            if len(line) > LINE_LIMIT:
                raise FactError(f"{path}:{number}: the line is longer than {LINE_LIMIT >> 20} MiB")
            try:
                yield line.decode()
            except UnicodeDecodeError:
                raise FactError(f"{path}:{number}: the line is not UTF-8") from None


def _parse(path: Path, number: int, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = (
            error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply or a number too long"
        )
        raise FactError(f"{path}:{number}: not JSON ({reason})") from None


def _manifest(path: Path, text: str, schema: Schema) -> Manifest:
    value = _parse(path, 1, text)
    if not isinstance(value, dict) or value.get("aitia") != "facts":
        raise FactError(f"{path}:1: this is not a fact dump (the first line is no manifest)")
    if value.get("format") != FORMAT:
        raise FactError(
            f"{path}:1: dump format {value.get('format')!r} is not known; this aitia reads {FORMAT}"
        )
    try:
        head = Manifest.model_validate(value)
    except ValidationError as error:
        raise FactError(f"{path}:1: {_first(error)}") from None
    if head.schema_version != schema.version:
        raise FactError(
            f"{path}:1: the facts follow schema {head.schema_version}, the program declares {schema.version}"
        )
    if not all(isinstance(s.get("source"), str) for s in head.sources):
        raise FactError(f"{path}:1: a source has no name")
    return head


def _coverage(path: Path, value: dict[str, Any]) -> Coverage | None:
    if set(value) == {"source"}:
        return None
    try:
        return _COVERAGE.validate_python(value)
    except ValidationError as error:
        raise FactError(f"{path}:1: source {value.get('source')!r}: {_first(error)}") from None


def _fact(
    path: Path, number: int, text: str, schema: Schema, names: list[str]
) -> tuple[str, Row, tuple[Place, ...]]:
    value = _parse(path, number, text)
    try:
        relation, row, found = _FACT.validate_python(value, strict=False)
    except ValidationError as error:
        raise FactError(f"{path}:{number}: not a fact: {_first(error)}") from None
    row = tuple(value[1])
    fault = schema.check(relation, row)
    if fault:
        raise FactError(f"{path}:{number}: {fault}")
    if any(not 0 <= source < len(names) for source, *_ in found):
        raise FactError(f"{path}:{number}: evidence names a source that the manifest does not list")
    return relation, row, tuple(Place(names[s], line, offset, raw) for s, line, offset, raw in found)


def _first(error: ValidationError) -> str:
    fault = error.errors()[0]
    where = ".".join(str(part) for part in fault["loc"])
    return f"{where}: {fault['msg']}" if where else str(fault["msg"])
