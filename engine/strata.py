"""Strata: in which order relations are evaluated, and why some programs have none.

Relations that depend on each other form a component; components are found with an iterative form of
Tarjan's algorithm (R. Tarjan, 1972) and put in order with a heap. Invariant: a component comes after all
that it depends on; of components that could come next, the one declared first does.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from .diagnostics import Diagnostic
from .scope import atoms
from .syntax import Program, Span

Graph = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Edge:
    """``head`` is derived from ``body``; ``use`` is positive, negated or aggregated."""

    head: str
    body: str
    use: str
    span: Span


def edges(program: Program) -> list[Edge]:
    """Every atom of every rule's body as an edge, in source order."""
    return [
        Edge(rule.head.relation, atom.relation, use, atom.span)
        for rule in program.rules
        for atom, use in atoms(rule.body)
    ]


def stratify(program: Program) -> tuple[tuple[str, ...], ...]:
    """All relations in order of evaluation, mutually recursive ones together, each in declaration order.

    Relations that are used but not declared come as if declared at the end. Whether negation runs
    through a component is not looked at here; see ``check_strata``.
    """
    order = _order(program)
    graph = _graph(order, edges(program))
    components = [tuple(sorted(found, key=order.__getitem__)) for found in _components(graph)]
    return _sorted(components, graph, order)


def _order(program: Program) -> dict[str, int]:
    """Each relation's place in the order of declaration."""
    names = dict.fromkeys(decl.name for decl in program.decls)
    for rule in (*program.facts, *program.rules):
        names[rule.head.relation] = None
        names.update((atom.relation, None) for atom, _ in atoms(rule.body))
    return {name: place for place, name in enumerate(names)}


def _graph(order: dict[str, int], found: list[Edge]) -> Graph:
    """For each relation, what it depends on, in declaration order."""
    graph: dict[str, set[str]] = {name: set() for name in order}
    for edge in found:
        graph[edge.head].add(edge.body)
    return {name: sorted(deps, key=order.__getitem__) for name, deps in graph.items()}


def _components(graph: Graph) -> Iterator[list[str]]:
    """Strongly connected components."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    open_: set[str] = set()
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(graph[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        open_.add(root)
        while work:
            node, deps = work[-1]
            for dep in deps:
                if dep not in index:
                    index[dep] = low[dep] = len(index)
                    stack.append(dep)
                    open_.add(dep)
                    work.append((dep, iter(graph[dep])))
                    break
                if dep in open_:
                    low[node] = min(low[node], index[dep])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    yield _pop_component(node, stack, open_)


def _pop_component(root: str, stack: list[str], open_: set[str]) -> list[str]:
    found = [stack.pop()]
    while found[-1] != root:
        found.append(stack.pop())
    open_.difference_update(found)
    return found


def _sorted(
    components: list[tuple[str, ...]], graph: Graph, order: dict[str, int]
) -> tuple[tuple[str, ...], ...]:
    """Components, each after those that it depends on; ties by first declaration."""
    home = {name: members for members in components for name in members}
    needs = {c: {home[dep] for name in c for dep in graph[name]} - {c} for c in components}
    users: dict[tuple[str, ...], list[tuple[str, ...]]] = {c: [] for c in components}
    for user, needed in needs.items():
        for dep in needed:
            users[dep].append(user)
    left = {c: len(needed) for c, needed in needs.items()}
    ready = [(order[c[0]], c) for c, count in left.items() if count == 0]
    heapify(ready)
    done: list[tuple[str, ...]] = []
    while ready:
        _, component = heappop(ready)
        done.append(component)
        for user in users[component]:
            left[user] -= 1
            if left[user] == 0:
                heappush(ready, (order[user[0]], user))
    return tuple(done)


def check_strata(program: Program) -> list[Diagnostic]:
    """An error for each negated or aggregated atom that lies on a cycle, with the cycle."""
    found = edges(program)
    home = {name: members for members in stratify(program) for name in members}
    inside = [edge for edge in found if home[edge.head] == home[edge.body]]
    leaving: dict[str, list[Edge]] = {}
    for edge in inside:
        leaving.setdefault(edge.head, []).append(edge)
    return [_cycle(edge, leaving) for edge in inside if edge.use != "positive"]


def _cycle(bad: Edge, leaving: dict[str, list[Edge]]) -> Diagnostic:
    """The fault of one edge, with a shortest way from its body back to its head."""
    came: dict[str, Edge] = {}
    queue = deque([bad.body])
    while bad.head not in came and bad.head != bad.body and queue:
        for edge in leaving.get(queue.popleft(), ()):
            if edge.body not in came and edge.body != bad.body:
                came[edge.body] = edge
                queue.append(edge.body)
    way: list[Edge] = []
    node = bad.head
    while node != bad.body:
        way.append(came[node])
        node = came[node].head
    return _cycle_fault(bad, way[::-1])


def _cycle_fault(bad: Edge, way: list[Edge]) -> Diagnostic:
    code, what = ("E047", "the negation") if bad.use == "negated" else ("E048", "an aggregate")
    path = " → ".join([bad.head, *(_marked(edge) for edge in (bad, *way))])
    message = f"`{bad.head}` depends on {what} of itself: {path}"
    related = tuple((edge.span, f"`{edge.head}` is derived from `{edge.body}` here") for edge in way)
    hint = "split a relation so that what is negated or counted is finished before it is used"
    return Diagnostic(code, bad.span, message, hint, related)


def _marked(edge: Edge) -> str:
    marks = {"positive": edge.body, "negated": f"!{edge.body}", "aggregated": f"{{{edge.body}}}"}
    return marks[edge.use]
