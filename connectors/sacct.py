"""Slurm accounting: the text of ``sacct`` and ``sacct --json``, read into statements about attempts.

Columns may come in any choice and order. Invariant: what a row does not say stays unsaid; a row that cannot
be read is counted and the others go on.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from aitia.facts.observation import EVENT, TEXT_LIMIT, Observation, Place, Statement, Value, When

from .hostlist import HostlistError, expand
from .peel import short_host
from .stamps import SECOND, Calendar, interval, parse_iso
from .templates import clean

DELIMITERS = ("\x1f", "\x1e", "|")
RULED = "-"
"""Stands for the delimiter of a table in columns, with a rule of dashes under its header."""
STATES = re.compile(
    r"(?:PENDING|RUNNING|SUSPENDED|COMPLETED|CANCELLED|FAILED|TIMEOUT|NODE_FAIL|PREEMPTED|BOOT_FAIL|DEADLINE|"
    r"OUT_OF_MEMORY)\Z"
)
RUNNING = frozenset(("PENDING", "RUNNING", "SUSPENDED"))
NOTHING = frozenset(("", "Unknown", "None", "N/A", "(null)", "None assigned", "None Assigned"))
JSON_LIMIT = 64 << 20
JOB_LIMIT = 100_000
MAX_TIME = 4_102_444_800
"""Seconds: the year 2100; a later time is absurd."""


@dataclass(frozen=True, slots=True)
class Job:
    """One run of a job as accounting shows it; times in seconds are already nanoseconds UTC."""

    job: str
    name: str
    place: Place
    state: str | None = None
    cancelled_by: int | None = None
    exit: tuple[int, int] | None = None
    start: int | None = None
    end: int | None = None
    nodes: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


@dataclass(slots=True)
class Accounts:
    """What a file of accounting said: jobs, rows seen and rows not understood, and why."""

    jobs: list[Job] = field(default_factory=list)
    records: int = 0
    unparsed: int = 0
    reasons: set[str] = field(default_factory=set)


def find_header(lines: Sequence[str]) -> tuple[int, str] | None:
    """Where among a file's first lines the header of ``sacct`` stands, and its delimiter; None for none."""
    for index, line in enumerate(lines[:20]):
        below = lines[index + 1] if index + 1 < len(lines) else ""
        if {"jobid", "state"} <= set(line.lower().split()) and re.fullmatch(r"-{2,}(?: +-{2,})+\s*", below):
            return index, RULED
        for delimiter in DELIMITERS:
            names = {part.strip().lower() for part in line.split(delimiter)}
            if names & {"jobid", "jobidraw"} and "state" in names:
                return index, delimiter
    return None


def read_table(source: str, text: str, calendar: Calendar) -> Accounts:
    """Read the text of ``sacct -P``, or of ``sacct`` in columns."""
    lines = text.split("\n")
    header = find_header(lines)
    accounts = Accounts(records=len(lines) - (lines[-1] == ""))
    if header is None:
        return accounts
    index, delimiter = header
    if delimiter == RULED:
        spans = [found.span() for found in re.finditer("-+", lines[index + 1])]
        cut = ("\x1f".join(line[a:b] for a, b in spans) if line.strip() else "" for line in lines[index:])
        delimiter, table = "\x1f", [*lines[:index], *cut]
        table[index + 1] = ""
    else:
        table = lines
    names = [part.strip().lower() for part in table[index].rstrip("\r").split(delimiter)]
    starts = [0, *accumulate(len(line.encode()) + 1 for line in lines)]
    for number, row, cells in _rows(table[index + 1 :], delimiter, len(names), accounts):
        place = Place(
            source, index + 1 + number, starts[index + number], _raw(row, lines[index + number])[:TEXT_LIMIT]
        )
        _add_row(dict(zip(names, cells, strict=False)), place, calendar, accounts)
    return accounts


def _raw(row: str, line: str) -> str:
    """The row as it stands in the file: a joined row is longer than its first line."""
    return row if row.startswith(line.rstrip("\r")) else line


