"""What a pattern makes of its groups: facts written as text, read into templates and filled in.

``xid(event, node, device|pci, code|int)``: `event`, `node`, `rank`, `from`, `to` and `clock` are the record's
own; any other bare word is a named group, through converters; ``=value`` stands for an absent group.
Strings in double quotes and integers are constants. ``from-ran|ms_to_ns`` is the record's time less a group's
span, ``from-1000`` less a thousand nanoseconds.

Invariant: a value that cannot be converted leaves the fact out; it never raises and never overflows 64 bits.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from aitia.engine.errors import InputError
from aitia.facts.observation import EVENT, Value

NODE, RANK, FROM, TO, CLOCK = "\0node", "\0rank", "\0from", "\0to", "\0clock"
OWN = {"event": EVENT, "node": NODE, "rank": RANK, "from": FROM, "to": TO, "clock": CLOCK}
TEXT_BOUND = 500
"""Characters of a group that become a symbol."""

Maps = Mapping[str, Mapping[str, Value]]


class NoValueError(Exception):
    """A group's text has no value of the wanted kind: the line counts as not understood."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant, one of the record's own values, or a time before the record's own."""

    value: "Value | Earlier"


@dataclass(frozen=True, slots=True)
class Group:
    """A named group through converters; ``less_from``: FROM or TO for a span before the record's time."""

    name: str
    converters: tuple[str, ...] = ()
    default: Value | None = None
    less_from: str | None = None


@dataclass(frozen=True, slots=True)
class Earlier:
    """A time ``ns`` before the record's own ``end`` (FROM or TO); filled in when that is known."""

    end: str
    ns: int


Argument = Constant | Group


@dataclass(frozen=True, slots=True)
class Template:
    """One fact to be made."""

    relation: str
    arguments: tuple[Argument, ...]

    def groups(self) -> frozenset[str]:
        """The named groups that this fact needs from the expression."""
        return frozenset(a.name for a in self.arguments if isinstance(a, Group))

    def is_statement(self) -> bool:
        """Whether the fact is no event's."""
        return Constant(EVENT) not in self.arguments


Filled = tuple[str, tuple[Value | Earlier, ...]]

_HEAD = re.compile(r"\s*([a-z]\w*)\((.*)\)\s*\Z", re.ASCII | re.DOTALL)
_ARG = re.compile(
    r"""\s*(?:
        "(?P<text>(?:[^"\\]|\\.)*)"
      | (?P<number>-?\d+)
      | (?P<own>from|to)-(?P<span>\d+)
      | (?:(?P<end>from|to)-)?(?P<word>[a-z]\w*)(?P<through>(?:\|[a-z_]\w*(?::\w+)?)*)
        (?:=(?:"(?P<default_text>[^"]*)"|(?P<default>-?\d+)))?
    )\s*(?P<comma>,|\Z)""",
    re.VERBOSE | re.ASCII,
)


def parse_template(text: str) -> Template:
    """Read ``relation(argument, …)``. Raises InputError that says what is wrong."""
    head = _HEAD.match(text)
    if head is None:
        raise InputError(f"`{text}` is not of the form relation(argument, …)")
    arguments: list[Argument] = []
    rest, at = head[2], 0
    while at < len(rest):
        found = _ARG.match(rest, at)
        if found is None or found.end() == at:
            raise InputError(f"`{text}`: cannot read the argument at `{rest[at:].strip()}`")
        arguments.append(_argument(found))
        at = found.end()
    return Template(head[1], tuple(arguments))


def _argument(found: re.Match[str]) -> Argument:
    if found["text"] is not None:
        return Constant(re.sub(r"\\(.)", r"\1", found["text"]))
    if found["number"] is not None:
        return Constant(int(found["number"]))
    if found["span"] is not None:
        return Constant(Earlier(OWN[found["own"]], int(found["span"])))
    word, end = found["word"], found["end"]
    converters = tuple(found["through"].split("|")[1:])
    if word in OWN and not converters and end is None:
        return Constant(OWN[word])
    default: Value | None = found["default_text"]
    if found["default"] is not None:
        default = int(found["default"])
    return Group(word, converters, default, OWN[end] if end else None)


