"""Nanoseconds UTC as text. Out-of-range numbers are shown as numbers, never as an error."""

from datetime import UTC, datetime

_NS = 1_000_000_000
_LAST = 253_402_300_799


def iso(ns: int) -> str:
    """ISO 8601 in UTC with as many digits as needed: milli-, micro- or nanoseconds."""
    seconds, rest = divmod(ns, _NS)
    if not -62_135_596_800 <= seconds <= _LAST:
        return f"{ns} ns"
    base = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    if rest % 1_000_000 == 0:
        return f"{base}.{rest // 1_000_000:03d}Z"
    if rest % 1000 == 0:
        return f"{base}.{rest // 1000:06d}Z"
    return f"{base}.{rest:09d}Z"


def since_boot(ns: int) -> str:
    """Seconds after boot, as the kernel prints them."""
    return f"{ns / _NS:.6f} s after boot"


def shown(ns: int) -> str:
    """A time for a person: a date where the number can be one, else seconds after boot."""
    return iso(ns) if abs(ns) > 10**16 else since_boot(ns)
