"""Take the prefixes off a log line: who wrote it, when, which rank, and the text that is left.

A line may carry several prefixes one after another (a pod's timestamp, a launcher's rank, a library's own
header); they are taken off one by one. Every expression is anchored and has a fixed shape, so the work per
line is bounded by its length.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from .stamps import MONTHS, SECOND, Dated, SinceBoot, Stamp, dated, since_boot, yearless

LEVELS = re.compile(r"(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL|SEVERE|stdout|stderr)\Z")
MAX_PIECES = 12


@dataclass(slots=True)
class Peeled:
    """One line without its prefixes. Pieces fill it while it is made; nobody changes it afterwards.

    ``channel`` is kernel, host (a system log line of another program), nccl or plain. ``wall_error`` is the
    error of the clock that printed ``stamp``, in nanoseconds. ``rank`` is what the program itself says,
    ``label`` what a launcher put before the line: a rank only if it started every rank itself. ``pid`` is the
    process of an NCCL line.
    """

    body: str
    stamp: Stamp | None = None
    node: str | None = None
    rank: int | None = None
    label: int | None = None
    channel: str = "plain"
    wall_error: int = SECOND
    pid: int | None = None

    def time(self, stamp: Stamp | None, error: int = SECOND) -> bool:
        """Take a time, unless an outer prefix told one; false for no time at all."""
        if stamp is None:
            return False
        if self.stamp is None:
            self.stamp, self.wall_error = stamp, error
        return True


Piece = tuple[re.Pattern[str], Callable[[Peeled, re.Match[str]], bool]]
"""An anchored expression, and what takes its match in: false where it is no such prefix after all."""

_HOST = r"(?P<host>[A-Za-z0-9_][\w.:-]*)"
_TAG = r"(?P<tag>[\w./@-]+(?:\([\w-]*\))?)(?:\[\d+\])?: ?"
_CLOCK = r"(?P<clock>\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)"
_DATE = r"(?P<year>\d{4})[-/](?P<month>\d\d)[-/](?P<day>\d\d)"
_ZONE = r"(?: ?(?P<zone>Z\b|[+-][01]\d:?(?:00|30|45)\b))?"


def short_host(name: str) -> str:
    """A host's name up to the first dot; an IP address stays whole."""
    if re.fullmatch(r"[\d.]+|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*", name):
        return name
    return name.split(".", 1)[0]


def peel(line: str) -> Peeled:
    """Take off every prefix that is known."""
    peeled = Peeled(line)
    for _ in range(MAX_PIECES):
        body = peeled.body
        for pattern, take in PIECES:
            found = pattern.match(body)
            if found is not None and take(peeled, found):
                peeled.body = body[found.end() :]
                break
        else:
            return peeled
    return peeled


def _syslog(peeled: Peeled, found: re.Match[str], stamp: Stamp | None) -> bool:
    host, tag = found["host"], found["tag"]
    if LEVELS.match(host) or not peeled.time(stamp):
        return False
    peeled.node = short_host(host)
    peeled.channel = "kernel" if tag == "kernel" else "host"
    return True


def _iso_syslog(peeled: Peeled, found: re.Match[str]) -> bool:
    return _syslog(peeled, found, _dated(found))


def _rfc3164(peeled: Peeled, found: re.Match[str]) -> bool:
    month = MONTHS.get(found["month"])
    return _syslog(peeled, found, yearless(month, int(found["day"]), found["clock"]) if month else None)


def _dated(found: re.Match[str]) -> Dated | None:
    return dated(found["year"], found["month"], found["day"], found["clock"], found["zone"])


def _iso(peeled: Peeled, found: re.Match[str]) -> bool:
    return peeled.time(_dated(found))


def _dmesg(peeled: Peeled, found: re.Match[str]) -> bool:
    month = MONTHS.get(found["month"])
    stamp = dated(found["year"], f"{month or 0:02}", found["day"].strip().zfill(2), found["clock"], None)
    if stamp is None:
        return False
    peeled.channel = "kernel"
    return peeled.time(replace(stamp, before=SECOND, after=SECOND), 5 * SECOND)


def _boot(peeled: Peeled, found: re.Match[str]) -> bool:
    peeled.channel = "kernel"
    return peeled.time(since_boot(found["since"]))


def _kmsg(peeled: Peeled, found: re.Match[str]) -> bool:
    peeled.channel = "kernel"
    return peeled.time(SinceBoot(int(found["micros"]) * 1000, 999))


def _kernel(peeled: Peeled, found: re.Match[str]) -> bool:
    peeled.channel = "kernel"
    return True


def _monotonic(peeled: Peeled, found: re.Match[str]) -> bool:
    """A host after the seconds since boot; without them ``host kernel:`` may be any text."""
    if peeled.channel != "kernel" or peeled.node is not None:
        return False
    peeled.node = short_host(found["host"])
    return True