def _rows(
    lines: Sequence[str], delimiter: str, width: int, accounts: Accounts
) -> Iterator[tuple[int, str, list[str]]]:
    """Rows with the right number of cells; a row that free text broke over lines is joined again."""
    held, first = "", 0
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\r")
        if not line.strip():
            continue
        whole = line.count(delimiter) + 1 == width
        if held and not whole and (held + " " + line).count(delimiter) + 1 <= width:
            held = held + " " + line
        else:
            accounts.unparsed += bool(held)
            held, first = line, number
        if held.count(delimiter) + 1 == width:
            yield first, held, [cell.strip() for cell in held.split(delimiter)]
            held = ""
    accounts.unparsed += bool(held)


def _add_row(row: Mapping[str, str], place: Place, calendar: Calendar, accounts: Accounts) -> None:
    job = row.get("jobidraw") or row.get("jobid", "")
    if not re.fullmatch(r"\d{1,18}(?:[_+.][\w.+\[\]%,-]{1,40})?", job, re.ASCII):
        accounts.unparsed += 1
        return
    if "." in job or len(accounts.jobs) >= JOB_LIMIT:
        return
    state, cancelled_by = _state(row.get("state", ""))
    accounts.unparsed += state is None
    accounts.jobs.append(
        Job(
            job=job,
            name=clean(row.get("jobname", "")),
            place=place,
            state=state,
            cancelled_by=cancelled_by,
            exit=_exit(row.get("exitcode", "")),
            start=_time(row.get("start", ""), calendar),
            end=_time(row.get("end", ""), calendar),
            nodes=_hosts(row.get("nodelist", ""), accounts),
            failed=_hosts(row.get("failednode", ""), accounts),
        )
    )


def _state(text: str) -> tuple[str | None, int | None]:
    words = text.split()
    if not words or not STATES.match(words[0].rstrip("+")):
        return None, None
    by = words[2] if words[1:2] == ["by"] and len(words) > 2 else ""
    return words[0].rstrip("+"), _uid(by)


def _uid(text: str) -> int | None:
    return int(text) if re.fullmatch(r"\d{1,10}", text, re.ASCII) else None


def _exit(text: str) -> tuple[int, int] | None:
    found = re.fullmatch(r"(\d{1,5}):(\d{1,5})", text, re.ASCII)
    return (int(found[1]), int(found[2])) if found else None


def _time(text: str, calendar: Calendar) -> int | None:
    if re.fullmatch(r"\d{9,11}", text, re.ASCII):
        return int(text) * SECOND if int(text) < MAX_TIME else None
    stamp = parse_iso(text)
    found = interval(stamp, calendar) if stamp else None
    return found[0] if found else None


def _hosts(text: str, accounts: Accounts) -> tuple[str, ...]:
    if text in NOTHING:
        return ()
    try:
        return tuple(short_host(name) for name in expand(text))
    except HostlistError as error:
        accounts.unparsed += 1
        accounts.reasons.add(str(error))
        return ()


def read_json(source: str, text: str) -> Accounts | None:
    """Read ``sacct --json``; None where the text is no JSON of accounting.

    Raises ValueError with a reason where it is damaged JSON or nested too deeply.
    """
    try:
        document = json.loads(text)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None
    jobs = document.get("jobs") if isinstance(document, dict) else None
    if not isinstance(jobs, list):
        return None
    accounts = Accounts(records=len(jobs))
    place = Place(source, 0, 0, "")
    for entry in jobs[:JOB_LIMIT]:
        try:
            accounts.jobs.append(_job_of(entry, place, accounts))
        except (KeyError, TypeError, ValueError, AttributeError):
            accounts.unparsed += 1
    return accounts


