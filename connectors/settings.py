"""``incident.yaml``: what a person states because no file shows it. Configuration, not evidence."""

import fnmatch
from datetime import tzinfo
from typing import Annotated, Literal
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
        settings = Settings.model_validate(yaml.safe_load(text) or {})
        if settings.timezone:
            ZoneInfo(settings.timezone)
    except ValidationError as error:
        raise InputError(f"{name}: {_first_fault(error)}") from None
    except (OSError, yaml.YAMLError, ValueError, KeyError, RecursionError) as error:
        raise InputError(f"{name}: {' '.join(str(error).split())}") from None
    return settings, _statements(settings, name, text.splitlines())


def _first_fault(error: ValidationError) -> str:
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        known = ", ".join(sorted(Settings.model_fields))
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
