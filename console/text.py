"""A diagnosis as text for a terminal: headline first, then what stands behind it."""

from collections.abc import Iterable

from .diagnosis import Attempt, Cause, Diagnosis, Evidence, Symptom
from .fold import hostlist, ranges
from .headline import describe
from .theme import Theme, clean, clip

_COLOURS = {"root_cause": "red", "ambiguous": "yellow", "unattributed": "yellow", "none": "green"}
_LABELS = {
    "root_cause": "ROOT CAUSE",
    "ambiguous": "AMBIGUOUS",
    "unattributed": "UNATTRIBUTED",
    "none": "NOTHING FAILED",
}
RAW = 500
"""Characters of a raw line that are shown where it is the evidence of an origin."""
EXAMPLES = 3
"""Raw lines shown for each cause; the JSON has all."""


def diagnosis_text(diagnosis: Diagnosis, theme: Theme) -> str:
    """All attempts, then what was read."""
    blocks = ["\n".join(_attempt(a, theme)) for a in diagnosis.attempts]
    if diagnosis.unassigned:
        blocks.append("\n".join(_unassigned(diagnosis, theme)))
    if diagnosis.attempts:
        blocks.append("\n".join(_coverage(diagnosis.attempts[0], theme)))
    if diagnosis.warnings:
        blocks.append("\n".join(theme.paint(f"warning: {w}", "yellow") for w in diagnosis.warnings))
    return "\n\n".join(blocks) + "\n"


def _attempt(attempt: Attempt, theme: Theme) -> Iterable[str]:
    name = f"attempt {attempt.attempt}" + (f" ({attempt.workload})" if attempt.workload else "")
    if attempt.attempt == "incident" and not attempt.workload:
        name = "one run (no job record names it)"
    yield theme.paint(f"{name}: {attempt.outcome}", "bold")
    label = theme.paint(_LABELS[attempt.verdict], "bold", _COLOURS[attempt.verdict])
    yield f"{label}  {attempt.headline}"
    lines = {e.event: e for e in attempt.evidence}
    for cause in attempt.root_causes or attempt.candidates:
        yield from _cause(cause, lines, theme, named=len(attempt.root_causes) != 1)
    yield from _symptoms(attempt.symptoms, lines, theme)
    yield from _unexplained(attempt, lines, theme)
    yield from _nodes(attempt, theme)
    yield from _missing(attempt, theme)
    actions = list(dict.fromkeys(a for c in attempt.root_causes for a in c.actions))
    if actions:
        yield _head("Advice", theme)
        yield "  " + ", ".join(actions)


def _unassigned(diagnosis: Diagnosis, theme: Theme) -> Iterable[str]:
    yield _head("Of no run: outside the nodes or the time of every run above", theme)
    for part in diagnosis.unassigned:
        on = f" on {part.node}" if part.node else ""
        yield f"  {part.count} × {part.kind}{on} in {clean(part.source)}"


def _head(text: str, theme: Theme) -> str:
    return theme.paint(text, "cyan")


def _cause(cause: Cause, lines: dict[str, Evidence], theme: Theme, *, named: bool) -> Iterable[str]:
    if named:
        yield _head(f"Origin: {describe(cause)}", theme)
    begin = cause.at.begin or "at an unknown time"
    clock = f", clock of {cause.at.clock}" if cause.at.begin else ""
    yield f"  {cause.domain}/{cause.sub_domain}, {begin}{clock}; id {cause.id}, rule {cause.rule}"
    yield from _raw([lines[e] for e in cause.events if e in lines], theme)


def _raw(lines: list[Evidence], theme: Theme, count: int = EXAMPLES) -> Iterable[str]:
    for line in lines[:count]:
        yield f"  {theme.paint(where(line), 'dim')}"
        yield "    " + clip(clean(line.text), RAW)
    if len(lines) > count:
        yield theme.paint(f"  and {len(lines) - count} more such lines", "dim")


def where(line: Evidence) -> str:
    """``path:line`` of a piece of evidence."""
    return f"{line.source.path}:{line.source.line}" if line.source.line else line.source.path