def fill(template: Template, groups: Mapping[str, str | None], maps: Maps) -> Filled | None:
    """The fact for these groups; None when a group took no part and has no default.

    Raises NoValueError when a group's text cannot be converted.
    """
    values: list[Value | Earlier] = []
    for argument in template.arguments:
        if isinstance(argument, Constant):
            values.append(argument.value)
            continue
        text = groups.get(argument.name)
        value = argument.default if text is None else convert(text, argument.converters, maps)
        if value is None:
            return None
        if argument.less_from is None:
            values.append(value)
        elif isinstance(value, int):
            values.append(Earlier(argument.less_from, value))
        else:
            raise NoValueError
    return template.relation, tuple(values)


def convert(text: str, converters: tuple[str, ...], maps: Maps) -> Value:
    """Send a group's text through converters, left to right; the result is bounded."""
    value: Value = text
    for name in converters:
        if name.startswith("map:"):
            value = _mapped(str(value), maps[name[4:]])
        else:
            value = CONVERTERS[name](value)
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise NoValueError
        return value
    return clean(value)


def clean(text: str) -> str:
    """A text fit to be a symbol: printable, without outer blanks, at most TEXT_BOUND characters."""
    kept = text[: 2 * TEXT_BOUND]
    if not kept.isprintable():
        kept = "".join(c if c.isprintable() else " " for c in kept)
    kept = kept.strip()
    return kept if len(kept) <= TEXT_BOUND else kept[: TEXT_BOUND - 1] + "…"


def _mapped(text: str, table: Mapping[str, Value]) -> Value:
    for key in (text, text.lower(), "*"):
        if key in table:
            return table[key]
    raise NoValueError


def _integer(value: Value) -> int:
    if isinstance(value, int):
        return value
    if len(value) > 25:
        raise NoValueError
    try:
        return int(value.replace(",", ""))
    except ValueError:
        raise NoValueError from None


def _hexadecimal(value: Value) -> int:
    if isinstance(value, int) or len(value) > 20:
        raise NoValueError
    try:
        return int(value, 16)
    except ValueError:
        raise NoValueError from None


_PCI = re.compile(r"(?:([0-9a-f]{4,8}):)?([0-9a-f]{1,2}):([0-9a-f]{1,2})(?:\.[0-7])?\Z")


def pci(value: Value) -> str:
    """A PCI address as ``dddd:bb:dd``: lower case, without function, with a domain of four digits or more."""
    found = _PCI.match(str(value).lower())
    if found is None:
        raise NoValueError
    domain = (found[1] or "0").lstrip("0").zfill(4)
    return f"{domain}:{found[2].zfill(2)}:{found[3].zfill(2)}"


_UNITS = {"b": 0, "bytes": 0, "kib": 1, "kb": 1, "mib": 2, "mb": 2, "gib": 3, "gb": 3, "tib": 4, "tb": 4}
_SIZE = re.compile(r"(\d{1,15})(?:\.(\d{1,6}))? ?([A-Za-z]+)\Z", re.ASCII)


def _size(value: Value) -> int:
    found = _SIZE.match(str(value))
    if found is None or found[3].lower() not in _UNITS:
        raise NoValueError
    scale = 1 << (10 * _UNITS[found[3].lower()])
    fraction = found[2] or ""
    return int(found[1]) * scale + int(fraction or 0) * scale // int("1" + "0" * len(fraction))


def _last(value: Value) -> str:
    return str(value).rsplit(".", 1)[-1]


def _host(value: Value) -> str:
    text = str(value)
    return text if re.fullmatch(r"[\d.:]+", text) else text.split(".", 1)[0]


CONVERTERS: Mapping[str, Callable[[Value], Value]] = {
    "int": _integer,
    "hex": _hexadecimal,
    "pci": pci,
    "lower": lambda value: str(value).lower(),
    "ms_to_ns": lambda value: _integer(value) * 1_000_000,
    "size": _size,
    "last": _last,
    "host": _host,
    "negative": lambda value: -_integer(value),
}