def _job_of(entry: Mapping[str, Any], place: Place, accounts: Accounts) -> Job:
    job = entry["job_id"]
    if not isinstance(job, int) or isinstance(job, bool) or not 0 <= job < 2**63:
        raise ValueError("no job id")
    time = entry.get("time") or {}
    code = entry.get("exit_code") or {}
    state = _json_state(entry.get("state"))
    if state is None:
        accounts.unparsed += 1
    seen = {"job_id": job, "state": entry.get("state"), "exit_code": code, "time": time}
    text = json.dumps({**seen, "nodes": entry.get("nodes")}, ensure_ascii=False)[:TEXT_LIMIT]
    killed = entry.get("kill_request_user")
    return Job(
        job=str(job),
        name=clean(str(entry.get("name") or "")),
        place=Place(place.source, place.line, place.offset, text),
        state=state,
        cancelled_by=_uid(str(killed)) if state == "CANCELLED" else None,
        exit=_json_exit(code),
        start=_json_time(time.get("start")),
        end=_json_time(time.get("end")),
        nodes=_hosts(str(entry.get("nodes") or ""), accounts),
        failed=_hosts(str(entry.get("failed_node") or ""), accounts),
    )


def _json_state(value: Any) -> str | None:
    current = value.get("current") if isinstance(value, dict) else value
    words = current if isinstance(current, list) else [current]
    return next((word for word in words if isinstance(word, str) and STATES.match(word)), None)


def _optional(value: Any) -> int | None:
    """Slurm's optional number: an object whose ``number`` counts only when ``set``."""
    if isinstance(value, dict):
        value = value.get("number") if value.get("set") and not value.get("infinite") else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _json_exit(code: Mapping[str, Any]) -> tuple[int, int] | None:
    number = _optional(code.get("return_code"))
    signal = code.get("signal")
    signalled = _optional(signal.get("id") if isinstance(signal, dict) else signal)
    if number is None and signalled is None:
        return None
    found = (number or 0, signalled or 0)
    return found if all(0 <= part < 2**31 for part in found) else None


def _json_time(value: Any) -> int | None:
    seconds = _optional(value)
    return seconds * SECOND if seconds is not None and 0 < seconds < MAX_TIME else None


def statements(jobs: Sequence[Job]) -> list[Statement]:
    """The facts of jobs. Rows with one id are attempts of a requeued job: ``4711``, ``4711#2`` by start."""
    found: list[Statement] = []
    by_id: dict[str, list[Job]] = {}
    for job in sorted(jobs, key=_in_order):
        by_id.setdefault(job.job, []).append(job)
    for name, runs in by_id.items():
        for number, run in enumerate(_without_repeats(runs), 1):
            found += _facts_of(name if number == 1 else f"{name}#{number}", run)
    return found


def ends(said: Sequence[Statement]) -> Iterator[Observation]:
    """The end of each run as an event, where accounting says that it ended."""
    until = {s.args[0]: s.args[2] for s in said if s.relation == "job_time"}
    for s in said:
        if s.relation == "job_state" and s.args[1] not in RUNNING:
            end = until.get(s.args[0])
            when = When(end, end + SECOND - 1, "scheduler") if isinstance(end, int) and end > 0 else None
            yield Observation("job_end", s.place, (("job_ended", (EVENT, s.args[0], s.args[1])),), when)


def _in_order(job: Job) -> tuple[str, bool, int, Place]:
    return job.job, job.start is None, job.start or 0, job.place


def _without_repeats(runs: Sequence[Job]) -> list[Job]:
    """Two files may hold the same row: equal runs are one."""
    seen: dict[object, Job] = {}
    for run in runs:
        seen.setdefault((run.start, run.end, run.state, run.exit, run.nodes), run)
    return list(seen.values())


def _facts_of(attempt: str, run: Job) -> Iterator[Statement]:
    def say(relation: str, *args: Value) -> Statement:
        return Statement(relation, (attempt, *args), run.place)

    yield say("job", run.job, run.name)
    if run.state:
        yield say("job_state", run.state)
    if run.cancelled_by is not None:
        yield say("job_cancelled_by", run.cancelled_by)
    if run.exit:
        yield say("job_exit", *run.exit)
    if run.start is not None and run.end is not None and run.start <= run.end:
        yield say("job_time", run.start, run.end)
    for node in dict.fromkeys(run.nodes):
        yield say("job_node", node)
    for node in dict.fromkeys(run.failed):
        yield say("job_failed_node", node)
