"""The syntax tree of a program: what the parser makes and every later stage reads.

Nodes are frozen and compare by meaning: spans and documentation take no part in equality, so that
``parse(print(p)) == p``. No node computes semantics.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A place in a source file; lines and columns count from 1, the end is exclusive."""

    file: str
    line: int
    col: int
    end_line: int
    end_col: int


NOWHERE = Span("", 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Var:
    """A named variable."""

    name: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Wildcard:
    """The anonymous variable ``_``; each occurrence is a variable of its own."""

    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Const:
    """A constant: ``str`` for a symbol, ``int`` for a number (64-bit signed)."""

    value: str | int
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """An integer expression: ``op`` is one of ``OPERATORS``; unary minus is ``neg``."""

    op: str
    args: tuple["Term", ...]
    span: Span = field(default=NOWHERE, compare=False)


Term = Var | Wildcard | Const | Call

OPERATORS = ("+", "-", "*", "/", "%", "neg", "band", "bor", "bxor", "bshl", "bshr", "min", "max")
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
AGGREGATES = ("count", "min", "max", "sum")


@dataclass(frozen=True, slots=True)
class Atom:
    """``relation(args…)`` in a head or, positive, in a body."""

    relation: str
    args: tuple[Term, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Not:
    """``!atom``."""

    atom: Atom
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Compare:
    """``left op right``; with ``=`` an unbound variable on one side is bound by the other."""

    op: str
    left: Term
    right: Term
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """``result = kind target : { body }``; ``target`` is None for ``count``.

    Variables of ``body`` that also occur outside the aggregate are its group; the others are
    local. Over an empty group ``count`` and ``sum`` are 0, and ``min`` and ``max`` give no row.
    """

    result: Term
    kind: str
    target: Term | None
    body: tuple["Literal", ...]
    span: Span = field(default=NOWHERE, compare=False)


Literal = Atom | Not | Compare | Aggregate


@dataclass(frozen=True, slots=True)
class Doc:
    """The ``///`` lines above a clause or declaration.

    ``reading`` is the first line (empty if there is none); ``tags`` are the ``@tag value`` lines in
    order; ``text`` holds the remaining lines.
    """

    reading: str = ""
    tags: tuple[tuple[str, str], ...] = ()
    text: tuple[str, ...] = ()

    def tag(self, name: str) -> str | None:
        """The value of the first tag called ``name``, or None."""
        return next((value for key, value in self.tags if key == name), None)


NO_DOC = Doc()


@dataclass(frozen=True, slots=True)
class Param:
    """One column of a declaration."""

    name: str
    type: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Decl:
    """``.decl name(column: type, …)``."""

    name: str
    params: tuple[Param, ...]
    doc: Doc = field(default=NO_DOC, compare=False)
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def arity(self) -> int:
        return len(self.params)


@dataclass(frozen=True, slots=True)
class TypeDecl:
    """``.type name <: base``."""

    name: str
    base: str
    doc: Doc = field(default=NO_DOC, compare=False)
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Directive:
    """``.input``, ``.output`` or ``.printsize`` of one relation."""

    kind: str
    relation: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Include:
    """``.include "path"``."""

    path: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Rule:
    """``head :- body.``; a fact has an empty body. ``name`` is its ``@rule`` tag or ``relation/n``."""

    head: Atom
    body: tuple[Literal, ...]
    name: str = field(default="", compare=False)
    doc: Doc = field(default=NO_DOC, compare=False)
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Comment:
    """A ``//`` or ``/* */`` comment with its text as written (kept for the formatter)."""

    text: str
    span: Span = field(default=NOWHERE, compare=False)


Item = Decl | TypeDecl | Directive | Include | Rule


@dataclass(frozen=True, slots=True)
class Program:
    """All items of a program in source order, includes already replaced by what they include.

    ``rules`` holds rules with a body, ``facts`` those without; ``texts`` maps each file name to its
    text, for diagnostics and proofs.
    """

    decls: tuple[Decl, ...] = ()
    types: tuple[TypeDecl, ...] = ()
    directives: tuple[Directive, ...] = ()
    rules: tuple[Rule, ...] = ()
    facts: tuple[Rule, ...] = ()
    comments: tuple[Comment, ...] = field(default=(), compare=False)
    texts: dict[str, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class CheckedProgram:
    """A program without errors, with what checking found out.

    ``columns`` maps a relation to the base type (``symbol`` or ``number``) of each column;
    ``strata`` lists the relations in order of evaluation, mutually recursive ones together.
    """

    program: Program
    columns: dict[str, tuple[str, ...]]
    strata: tuple[tuple[str, ...], ...]
    decls: dict[str, Decl] = field(default_factory=dict)
