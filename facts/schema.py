"""The declared relations that facts may belong to, read from a program's own declarations.

A relation that is not declared ``.input`` does not exist for facts.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches

from aitia.engine.errors import FactError
from aitia.engine.syntax import Const, Decl, Program

from .observation import Value

_INT_MIN, _INT_MAX = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class Schema:
    """``decls`` by relation name, ``columns`` with the base type of each column, and the schema's version."""

    decls: dict[str, Decl]
    columns: dict[str, tuple[str, ...]]
    version: int = 0
    inputs: frozenset[str] = field(default_factory=frozenset)

    def check(self, relation: str, row: Iterable[Value]) -> str | None:
        """What is wrong with a row, or None; ``bool`` and ``float`` are no values."""
        types = self.columns.get(relation)
        if types is None or relation not in self.inputs:
            near = get_close_matches(relation, sorted(self.inputs), 1)
            hint = f" (did you mean `{near[0]}`?)" if near else ""
            return f"there is no input relation `{relation}`{hint}"
        values = tuple(row)
        if len(values) != len(types):
            return f"`{relation}` has {len(types)} columns, not {len(values)}"
        for param, kind, value in zip(self.decls[relation].params, types, values, strict=True):
            if kind == "symbol" and type(value) is not str:
                return f"`{relation}.{param.name}` is a symbol, not {value!r}"
            if kind == "number" and (type(value) is not int or not _INT_MIN <= value <= _INT_MAX):
                return f"`{relation}.{param.name}` is a 64-bit number, not {value!r}"
        return None

    def require(self, relation: str, row: Iterable[Value]) -> None:
        """Raise FactError unless the row fits."""
        fault = self.check(relation, row)
        if fault:
            raise FactError(fault)


def schema_of(program: Program) -> Schema:
    """The schema that a program declares: its ``.input`` relations and its ``schema_version`` fact."""
    bases = {"symbol": "symbol", "number": "number"}
    parents = {t.name: t.base for t in program.types}

    def base(name: str) -> str:
        seen = set()
        while name not in bases and name in parents and name not in seen:
            seen.add(name)
            name = parents[name]
        return bases.get(name, "symbol")

    decls = {d.name: d for d in program.decls}
    columns = {d.name: tuple(base(p.type) for p in d.params) for d in program.decls}
    inputs = frozenset(d.relation for d in program.directives if d.kind == "input")
    version = 0
    for fact in program.facts:
        if fact.head.relation == "schema_version" and fact.head.args:
            term = fact.head.args[0]
            if isinstance(term, Const) and isinstance(term.value, int):
                version = term.value
    return Schema(decls, columns, version, inputs)
