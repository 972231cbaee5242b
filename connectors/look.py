"""Look at one source: what its lines say, before times and nodes can be settled for the whole incident."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from .automaton import any_of
from .match import Found, decode, parts, understand
from .packs import Pattern
from .peel import Peeled, peel
from .ranks import LITERAL, Member, member_of
from .sacct import JSON_LIMIT, Accounts, find_header, read_json, read_table
from .scan import SAMPLE, Scan, sample_lines
from .shape import Votes
from .stamps import Calendar
from .streams import Content, archive_kind, is_binary
from .walk import Source

OBSERVATION_LIMIT = 20_000
"""Observations at most of one pattern in one source."""
VOTING_HITS = 200

Progress = Callable[[str, int], None]


@dataclass(slots=True)
class Look:
    """What one source holds. ``samples`` are its first and last lines without their prefixes."""

    source: Source
    kind: str = "unknown"
    status: str = "ok"
    reasons: list[str] = field(default_factory=list)
    records: int = 0
    unparsed: int = 0
    digest: str = ""
    found: list[Found] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    samples: list[Peeled] = field(default_factory=list)
    accounts: Accounts | None = None

    def partial(self, reason: str) -> None:
        """Note that not everything was read or kept."""
        self.status = "partial" if self.status == "ok" else self.status
        self.reasons.append(reason)

    def failed(self, reason: str) -> None:
        """Note that nothing could be read."""
        self.status = "failed"
        self.reasons.append(reason)


@dataclass(frozen=True, slots=True)
class Reader:
    """The patterns and their prefilter; one for all sources of an incident."""

    patterns: tuple[Pattern, ...]
    calendar: Calendar
    progress: Progress | None = None

    def look(self, source: Source) -> Look:
        """Read a source whole. Never raises for anything that a file can hold."""
        look = Look(source)
        if source.refused is not None:
            look.failed(source.refused)
            return look
        content = Content(source.path)
        blocks = content.blocks()
        first = next(blocks, b"")
        if not self._set_aside(look, first, content):
            self._read(look, first, chain((first,), self._told(blocks, source.name)))
        look.digest = content.digest
        if content.trouble is not None:
            (look.partial if look.records and look.status != "failed" else look.failed)(content.trouble)
        return look

    def _told(self, blocks: Iterator[bytes], name: str) -> Iterator[bytes]:
        for block in blocks:
            if self.progress is not None:
                self.progress(name, len(block))
            yield block

    def _set_aside(self, look: Look, first: bytes, content: Content) -> bool:
        """Whether there is nothing to read: empty, an archive, binary."""
        archive = archive_kind(first)
        if len(first) < SAMPLE and not first.strip(b"\0 \t\r\n"):
            look.status = "empty"
            return True
        if archive:
            look.failed(f"{archive}: archives are not read yet")
        elif is_binary(first[:SAMPLE]):
            look.failed("binary: not text")
        return look.status == "failed"

    def _read(self, look: Look, first: bytes, blocks: Iterator[bytes]) -> None:
        head = first[:SAMPLE]
        lines = [decode(line) for line in head.split(b"\n")[:20]]
        if find_header(lines) is not None:
            self._read_accounts(look, blocks, json=False)
        elif (
            head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
            and b'"jobs"' in first
            and b'"job_id"' in first
        ):
            self._read_accounts(look, blocks, json=True)
        else:
            self._scan(look, blocks)

    def _read_accounts(self, look: Look, blocks: Iterator[bytes], json: bool) -> None:
        gathered = bytearray()
        for block in blocks:
            gathered += block
            if len(gathered) > JSON_LIMIT:
                look.partial(f"only the first {JSON_LIMIT} bytes of accounting were read")
                del gathered[JSON_LIMIT:]
                break
        text = decode(bytes(gathered))
        name = look.source.name
        look.kind = "scheduler"
        try:
            accounts = read_json(name, text) if json else read_table(name, text, self.calendar)
        except ValueError as error:
            look.failed(f"accounting in JSON that cannot be read: {error}")
            return
        if accounts is None:
            look.kind = "text"
            return
        look.accounts, look.records, look.unparsed = accounts, accounts.records, accounts.unparsed
        for reason in sorted(accounts.reasons):
            look.partial(reason)

    def _scan(self, look: Look, blocks: Iterator[bytes]) -> None:
        words = [word.encode() for pattern in self.patterns for word in pattern.literals]
        scan = Scan(any_of([*words, LITERAL]))
        votes = Votes()
        counts: Counter[str] = Counter()
        for hit in scan.hits(blocks):
            for part in parts(hit):
                if LITERAL.decode() in part.text:
                    member = member_of(part, look.source.name)
                    if member is not None and len(look.members) < OBSERVATION_LIMIT:
                        look.members.append(member)
                found, suspicious = understand(part, self.patterns)
                look.unparsed += suspicious
                if found is None:
                    continue
                counts[found.pattern.name] += 1
                if counts[found.pattern.name] <= OBSERVATION_LIMIT:
                    look.found.append(found)
                if len(look.found) <= VOTING_HITS:
                    votes.match(found.pattern.where, found.peeled)
        look.records = scan.lines
        look.samples = _samples(scan)
        votes.look_all(look.samples)
        look.kind = votes.kind()
        _report_surplus(look, counts)


def _samples(scan: Scan) -> list[Peeled]:
    lines: Sequence[bytes] = sample_lines(scan.head, whole=True)
    if scan.size > len(scan.head):
        lines = [*lines[:-1], *sample_lines(scan.tail, whole=False)]
    return [peel(decode(line[:2000])) for line in lines if line.strip()]


def _report_surplus(look: Look, counts: Counter[str]) -> None:
    for name, count in sorted(counts.items()):
        if count > OBSERVATION_LIMIT:
            look.partial(f"{count - OBSERVATION_LIMIT} of {count} lines of `{name}` were not kept")
