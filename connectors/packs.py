"""Pattern packs: YAML that says which lines mean what. Data, validated in full before a log is opened.

Invariant: a pack that loads has expressions that compile, converters and tables that exist, and templates
that need no group which the expression does not have.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import yaml
from aitia.engine.errors import InputError
from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from .automaton import Expression, expression
from .templates import CONVERTERS, Group, Maps, Template, parse_template

Channel = Literal["kernel", "application", "scheduler", "any"]
PACK_BYTES = 4 << 20


class Sample(BaseModel):
    """A line, and the facts that its pattern must make of it, as text."""

    model_config = ConfigDict(extra="forbid")
    line: str
    facts: tuple[str, ...]


class Entry(BaseModel):
    """One pattern as written."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)
    name: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    where: Channel = Field(alias="in")
    literals: Annotated[
        tuple[Annotated[str, Field(min_length=3, pattern=r"^[^\r\n]+$")], ...], Field(min_length=1)
    ]
    regex: str
    kind: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")] | None = None
    makes: tuple[str, ...] = ()
    reference: Annotated[str, Field(min_length=8)]
    samples: Annotated[tuple[Sample, ...], Field(min_length=1)]
    near: tuple[str, ...] = Field(alias="not", default=())
    also: bool = False
    common: bool = False
    clock: Literal["line", "scheduler"] = "line"
    context: Literal["none", "gives", "takes"] = "none"


class Pack(BaseModel):
    """One file: tables for ``map:``, expressions that patterns share as ``%name%``, and the patterns."""

    model_config = ConfigDict(extra="forbid")
    maps: dict[str, dict[StrictStr, StrictInt | StrictStr]] = {}
    parts: dict[Annotated[str, Field(pattern=r"^[a-z_]+$")], str] = {}
    patterns: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern ready for use.

    ``context``: a line that gives context lends its node, rank and time to the next lines of a pattern that takes
    it. ``common``: its literals are ordinary words; a line that has them and does not match is no sign of a gap.
    """

    name: str
    where: Channel
    literals: tuple[str, ...]
    regex: Expression
    kind: str | None
    makes: tuple[Template, ...]
    maps: Maps
    also: bool
    common: bool
    clock: str
    context: str


def load_packs(folders: Sequence[Path]) -> tuple[Pattern, ...]:
    """The patterns of every ``*.yaml`` in the folders, in order of folder, file name and place in the file.

    Raises InputError naming file and entry.
    """
    patterns: list[Pattern] = []
    for folder in folders:
        if not folder.is_dir():
            raise InputError(f"{folder}: there is no such folder of patterns")
        for path in sorted(folder.glob("*.yaml")):
            pack = read_pack(path)
            patterns += [compile_entry(entry, pack, path.name) for entry in pack.patterns]
    seen: set[str] = set()
    for pattern in patterns:
        if pattern.name in seen:
            raise InputError(f"two patterns are called `{pattern.name}`")
        seen.add(pattern.name)
    return tuple(patterns)


def read_pack(path: Path) -> Pack:
    """Read and check one file's shape. Raises InputError."""
    try:
        if path.stat().st_size > PACK_BYTES:
            raise InputError(f"{path}: larger than {PACK_BYTES} bytes")
        with path.open("rb") as file:
            return Pack.model_validate(yaml.load(file, Loader=_loader()))
    except (OSError, yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: {_faults(error)}") from None


def compile_entry(entry: Entry, pack: Pack, file: str) -> Pattern:
    """Compile one entry. Raises InputError naming file and entry."""
    where = f"{file}: pattern `{entry.name}`"
    try:
        regex = expression(_with_parts(entry.regex, pack.parts))
    except ValueError as error:
        raise InputError(f"{where}: the expression does not compile: {error}") from None
    try:
        makes = tuple(parse_template(text) for text in entry.makes)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    for template in makes:
        _check(template, frozenset(regex.groups), pack.maps, where)
    if entry.kind is None and not entry.also and any(not t.is_statement() for t in makes):
        raise InputError(f"{where}: makes facts of an event and has no kind")
    return Pattern(
        name=entry.name,
        where=entry.where,
        literals=entry.literals,
        regex=regex,
        kind=entry.kind,
        makes=makes,
        maps=pack.maps,
        also=entry.also,
        common=entry.common,
        clock=entry.clock,
        context=entry.context,
    )


def _with_parts(expression: str, shared: Mapping[str, str]) -> str:
    """Put a pack's shared parts in for ``%name%``."""
    for name, part in shared.items():
        expression = expression.replace(f"%{name}%", part)
    return expression


def _check(template: Template, groups: frozenset[str], maps: Maps, where: str) -> None:
    missing = sorted(template.groups() - groups)
    if missing:
        raise InputError(
            f"{where}: the expression has no group `{missing[0]}` that {template.relation} needs"
        )
    for argument in template.arguments:
        if not isinstance(argument, Group):
            continue
        for name in argument.converters:
            known = name[4:] in maps if name.startswith("map:") else name in CONVERTERS
            if not known:
                raise InputError(f"{where}: `{name}` is no converter or table")


def _loader() -> type[yaml.SafeLoader]:
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _faults(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        return f"{place}: {first['msg']}"
    return " ".join(str(error).split())
