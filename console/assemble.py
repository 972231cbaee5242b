"""From the verdict relations of a model to a Diagnosis. Python only reads them; it decides nothing."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from aitia.engine.model import Model, Row
from aitia.engine.proof import Derived, walk
from aitia.engine.why import why
from aitia.facts.base import FactBase

from . import headline, phrases
from .diagnosis import (
    AffectedNode,
    Attempt,
    Cause,
    Covered,
    Diagnosis,
    Evidence,
    Locus,
    Missing,
    Nearest,
    ProgramInfo,
    SourceRef,
    Symptom,
    Unassigned,
    Unexplained,
)
from .proof_json import proof_json
from .ruleset import VERDICT_RELATIONS, RuleProgram
from .times import iso
from .view import View, view


@dataclass
class _Reader:
    program: RuleProgram
    base: FactBase
    model: Model
    seen: View
    by_attempt: dict[str, dict[str, list[Row]]]


def assemble(program: RuleProgram, base: FactBase, model: Model) -> Diagnosis:
    """The diagnosis of every attempt, in order of name."""
    seen = view(base, model)
    reader = _Reader(program, base, model, seen, _by_attempt(program, model))
    attempts = tuple(_attempt(reader, str(name)) for (name,) in model.rows("attempt"))
    info = ProgramInfo(name=program.name, revision=program.revision, dirty=program.dirty)
    return Diagnosis(
        program=info,
        attempts=attempts,
        unassigned=tuple(_unassigned(reader)),
        warnings=tuple(map(str, model.warnings)),
    )


def _unassigned(reader: _Reader) -> Iterable[Unassigned]:
    seen = reader.seen
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (event,) in reader.model.rows("unassigned"):
        name = str(event)
        groups[seen.places[name].source, seen.kinds[name]].append(name)
    for (source, kind), events in sorted(groups.items()):
        first = min(events, key=seen.order)
        count = sum(1 + len(seen.repeats.get(e, ())) for e in events)
        yield Unassigned(event=first, kind=kind, node=seen.node(first), source=source, count=count)


def _by_attempt(program: RuleProgram, model: Model) -> dict[str, dict[str, list[Row]]]:
    """Rows of the verdict relations by relation and attempt, read once."""
    split: dict[str, dict[str, list[Row]]] = {}
    for relation in VERDICT_RELATIONS:
        params = program.checked.decls[relation].params
        column = next(i for i, p in enumerate(params) if p.type == "Attempt")
        rows: dict[str, list[Row]] = defaultdict(list)
        for row in model.rows(relation):
            rows[str(row[column])].append(row)
        split[relation] = rows
    return split


def _attempt(reader: _Reader, name: str) -> Attempt:
    def rows(relation: str) -> list[Row]:
        return reader.by_attempt[relation].get(name, [])

    verdict = _verdict(rows("verdict"))
    outcome = str(rows("outcome")[0][1]) if rows("outcome") else "unknown"
    causes = tuple(_causes(reader, name, "root_cause"))
    suspects = tuple(_causes(reader, name, "suspect"))
    symptoms = tuple(_symptoms(reader, name, rows("explained_by")))
    unexplained = tuple(_unexplained(reader, name, [str(r[1]) for r in rows("unexplained")]))
    missing = tuple(
        Missing(source=str(source), node=reader.seen.named(str(node)), would=str(would))
        for _, source, node, would in rows("missing")
    )
    domain, sub_domain, among = _domains(rows("among"), verdict, causes)
    first = headline.compose(verdict, outcome, causes, suspects, unexplained, missing)
    return Attempt(
        attempt=name,
        workload=_workload(reader, name),
        outcome=outcome,
        verdict=verdict,
        headline=first,
        domain=domain,
        sub_domain=sub_domain,
        among=among,
        root_causes=causes,
        candidates=suspects,
        symptoms=symptoms,
        unexplained=unexplained,
        nearest=tuple(_nearest(rows("nearest"))),
        affected_nodes=tuple(_affected(reader, rows("affected"))),
        missing=missing,
        evidence=tuple(_evidence(reader, name, causes, suspects, symptoms, unexplained)),
        coverage=tuple(_coverage(reader.base)),
    )


def _verdict(rows: list[Row]) -> str:
    return str(rows[0][1]) if rows else "unattributed"


def _workload(reader: _Reader, name: str) -> str | None:
    for attempt, _, workload in reader.base.rows.get("job", ()):
        if attempt == name and workload:
            return str(workload)
    return None


def _domains(
    among: list[Row], verdict: str, causes: tuple[Cause, ...]
) -> tuple[str | None, str | None, tuple[str, ...]]:
    """Domain, sub-domain and candidates of an attempt, as the contract defines them."""
    domains = sorted({str(domain) for _, domain, _ in among})
    parts = sorted({str(part) for _, _, part in among})
    if verdict == "root_cause":
        own = sorted({c.sub_domain for c in causes})
        if len(domains) != 1:
            return None, None, tuple(domains)
        if len(own) == 1 and own[0] != "ambiguous":
            return domains[0], own[0], ()
        return domains[0], "ambiguous", tuple(parts)
    if verdict == "ambiguous":
        if len(domains) == 1:
            return domains[0], parts[0] if len(parts) == 1 else "ambiguous", tuple(parts)
        return None, None, tuple(domains)
    return None, None, ()


def _causes(reader: _Reader, name: str, relation: str) -> Iterable[Cause]:
    """One cause for each place and domain; its events joined, its proof that of the first."""
    groups: dict[tuple[str, str, str, str], list[Row]] = defaultdict(list)
    for row in reader.by_attempt[relation].get(name, []):
        groups[str(row[1]), str(row[2]), str(row[3]), str(row[4])].append(row)
    for key in sorted(groups):
        yield _cause(reader, name, relation, key, groups[key])


def _cause(
    reader: _Reader, name: str, relation: str, key: tuple[str, str, str, str], rows: list[Row]
) -> Cause:
    domain, sub_domain, node, device = key
    seen = reader.seen
    rows = sorted(rows, key=lambda r: seen.order(str(r[0])))
    events = tuple(str(r[0]) for r in rows)
    proof = why(reader.model, relation, rows[0])
    fault = next((p for p in walk(proof) if isinstance(p, Derived) and p.relation == "fault"), None)
    ranks = {seen.blamed.get(e) for e in events}
    text = seen.places[events[0]].text
    parts = (name, domain, sub_domain, node, device, text)
    actions = [str(a) for _, e, a in reader.by_attempt["advised"].get(name, []) if e in events]
    return Cause(
        id=hashlib.sha256("\0".join(parts).encode()).hexdigest()[:8],
        domain=domain,
        sub_domain=sub_domain,
        locus=Locus(
            node=seen.named(node), device=device or None, rank=ranks.pop() if len(ranks) == 1 else None
        ),
        at=seen.moment(events[0]),
        statement=phrases.of_step(fault, reader.program.checked) if fault else "",
        rule=fault.rule.name if fault else "",
        actions=tuple(dict.fromkeys(sorted(actions))),
        events=events,
        proof=proof_json(proof, reader.program.checked, reader.base),
    )


def _symptoms(reader: _Reader, name: str, rows: list[Row]) -> Iterable[Symptom]:
    """Records of one kind on one node with one explanation are one symptom with a count."""
    seen = reader.seen
    chosen: dict[str, tuple[str, str]] = {}
    for _, effect, cause, mechanism in rows:
        option = (str(cause), str(mechanism))
        held = chosen.get(str(effect))
        if held is None or (seen.order(option[0]), option[1]) < (seen.order(held[0]), held[1]):
            chosen[str(effect)] = option
    groups: dict[tuple[str, str, str, str], list[str]] = defaultdict(list)
    for effect in sorted(chosen, key=seen.order):
        cause, mechanism = chosen[effect]
        groups[seen.kinds[effect], seen.node(effect, name) or "", cause, mechanism].append(effect)
    for (kind, node, cause, mechanism), events in groups.items():
        yield Symptom(
            event=events[0],
            kind=kind,
            node=node or None,
            rank=seen.ranks.get(events[0]),
            ranks=tuple(sorted({seen.ranks[e] for e in events if e in seen.ranks})),
            count=sum(1 + len(seen.repeats.get(e, ())) for e in events),
            events=tuple(events),
            explained_by=cause,
            rule=mechanism,
            statement=_mechanism(reader, cause, events[0], mechanism),
        )


def _mechanism(reader: _Reader, cause: str, effect: str, mechanism: str) -> str:
    """The reading of the link by which a cause explains an effect."""
    link = (cause, effect, mechanism)
    if reader.model.contains("link", link):
        step = why(reader.model, "link", link)
    else:
        step = why(reader.model, "explains", link)
    return phrases.of_step(step, reader.program.checked) if isinstance(step, Derived) else mechanism


def _unexplained(reader: _Reader, name: str, events: list[str]) -> Iterable[Unexplained]:
    seen = reader.seen
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for event in sorted(events, key=seen.order):
        groups[seen.kinds[event], seen.node(event, name) or ""].append(event)
    for (kind, node), members in groups.items():
        count = sum(1 + len(seen.repeats.get(e, ())) for e in members)
        rank = seen.ranks.get(members[0])
        yield Unexplained(event=members[0], kind=kind, node=node or None, rank=rank, count=count)


def _nearest(rows: list[Row]) -> Iterable[Nearest]:
    for _, event, effect, mechanism in rows:
        yield Nearest(event=str(event), rule=str(mechanism), explains=str(effect))


def _affected(reader: _Reader, rows: list[Row]) -> Iterable[AffectedNode]:
    for _, node, role in sorted(rows, key=lambda r: (r[2] == "affected", r[1])):
        if named := reader.seen.named(str(node)):
            yield AffectedNode(node=named, role=str(role))


def _evidence(
    reader: _Reader,
    name: str,
    causes: tuple[Cause, ...],
    suspects: tuple[Cause, ...],
    symptoms: tuple[Symptom, ...],
    unexplained: tuple[Unexplained, ...],
) -> Iterable[Evidence]:
    """Every event that the diagnosis names, in order of its number."""
    seen = reader.seen
    roles: dict[str, str] = {}
    for row in reader.by_attempt["unexplained"].get(name, []):
        roles[str(row[1])] = "unexplained"
    for row in reader.by_attempt["explained_by"].get(name, []):
        roles[str(row[1])] = "symptom"
    for cause in (*causes, *suspects):
        roles.update(dict.fromkeys(cause.events, "origin"))
    for event in sorted(roles, key=seen.order):
        place = seen.places[event]
        yield Evidence(
            event=event,
            kind=seen.kinds[event],
            role=roles[event],
            node=seen.node(event, name),
            at=seen.moment(event),
            text=place.text,
            source=SourceRef(path=place.source, line=place.line, offset=place.offset),
        )


def _coverage(base: FactBase) -> Iterable[Covered]:
    for c in base.coverage:
        yield Covered(
            source=c.source,
            kind=c.kind,
            status=c.status,
            records=c.records,
            unparsed=c.unparsed,
            begin=iso(c.lo) if c.lo is not None else None,
            end=iso(c.hi) if c.hi is not None else None,
            reason=c.reason,
        )
