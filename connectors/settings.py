"""``incident.yaml``: what a person states because no file shows it. Configuration, not evidence."""

import fnmatch
from collections.abc import Hashable, Iterable
from datetime import tzinfo
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import yaml
from aitia.engine.errors import InputError
from aitia.facts.observation import Place, Statement, Value
from pydantic import BaseModel, ConfigDict, Field, StrictInt, ValidationError

from .stamps import utc_zone
from .walk import Source

SETTINGS_BYTES = 1 << 20
Name = Annotated[str, Field(min_length=1, max_length=255, coerce_numbers_to_str=True)]
RankNumber = Annotated[StrictInt, Field(ge=0, lt=1 << 31)]


class FileSettings(BaseModel):
    """What is stated about the files that a path or glob names."""

    model_config = ConfigDict(extra="forbid")
    node: Name | None = None
    rank: RankNumber | None = None
    kind: Literal["kernel", "application", "scheduler", "text"] | None = None


class Settings(BaseModel):
    """The whole of ``incident.yaml``."""

    model_config = ConfigDict(extra="forbid")
    attempt: Name | None = None
    workload: Name | None = None
    timezone: Name | None = None
    year: Annotated[StrictInt, Field(ge=1990, le=2200)] | None = None
    files: dict[str, FileSettings] = {}
    placement: dict[RankNumber, Name] = {}

    def zone(self) -> tzinfo:
        """The zone of texts that name none: as stated, else UTC."""
        return ZoneInfo(self.timezone) if self.timezone else utc_zone()

    def of_file(self, source: str) -> FileSettings:
        """What is stated about a source; the first glob that fits wins."""
        for glob, stated in self.files.items():
            if source == glob or fnmatch.fnmatchcase(source, glob):
                return stated
        return FileSettings()


def read_settings(source: Source) -> tuple[Settings, tuple[Statement, ...]]:
    """The settings in a file, and what they state as facts. Raises InputError with the key that is wrong."""
    path, name = source.path, source.name
    try:
        if path.stat().st_size > SETTINGS_BYTES:
            raise InputError(f"{name}: larger than {SETTINGS_BYTES} bytes")
        text = path.read_text(encoding="utf-8")
        settings = Settings.model_validate(yaml.load(text, _OneOfEach) or {})
    except ValidationError as error:
        raise InputError(f"{path}: {_first_fault(error)}") from None
    except (OSError, yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: {' '.join(str(error).split())}") from None
    _check_zone(settings, path)
    return settings, _statements(settings, name, text.splitlines())


class _OneOfEach(yaml.SafeLoader):
    """A loader that refuses a key given twice, of which the last would silently win."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys: set[str] = set()
        for key, _ in node.value:
            if key.value in keys:
                raise yaml.YAMLError(f"line {key.start_mark.line + 1}: the key `{key.value}` stands twice")
            keys.add(str(key.value))
        return super().construct_mapping(node, deep)


def _check_zone(settings: Settings, path: Path) -> None:
    if settings.timezone:
        try:
            ZoneInfo(settings.timezone)
        except (KeyError, ValueError, OSError):
            hint = "give a name such as Europe/Berlin or Etc/GMT-2"
            raise InputError(f"{path}: the time zone `{settings.timezone}` is not known; {hint}") from None


def check_globs(settings: Settings, sources: Iterable[str], path: Path) -> None:
    """Raise InputError for a ``files`` entry that fits no file: a slip there would cost what it states."""
    names = list(sources)
    for glob in settings.files:
        if not any(name == glob or fnmatch.fnmatchcase(name, glob) for name in names):
            raise InputError(f"{path}: `files.{glob}` fits no file of the incident")


def _first_fault(error: ValidationError) -> str:
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    if not key:
        return "it has to be a mapping of keys to values"
    if first["type"] == "extra_forbidden":
        inner = first["loc"][0] == "files"
        known = ", ".join(sorted((FileSettings if inner else Settings).model_fields))
        return f"the key `{key}` is not known; known keys: {known}"
    return f"`{key}`: {first['msg']}"


def _statements(settings: Settings, name: str, lines: list[str]) -> tuple[Statement, ...]:
    def place(key: str) -> Place:
        for number, line in enumerate(lines, 1):
            if line.lstrip().startswith(key):
                return Place(name, number, 0, line)
        return Place(name, 1, 0, lines[0] if lines else "")

    found: list[Statement] = []
    if settings.attempt:
        job: tuple[Value, ...] = (settings.attempt, settings.attempt, settings.workload or "")
        found.append(Statement("job", job, place("attempt")))
    for rank, node in settings.placement.items():
        found.append(Statement("placement", (rank, node), place("placement")))
    return tuple(found)
