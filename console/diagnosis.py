"""The shape of a diagnosis as it is printed in JSON (schema ``aitia.diagnosis/1``)."""

from typing import Any

from pydantic import BaseModel, ConfigDict

SCHEMA = "aitia.diagnosis/1"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ProgramInfo(_Part):
    """Which program said so."""

    name: str
    revision: str
    dirty: bool


class Locus(_Part):
    """Where a fault lies, as narrow as the evidence allows."""

    node: str | None = None
    device: str | None = None
    rank: int | None = None
    switch: str | None = None
    process_group: str | None = None


class Moment(_Part):
    """When something happened, in UTC, and by whose clock; null ends where no wall clock tells."""

    begin: str | None
    end: str | None
    clock: str | None


class SourceRef(_Part):
    """A place in a file: line from 1, byte offset of its start."""

    path: str
    line: int
    offset: int


class Cause(_Part):
    """A root cause, or in an ambiguous diagnosis one of the suspects."""

    id: str
    domain: str
    sub_domain: str
    locus: Locus
    at: Moment
    statement: str
    rule: str
    actions: tuple[str, ...]
    events: tuple[str, ...]
    proof: dict[str, Any]


class Symptom(_Part):
    """Records of one kind from one place, explained by one event; node and rank are those of the first.

    ``count`` is the number of records, ``events`` the first record of each bundle, ``ranks`` all that are known.
    """

    event: str
    kind: str
    node: str | None
    rank: int | None
    ranks: tuple[int, ...]
    count: int
    events: tuple[str, ...]
    explained_by: str
    rule: str
    statement: str


class Unexplained(_Part):
    event: str
    kind: str
    node: str | None
    rank: int | None
    count: int


class AffectedNode(_Part):
    node: str
    role: str


class Missing(_Part):
    """A source that was not there, and what it would do."""

    source: str
    node: str | None
    would: str


class Nearest(_Part):
    """A fault that would explain symptoms by a rule, did the times allow it."""

    event: str
    rule: str
    explains: str


class Evidence(_Part):
    event: str
    kind: str
    role: str
    node: str | None
    at: Moment
    text: str
    source: SourceRef


class Covered(_Part):
    source: str
    kind: str
    status: str
    records: int
    unparsed: int
    begin: str | None
    end: str | None
    reason: str | None


class Attempt(_Part):
    """One run of a workload."""

    attempt: str
    workload: str | None
    outcome: str
    verdict: str
    headline: str
    domain: str | None
    sub_domain: str | None
    among: tuple[str, ...]
    root_causes: tuple[Cause, ...]
    candidates: tuple[Cause, ...]
    symptoms: tuple[Symptom, ...]
    unexplained: tuple[Unexplained, ...]
    nearest: tuple[Nearest, ...]
    affected_nodes: tuple[AffectedNode, ...]
    missing: tuple[Missing, ...]
    evidence: tuple[Evidence, ...]
    coverage: tuple[Covered, ...]


class Unassigned(_Part):
    """Faults and symptoms of one kind and source that belong to no run."""

    event: str
    kind: str
    node: str | None
    source: str
    count: int


class Diagnosis(_Part):
    program: ProgramInfo
    attempts: tuple[Attempt, ...]
    unassigned: tuple[Unassigned, ...] = ()
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The diagnosis with the field names of the contract."""
        body = self.model_dump(mode="json")
        return {"schema": SCHEMA, **_renamed(body)}


def _renamed(value: Any) -> Any:
    """``begin``/``end`` are called ``from``/``to`` outside (``from`` is a word of Python's own)."""
    match value:
        case dict():
            names = {"begin": "from", "end": "to"}
            return {names.get(k, k): v if k == "proof" else _renamed(v) for k, v in value.items()}
        case list() | tuple():
            return [_renamed(v) for v in value]
        case _:
            return value