def _ranked(peeled: Peeled, found: re.Match[str]) -> bool:
    if peeled.channel in ("kernel", "nccl"):
        return False
    if peeled.rank is None:
        peeled.rank = int(found["rank"])
    return True


def _labelled(peeled: Peeled, found: re.Match[str]) -> bool:
    if peeled.channel in ("kernel", "nccl") or peeled.label is not None:
        return False
    peeled.label = int(found["rank"])
    return True


def _local(peeled: Peeled, found: re.Match[str]) -> bool:
    return True


def _glog(peeled: Peeled, found: re.Match[str]) -> bool:
    if found["clock"] is None or found["date"] is None:
        return True
    return peeled.time(yearless(int(found["date"][:-2]), int(found["date"][-2:]), found["clock"]))


def _month_day(peeled: Peeled, found: re.Match[str]) -> bool:
    return peeled.time(yearless(int(found["month"]), int(found["day"]), found["clock"]))


def _nccl(peeled: Peeled, found: re.Match[str]) -> bool:
    peeled.node, peeled.pid, peeled.channel = short_host(found["host"]), int(found["pid"]), "nccl"
    return True


def _piece(expression: str, take: Callable[[Peeled, re.Match[str]], bool]) -> Piece:
    return re.compile(expression, re.ASCII), take


PIECES: tuple[Piece, ...] = (
    _piece(
        rf"<\d{{1,3}}>1 {_DATE}T{_CLOCK}{_ZONE} {_HOST} (?P<tag>\S+) \S+ \S+ (?:-|\[[^\]]*\]) ?", _iso_syslog
    ),
    _piece(rf"(?:<\d{{1,3}}>)?{_DATE}T{_CLOCK}{_ZONE} {_HOST} {_TAG}", _iso_syslog),
    _piece(
        rf"(?:<\d{{1,3}}>)?(?P<month>[A-Z][a-z][a-z]) {{1,2}}(?P<day>\d{{1,2}}) {_CLOCK} {_HOST} {_TAG}",
        _rfc3164,
    ),
    _piece(
        rf"\[(?:[A-Z][a-z][a-z]) (?P<month>[A-Z][a-z][a-z]) (?P<day>[ \d]\d) {_CLOCK} (?P<year>\d{{4}})\] ?",
        _dmesg,
    ),
    _piece(rf"\[?{_DATE}[T ,_]{_CLOCK}{_ZONE}\]?(?: (?:stdout|stderr) [FP])?[:|]? ?(?:\| |- )?", _iso),
    _piece(r"(?:<\d{1,3}>)?\[ *(?P<since>\d{1,10}\.\d{6})\] ?(?:\[ *[TC]\d+\] ?)?", _boot),
    _piece(r"\d{1,3},\d{1,19},(?P<micros>\d{1,15}),[-c+](?:,[^;]{0,80})?;", _kmsg),
    _piece(r"kernel: ?", _kernel),
    _piece(r"kern {0,4}:[a-z]{3,6} {0,4}: ?", _kernel),
    _piece(rf"{_HOST} kernel: ?", _monotonic),
    _piece(rf"[A-Z][a-z][a-z] {_DATE} {_CLOCK} (?P<zone>UTC)? ?{_HOST} {_TAG}", _iso_syslog),
    _piece(r"\[pod/[\w.-]{1,253}/[\w.-]{1,253}\] ?", _local),
    _piece(r"\[[Rr]ank ?(?P<rank>\d{1,6})\]:? ?", _ranked),
    _piece(r"\[\d{1,4},(?P<rank>\d{1,6})\](?:<std(?:out|err|diag)>)?:? ?", _labelled),
    _piece(r"\[(?P<rank>\d{1,6})\]: ?", _labelled),
    _piece(r" {0,5}(?P<rank>\d{1,6}): ", _labelled),
    _piece(r"\[(?:default|local)_?\d{1,6}\]:? ?", _local),
    _piece(r"\([A-Za-z]\w{0,40}(?: [\w=]{1,30}){0,3} pid=\d{1,10}(?:, ip=[\w.:]{1,40})?\) ?", _local),
    _piece(
        r"\[?[IWEF](?P<date>\d{3,4})? (?:(?P<clock>\d\d:\d\d:\d\d(?:\.\d{1,9})?) )?(?:\d+ )?"
        r"[\w./-]+:\d+\] ?",
        _glog,
    ),
    _piece(
        rf"(?:TRACE|DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL) (?P<month>\d\d)-(?P<day>\d\d) {_CLOCK} "
        r"\[[\w./-]+:\d+\] ?",
        _month_day,
    ),
    _piece(
        r"(?P<host>[A-Za-z0-9][\w.-]{0,252}):(?P<pid>\d{1,10}):\d{1,10} \[\d{1,4}\] "
        r"(?=NCCL |\S+[: ]\d+ (?:\([\w:]+\) )?NCCL )",
        _nccl,
    ),
)
