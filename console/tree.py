"""A proof as a tree of text: readings, then the facts they rest on with their raw lines.

Steps of relations that a program marks ``@minor`` are named in one line and not opened, those marked
``@minor hidden`` are left out (``full=True`` shows all); a step that was shown once is only named again; equal
siblings fold into the first and a count.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from aitia.engine.model import Model
from aitia.engine.printer import literal_text
from aitia.engine.proof import Absent, Aggregated, Compared, Derived, Given, Premise, Proof
from aitia.engine.syntax import Call, CheckedProgram, Span
from aitia.facts.base import FactBase

from . import phrases
from .fold import hostlist, ranges
from .theme import Theme, clean, clip

RAW = 500
"""Characters of a raw line that are shown."""


@dataclass
class Tree:
    """Draws proofs of one case; ``depth`` limits how far steps are opened."""

    program: CheckedProgram
    base: FactBase
    model: Model
    theme: Theme
    full: bool = False
    depth: int = 40
    shown: set[tuple[str, tuple[phrases.Value, ...]]] = field(default_factory=set)
    lines: set[tuple[str, int]] = field(default_factory=set)

    def draw(self, proof: Proof) -> str:
        """The proof as lines."""
        return "\n".join(self._node(proof, "", "", 0)) + "\n"

    def draw_all(self, proofs: list[Proof]) -> str:
        """Several proofs, equal ones folded."""
        out: list[str] = []
        for first, others in _folded(proofs):
            out += self._node(first, "", "", 0)
            if others:
                out.append(
                    self.theme.paint(f"   and {len(others)} more like it{self._spread(first, others)}", "dim")
                )
        return "\n".join(out) + "\n"

    def _spread(self, first: Proof, others: list[Proof]) -> str:
        """Over which ranks and nodes equal proofs are spread."""
        events = {v for p in others for v in p.row if isinstance(v, str)} - set(first.row)
        attempts = {v for v in first.row if isinstance(v, str)}
        nodes = sorted({str(n) for a, e, n in self.model.rows("node_of") if e in events and a in attempts})
        ranks = [int(r) for e, r in self.base.rows.get("of_rank", ()) if e in events]
        text = f": ranks {ranges(ranks)}" if ranks else ""
        return text + (f" on {hostlist(nodes)}" if nodes else "")

    def _node(self, part: Premise, head: str, below: str, depth: int) -> Iterator[str]:
        match part:
            case Derived():
                yield from self._derived(part, head, below, depth)
            case Given():
                yield from self._given(part, head, below)
            case Absent():
                yield self._fit(head, phrases.of_absence(part, self.program))
            case Compared():
                values = f"{phrases.term(part.left)} {part.op} {phrases.term(part.right)}"
                yield self._fit(head, f"{literal_text(part.literal)}: {values}")
            case Aggregated():
                of = f"{part.kind} over {len(part.group)} row{'s' if len(part.group) != 1 else ''}"
                yield self._fit(head, f"{part.value} is the {of}")

    def _derived(self, part: Derived, head: str, below: str, depth: int) -> Iterator[str]:
        text = phrases.of_row(part.relation, part.row, self.program)
        span = part.rule.span
        note = f"  [{part.rule.name} {span.file}:{span.line}]"
        key = (part.relation, part.row)
        reading = phrases.of_step(part, self.program)
        if self._closed(part, depth):
            yield self._fit(head, reading, self.theme.paint(f"  [{part.rule.name}]", "dim"))
            return
        if key in self.shown:
            yield self._fit(head, text, self.theme.paint("  [shown above]", "dim"))
            return
        self.shown.add(key)
        yield self._fit(head, text)
        if reading != text:
            yield self._fit(below + self.theme.paint("by: ", "dim"), reading, self.theme.paint(note, "dim"))
        yield from self._children(part.premises, below, depth)

    def _closed(self, part: Derived, depth: int) -> bool:
        if depth >= self.depth:
            return True
        return depth > 0 and self._minor(part.relation) and not self.full

    def _children(self, parts: tuple[Premise, ...], below: str, depth: int) -> Iterator[str]:
        child, last, bar, space = self.theme.branches
        shown = [p for p in parts if self.full or not self._silent(p)]
        for i, part in enumerate(shown):
            end = i == len(shown) - 1
            yield from self._node(
                part, below + (last if end else child), below + (space if end else bar), depth + 1
            )

    def _silent(self, part: Premise) -> bool:
        """What the default view leaves out: what was shown, what is minor, and plain comparisons."""
        match part:
            case Given():
                places = self.base.places(part.relation, part.row)
                again = bool(places) and (part.relation, part.row) in self.shown
                return again or self._minor(part.relation)
            case Derived():
                return (part.relation, part.row) in self.shown or self._hidden(part.relation)
            case Absent():
                return self._minor(part.relation)
            case Compared():
                return not any(isinstance(t, Call) for t in (part.literal.left, part.literal.right))
            case Aggregated():
                return False

    def _minor(self, relation: str) -> bool:
        return self.program.decls[relation].doc.tag("minor") is not None

    def _hidden(self, relation: str) -> bool:
        return self.program.decls[relation].doc.tag("minor") == "hidden"

    def _given(self, part: Given, head: str, below: str) -> Iterator[str]:
        text = phrases.of_fact(part, self.program)
        self.shown.add((part.relation, part.row))
        if isinstance(part.origin, Span):
            place = f"  ({part.origin.file}:{part.origin.line})"
            yield self._fit(head, text, self.theme.paint(place, "dim"))
            return
        yield self._fit(head, text)
        for place_ in self.base.places(part.relation, part.row)[:1]:
            at = f"{place_.source}:{place_.line}" if place_.line else place_.source
            if (place_.source, place_.line) in self.lines and not self.full:
                yield below + self.theme.paint(f"{at} (shown above)", "dim")
                continue
            self.lines.add((place_.source, place_.line))
            raw = clip(clean(place_.text), RAW)
            yield f"{below}{self.theme.paint(at, 'dim')}  {self.theme.paint(raw, 'bold')}"

    def _fit(self, head: str, text: str, note: str = "") -> str:
        return f"{head}{clean(text)}{note}"


def _folded(proofs: list[Proof]) -> Iterator[tuple[Proof, list[Proof]]]:
    groups: dict[tuple[object, ...], list[Proof]] = {}
    for proof in proofs:
        shape = _shape(proof, 3) if isinstance(proof, Derived) else (proof.relation, proof.row)
        groups.setdefault(shape, []).append(proof)
    for members in groups.values():
        yield members[0], members[1:]


def _shape(part: Premise, depth: int) -> tuple[object, ...]:
    """What two proofs have in common when only their constants differ."""
    match part:
        case Derived():
            below = tuple(_shape(p, depth - 1) for p in part.premises) if depth else ()
            return (part.relation, part.rule.name, below)
        case Given():
            return (part.relation,)
        case _:
            return (type(part).__name__,)