def _symptoms(symptoms: tuple[Symptom, ...], lines: dict[str, Evidence], theme: Theme) -> Iterable[str]:
    if symptoms:
        total = sum(s.count for s in symptoms)
        yield _head(f"Explained by it: {total} record{'s' if total > 1 else ''}", theme)
        yield from symptom_lines(symptoms, lines, theme)


def symptom_lines(symptoms: Iterable[Symptom], lines: dict[str, Evidence], theme: Theme) -> Iterable[str]:
    """Below each explanation the symptoms of one kind on one line, ranks and nodes folded, with one raw line."""
    groups: dict[tuple[str, str], dict[str, list[Symptom]]] = {}
    for s in symptoms:
        groups.setdefault((s.explained_by, s.rule), {}).setdefault(s.kind, []).append(s)
    for (_, rule), kinds in groups.items():
        first = next(iter(kinds.values()))[0]
        yield f"  {first.statement} {theme.paint(f'[{rule}]', 'dim')}"
        for kind, members in kinds.items():
            line = f"    {sum(s.count for s in members)} × {kind}{_spread(members)}"
            yield line + "  " + _example(lines[members[0].event], theme, len(line) + 2)


def _spread(members: list[Symptom]) -> str:
    ranks = sorted({r for s in members for r in s.ranks})
    nodes = hostlist(s.node for s in members if s.node)
    text = f", rank{'s' if len(ranks) > 1 else ''} {ranges(ranks)}" if ranks else ""
    return text + (f" on {nodes}" if nodes else "")


def _example(line: Evidence, theme: Theme, used: int = 10) -> str:
    head = where(line) + "  "
    return theme.paint(head + clip(clean(line.text), max(30, theme.width - len(head) - used)), "dim")


def _unexplained(attempt: Attempt, lines: dict[str, Evidence], theme: Theme) -> Iterable[str]:
    if attempt.unexplained:
        yield _head("Not explained", theme)
    for part in attempt.unexplained:
        on = f" on {part.node}" if part.node else ""
        rank = f", rank {part.rank}" if part.rank is not None and part.count == 1 else ""
        yield f"  {part.count} × {part.kind}{on}{rank}"
        yield theme.paint("    e.g. ", "dim") + _example(lines[part.event], theme)
    yield from _nearest(attempt, lines, theme)


def _nearest(attempt: Attempt, lines: dict[str, Evidence], theme: Theme) -> Iterable[str]:
    """Faults that would explain something, did the times allow it: each once."""
    for event, rule in list(dict.fromkeys((n.event, n.rule) for n in attempt.nearest))[:EXAMPLES]:
        if event in lines:
            yield f"  came nearest, but the times do not allow it [{rule}]"
            yield "    " + _example(lines[event], theme)


def _nodes(attempt: Attempt, theme: Theme) -> Iterable[str]:
    roles: dict[str, list[str]] = {}
    for node in attempt.affected_nodes:
        roles.setdefault(node.role, []).append(node.node)
    if roles:
        yield _head("Nodes", theme)
        yield "  " + "; ".join(f"{role}: {hostlist(names)}" for role, names in roles.items())


def _missing(attempt: Attempt, theme: Theme) -> Iterable[str]:
    groups: dict[tuple[str, str], list[str]] = {}
    for part in attempt.missing:
        groups.setdefault((part.source, part.would), []).extend([part.node] if part.node else [])
    if groups:
        yield _head("Not seen", theme)
    for (source, would), nodes in groups.items():
        of = f" of {hostlist(nodes)}" if nodes else ""
        yield f"  {source}{of}: would {would}"


def _coverage(attempt: Attempt, theme: Theme) -> Iterable[str]:
    sources = attempt.coverage
    good = [c for c in sources if c.status == "ok"]
    records = sum(c.records for c in sources)
    yield _head(f"Read: {len(good)} of {len(sources)} sources whole, {records:,} records", theme)
    for c in sources:
        if c.status != "ok" or c.unparsed:
            notes = [c.reason] if c.reason else []
            notes += [f"{c.unparsed} record(s) not understood"] if c.unparsed else []
            yield f"  {clean(c.source)}: {c.status}" + (f" ({'; '.join(notes)})" if notes else "")
