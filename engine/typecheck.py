"""Types: symbols and numbers never mix, and values of unrelated subtypes never join by accident.

Types form a forest with the roots ``symbol`` and ``number``; two types are *related* if one is the other
or lies above it. The rule:

- all columns, comparisons and aggregates in which a variable stands in a body must have related types;
  its type is the lowest of them. Variables that are compared with each other count as one.
- a head column of type T takes a variable whose type is T, lies below T, or is the plain root of T
  (facts often come as plain symbols).
- constants and results of arithmetic have a root type.

So a ``Node`` and a ``Device`` never meet, not even through a third column that is a plain ``symbol``.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from .diagnostics import Diagnostic
from .scope import group_names, outer_names
from .syntax import (
    Aggregate,
    Atom,
    Call,
    Compare,
    Const,
    Decl,
    Literal,
    Not,
    Param,
    Rule,
    Span,
    Term,
    TypeDecl,
    Var,
)

ROOTS = ("symbol", "number")
Lineage = Mapping[str, tuple[str, ...]]
Key = tuple[int, str]


def lineages(types: tuple[TypeDecl, ...]) -> dict[str, tuple[str, ...]]:
    """Each well-founded type with all types above it, itself first and its root last."""
    base = {decl.name: decl.base for decl in reversed(types) if decl.name not in ROOTS}
    found: dict[str, tuple[str, ...]] = {root: (root,) for root in ROOTS}
    for name in base:
        chain: dict[str, None] = {}
        while name in base and name not in found and name not in chain:
            chain[name] = None
            name = base[name]
        if name in found:
            for below in reversed(chain):
                found[below] = (below, *found[base[below]])
    return found


@dataclass(frozen=True, slots=True)
class Use:
    """A place that gives a variable a type; ``what`` says how, for a person."""

    type: str
    span: Span
    what: str
    in_head: bool = False


class ClauseTypes:
    """Gathers the uses of one clause's variables, then judges them."""

    __slots__ = ("_decls", "_faults", "_lineage", "_parent", "_scope", "_shared", "_uses")

    def __init__(self, decls: Mapping[str, Decl], lineage: Lineage) -> None:
        self._decls = decls
        self._lineage = lineage
        self._faults: list[Diagnostic] = []
        self._uses: dict[Key, list[Use]] = {}
        self._parent: dict[Key, Key] = {}
        self._scope = 0
        self._shared: frozenset[str] = frozenset()

    def check(self, rule: Rule) -> list[Diagnostic]:
        """All type faults of a clause; atoms of unknown relations or wrong arity are passed over."""
        if rule.body:
            self._shared = outer_names(rule)
            self._literals(rule.body)
        self._atom(rule.head, in_head=True)
        if self._uses:
            self._judge()
        return self._faults

    # -- gathering -----------------------------------------------------------------------------

    def _literals(self, body: tuple[Literal, ...]) -> None:
        for place, literal in enumerate(body, 1):
            match literal:
                case Atom():
                    self._atom(literal)
                case Not(atom=atom):
                    self._atom(atom)
                case Compare(left=left, right=right):
                    self._compare(left, right)
                case Aggregate():
                    outside = self._shared
                    self._scope, self._shared = place, group_names(outside, literal)
                    self._literals(literal.body)
                    self._target(literal)
                    self._scope, self._shared = 0, outside

    def _target(self, aggregate: Aggregate) -> None:
        """``count`` and ``sum`` give a number; ``min`` and ``max`` give what they range over."""
        what = f"the aggregate `{aggregate.kind}`"
        inner = self._key(aggregate.target) if aggregate.target is not None else None
        if aggregate.target is not None:
            self._number(aggregate.target, what)
        self._scope, outer = 0, self._scope
        self._number(aggregate.result, what, free=True)
        if inner and isinstance(aggregate.result, Var) and aggregate.kind in ("min", "max"):
            self._join(inner, (0, aggregate.result.name))
        self._scope = outer

    def _atom(self, atom: Atom, in_head: bool = False) -> None:
        decl = self._decls.get(atom.relation)
        if decl is None or decl.arity != len(atom.args):
            return
        for arg, param in zip(atom.args, decl.params, strict=True):
            if param.type in self._lineage:
                self._column(arg, param, decl, in_head)

    def _column(self, arg: Term, param: Param, decl: Decl, in_head: bool) -> None:
        root = self._lineage[param.type][-1]
        match arg:
            case Const(value=value):
                if _root_of(value) != root:
                    self._column_clash(arg, _root_of(value), param, decl)
            case Call():
                self._number(arg, "arithmetic")
                if root != "number":
                    self._column_clash(arg, "number", param, decl)
            case Var():
                what = f"column `{param.name}` of `{decl.name}`"
                self._use(arg, Use(param.type, arg.span, what, in_head))

    def _column_clash(self, arg: Term, given: str, param: Param, decl: Decl) -> None:
        message = f"column `{param.name}` of `{decl.name}` is a `{param.type}`, and this is a {given}"
        related = ((param.span, "declared here"),)
        self._faults.append(Diagnostic("E035", arg.span, message, related=related))

    def _compare(self, left: Term, right: Term) -> None:
        first, second = self._key(left), self._key(right)
        if first and second:
            self._join(first, second)
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Call):
                self._number(one, "arithmetic")
            if isinstance(one, Var) and (root := _fixed_root(other)):
                self._use(one, Use(root, one.span, f"a comparison with a {root}"))
        roots = (_fixed_root(left), _fixed_root(right))
        if all(roots) and roots[0] != roots[1]:
            message = f"a {roots[0]} is compared with a {roots[1]}"
            self._faults.append(Diagnostic("E035", right.span, message))

    def _number(self, term: Term, what: str, free: bool = False) -> None:
        """Requires a term, and every term in it, to be a number."""
        pending = [term]
        while pending:
            match pending.pop():
                case Call(args=args):
                    pending.extend(args)
                case Var() as var:
                    self._use(var, Use("number", var.span, what), outer=free)
                case Const(value=str(), span=span):
                    message = f"{what} is about numbers, and this is a symbol"
                    self._faults.append(Diagnostic("E035", span, message))

    def _use(self, var: Var, use: Use, outer: bool = False) -> None:
        key = (0, var.name) if outer else self._var_key(var)
        self._uses.setdefault(key, []).append(use)

    def _key(self, term: Term) -> Key | None:
        return self._var_key(term) if isinstance(term, Var) else None

    def _var_key(self, var: Var) -> Key:
        """A variable that is local to an aggregate is another one than its namesake elsewhere."""
        return (0 if var.name in self._shared else self._scope, var.name)

    # -- judging -------------------------------------------------------------------------------

    def _find(self, key: Key) -> Key:
        while (parent := self._parent.get(key, key)) != key:
            key = parent
        return key

    def _join(self, one: Key, other: Key) -> None:
        first, second = sorted((self._find(one), self._find(other)))
        if first != second:
            self._parent[second] = first

    def _judge(self) -> None:
        groups: dict[Key, list[tuple[str, Use]]] = {}
        for key, uses in self._uses.items():
            groups.setdefault(self._find(key), []).extend((key[1], use) for use in uses)
        for group in groups.values():
            self._judge_group(sorted(group, key=lambda pair: (pair[1].in_head, pair[1].span)))

    def _judge_group(self, uses: list[tuple[str, Use]]) -> None:
        lowest: Use | None = None
        for name, use in uses:
            if lowest is None:
                lowest = use
            elif not self._fits(use, lowest):
                self._faults.append(self._clash(name, use, lowest))
            elif not use.in_head and len(self._lineage[use.type]) > len(self._lineage[lowest.type]):
                lowest = use

    def _fits(self, use: Use, lowest: Use) -> bool:
        above = self._lineage[lowest.type]
        if use.type in above:
            return True
        if use.in_head:
            return len(above) == 1 and lowest.type in self._lineage[use.type]
        return lowest.type in self._lineage[use.type]

    def _clash(self, name: str, use: Use, lowest: Use) -> Diagnostic:
        same_root = self._lineage[use.type][-1] == self._lineage[lowest.type][-1]
        message = f"`{name}` is a `{use.type}` here ({use.what}) and a `{lowest.type}` in {lowest.what}"
        related = ((lowest.span, f"`{lowest.type}` here: {lowest.what}"),)
        return Diagnostic("E036" if same_root else "E035", use.span, message, related=related)


def _root_of(value: str | int) -> str:
    return "symbol" if isinstance(value, str) else "number"


def _fixed_root(term: Term) -> str:
    """The root type of a constant or of arithmetic, or an empty string."""
    match term:
        case Const(value=value):
            return _root_of(value)
        case Call():
            return "number"
        case _:
            return ""
