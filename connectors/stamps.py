"""Times as log lines print them, kept as read until the zone and the year can be known.

Invariant: arithmetic is on integers; a stamp that names no real date is no stamp (None), never an error.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo

SECOND = 1_000_000_000
DAY = 86_400 * SECOND
AHEAD = 26 * 3600 * SECOND
"""A line without a year may lie this far after the reference time (zones differ by up to 26 hours)."""

_NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MONTHS = {name: number for number, name in enumerate(_NAMES, 1)}
EPOCH = date(1970, 1, 1).toordinal()


@dataclass(frozen=True, slots=True)
class Dated:
    """A full date. ``offset`` is the zone's distance from UTC in seconds, None where the text names none.

    ``ns`` is nanoseconds since 1970 of the digits as printed; ``before`` and ``after`` widen the interval.
    """

    ns: int
    offset: int | None
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Yearless:
    """A day of some year: ``ns`` counts from midnight."""

    month: int
    day: int
    ns: int
    after: int


@dataclass(frozen=True, slots=True)
class SinceBoot:
    """Nanoseconds since the kernel started."""

    ns: int
    after: int


Stamp = Dated | Yearless | SinceBoot


@dataclass(frozen=True, slots=True)
class Calendar:
    """What turns stamps into intervals: the zone of unzoned texts, and the time near which yearless ones lie.

    ``year`` fixes the year of yearless stamps; else it is the latest that does not put the line more than
    26 hours after ``reference`` (nanoseconds UTC).
    """

    zone: tzinfo
    year: int | None
    reference: int


def interval(stamp: Dated | Yearless, calendar: Calendar) -> tuple[int, int] | None:
    """The nanoseconds UTC between which the line was written, None where the day did not exist."""
    match stamp:
        case Dated(ns, offset, before, after):
            base = _utc(ns, offset, calendar.zone)
            return None if base is None else (base - before, base + after)
        case Yearless(_, _, _, after):
            base = _nearest(stamp, calendar)
            return None if base is None else (base, base + after)


def _nearest(stamp: Yearless, calendar: Calendar) -> int | None:
    if calendar.year is not None:
        years = [calendar.year]
    else:
        last = EPOCH + calendar.reference // DAY
        latest = date.fromordinal(max(1, min(last, date.max.toordinal()))).year
        years = [latest + 1, latest, latest - 1, latest - 2, latest - 3, latest - 4]
    for year in years:
        local = ns_of(year, stamp.month, stamp.day, stamp.ns)
        base = None if local is None else _utc(local, None, calendar.zone)
        if base is not None and (calendar.year is not None or base <= calendar.reference + AHEAD):
            return base
    return None


def _utc(ns: int, offset: int | None, zone: tzinfo) -> int | None:
    if offset is not None:
        return ns - offset * SECOND
    seconds, rest = divmod(ns, SECOND)
    try:
        local = datetime(1970, 1, 1) + timedelta(seconds=seconds)
        passed = local.replace(tzinfo=zone) - datetime(1970, 1, 1, tzinfo=UTC)
    except (OverflowError, ValueError):
        return None
    return (passed.days * 86_400 + passed.seconds) * SECOND + rest


def ns_of(year: int, month: int, day: int, ns: int) -> int | None:
    """Nanoseconds since 1970 of a day and a time in it, None for a day that does not exist or is absurd."""
    try:
        days = date(year, month, day).toordinal() - EPOCH
    except ValueError:
        return None
    return days * DAY + ns if 1970 <= year <= 2200 else None


def clock_ns(text: str) -> tuple[int, int] | None:
    """``hh:mm:ss[.,fraction]`` as nanoseconds from midnight, and one less than the unit of its last digit."""
    head, _, fraction = text.replace(",", ".").partition(".")
    hours, minutes, seconds = (int(part) for part in head.split(":"))
    if hours > 23 or minutes > 59 or seconds > 60:
        return None
    digits = fraction[:9]
    unit = 10 ** (9 - len(digits))
    return ((hours * 60 + minutes) * 60 + seconds) * SECOND + int(digits or 0) * unit, unit - 1


_ISO = re.compile(
    r"(\d{4})[-/](\d\d)[-/](\d\d)[T ,_](\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)"
    r"(?: ?(Z\b|[+-][01]\d:?(?:00|30|45)\b))?",
    re.ASCII,
)


def parse_iso(text: str) -> Dated | None:
    """The ISO-like date and time at the start of a text."""
    found = _ISO.match(text)
    return dated(*found.groups()) if found else None


def dated(year: str, month: str, day: str, clock: str, zone: str | None) -> Dated | None:
    """A dated stamp from its printed parts."""
    time = clock_ns(clock)
    ns = ns_of(int(year), int(month), int(day), time[0]) if time else None
    if ns is None or time is None:
        return None
    return Dated(ns, _offset(zone), 0, time[1])


def yearless(month: int, day: int, clock: str) -> Yearless | None:
    """A stamp from a month, a day and a time of day."""
    time = clock_ns(clock)
    if time is None or ns_of(2000, month, day, 0) is None:
        return None
    return Yearless(month, day, *time)


def since_boot(text: str) -> SinceBoot:
    """``secs.usec`` of a kernel line."""
    seconds, _, micros = text.strip().partition(".")
    return SinceBoot(int(seconds) * SECOND + int(micros) * 1000, 999)


def _offset(zone: str | None) -> int | None:
    if not zone:
        return None
    if zone in ("Z", "UTC"):
        return 0
    hours, minutes = int(zone[1:3]), int(zone[-2:])
    return (hours * 60 + minutes) * 60 * (-1 if zone[0] == "-" else 1)


def utc_zone() -> tzinfo:
    """The zone of texts that name none, when nobody said otherwise."""
    return timezone(timedelta(0))
