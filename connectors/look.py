"""Look at one source: what its lines say, before times and nodes can be settled for the whole incident."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from .around import Surroundings, Told
from .automaton import Finder, any_of
from .match import Found, Matcher, Part, decode, parts, with_context
from .packs import Pattern
from .peel import Peeled, peel
from .ranks import LITERAL, Member, member_of
from .sacct import JSON_LIMIT, Accounts, find_header, read_json, read_table
from .scan import SAMPLE, Hit, Scan, sample_lines
from .shape import Votes
from .stamps import Calendar
from .streams import Content, archive_kind, is_binary
from .walk import Source

OBSERVATION_LIMIT = 20_000
"""Observations at most of one pattern in one source."""
TRIAL_LIMIT = 5 * OBSERVATION_LIMIT
"""Lines at most of one source that one pattern is tried on."""
CONTEXT_LINES = 4
"""A line lends its context to lines at most this far below."""
SAMPLE_LINES = 100
"""Lines at the beginning and at the end of a text that are looked at whatever they say."""
VOTING_HITS = 200
_MEMBER_TEXT = LITERAL.decode()

Progress = Callable[[str, int], None]


@dataclass(slots=True)
class Look:
    """What one source holds.

    ``samples`` are its first and last lines without their prefixes; ``modified`` is the file's age, in
    nanoseconds since 1970; ``around`` maps the number of a found line without a time to the times above and
    below it.
    """

    source: Source
    kind: str = "unknown"
    status: str = "ok"
    reasons: list[str] = field(default_factory=list)
    records: int = 0
    unparsed: int = 0
    digest: str = ""
    modified: int = 0
    found: list[Found] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    samples: list[Peeled] = field(default_factory=list)
    accounts: Accounts | None = None
    around: dict[int, tuple[Told, Told]] = field(default_factory=dict)

    def partial(self, reason: str) -> None:
        """Note that not everything was read or kept."""
        self.status = "partial" if self.status == "ok" else self.status
        self.reasons.append(reason)

    def failed(self, reason: str) -> None:
        """Note that nothing could be read."""
        self.status = "failed"
        self.reasons.append(reason)


def finder_of(patterns: Iterable[Pattern]) -> Finder | None:
    """What finds the literals of patterns; those that only add to another's event call for no line."""
    return any_of([LITERAL, *(word.encode() for p in patterns if not p.also for word in p.literals)])


@dataclass(frozen=True, slots=True)
class Reader:
    """The patterns and what finds their literals; one reader for all sources of an incident."""

    matcher: Matcher
    finder: Finder | None
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
            self._read(look, first, self._told(chain((first,), blocks), source.name))
        look.digest, look.modified = content.digest, content.modified
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
        pass_over = _Pass(look, self.matcher, Scan(self.finder))
        for hit in pass_over.scan.hits(blocks):
            for part in parts(hit):
                pass_over.take(part, hit)
        look.records = pass_over.scan.lines
        look.samples = _samples(pass_over.scan)
        pass_over.votes.look_all(look.samples)
        look.kind = pass_over.votes.kind()
        for reason in pass_over.reasons():
            look.partial(reason)


@dataclass(slots=True)
class _Pass:
    """One pass over one text: what was found, what it looks like, and which patterns have had their fill."""

    look: Look
    matcher: Matcher
    scan: Scan
    votes: Votes = field(default_factory=Votes)
    kept: Counter[str] = field(default_factory=Counter)
    tried: Counter[str] = field(default_factory=Counter)
    spent: dict[str, str] = field(default_factory=dict)
    lent: Found | None = None
    around: Surroundings = field(default_factory=Surroundings)

    def take(self, part: Part, hit: Hit) -> None:
        """Note what a part says."""
        look = self.look
        if _MEMBER_TEXT in part.text and len(look.members) < OBSERVATION_LIMIT:
            member = member_of(part, look.source.name)
            look.members += () if member is None else (member,)
        understood = self.matcher.understand(part)
        look.unparsed += understood.suspicious
        found = understood.found
        spent = len(self.spent)
        for name in understood.tried:
            self.tried[name] += 1
            if self.tried[name] == TRIAL_LIMIT and name not in self.spent:
                self.spent[name] = (
                    f"more than {TRIAL_LIMIT} lines have words of `{name}`; later ones were not tried"
                )
        if found is not None:
            self._keep(found)
            if found.stamp is None and found.line not in look.around:
                look.around[found.line] = self.around.of(hit)
        if len(self.spent) > spent:
            self.scan.finder = finder_of(p for p in self.matcher.patterns if p.name not in self.spent)

    def _keep(self, found: Found) -> None:
        if found.pattern.context == "gives":
            self.lent = found if self._lent_to(found) is None else with_context(found, self.lent)
            return
        if found.pattern.context == "takes":
            found = with_context(found, self._lent_to(found))
        name = found.pattern.name
        self.kept[name] += 1
        if self.kept[name] <= OBSERVATION_LIMIT:
            self.look.found.append(found)
        else:
            self.spent[name] = f"more than {OBSERVATION_LIMIT} lines of `{name}`; later ones were not kept"
        if len(self.look.found) <= VOTING_HITS:
            self.votes.match(found.pattern.where, found.peeled)

    def _lent_to(self, found: Found) -> Found | None:
        """The context that the last lines gave, unless they are too far."""
        near = self.lent is not None and found.line - self.lent.line <= CONTEXT_LINES
        return self.lent if near else None

    def reasons(self) -> list[str]:
        """Why not everything was kept."""
        return [self.spent[name] for name in sorted(self.spent)]


def _samples(scan: Scan) -> list[Peeled]:
    """The first and the last lines of a text, without their prefixes."""
    head = [line for line in sample_lines(scan.head, whole=True) if line.strip()]
    if scan.size > len(scan.head):
        last = [line for line in sample_lines(scan.tail, whole=False) if line.strip()]
        lines = [*head[:SAMPLE_LINES], *last[-SAMPLE_LINES:]]
    else:
        lines = head if len(head) <= 2 * SAMPLE_LINES else [*head[:SAMPLE_LINES], *head[-SAMPLE_LINES:]]
    return [peel(decode(line[:2000])) for line in lines]
