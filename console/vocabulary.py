"""Vocabularies: YAML tables that become facts of a program, each row with its file and line.

A file holds one document or several (``---``), each with ``relation``, ``columns``, ``reference`` and ``rows``.
Every table names a reference; a row has a value for every column.
"""

from collections.abc import Iterator
from pathlib import Path

import yaml
from aitia.engine.diagnostics import Diagnostic, tidy
from aitia.engine.errors import InputError, ProgramError
from aitia.engine.syntax import Atom, Const, Program, Rule, Span
from pydantic import BaseModel, ConfigDict, Field, ValidationError

CODE = "E060"


class Table(BaseModel):
    """One document of a vocabulary file."""

    model_config = ConfigDict(extra="forbid", strict=True)

    relation: str
    columns: list[str] = Field(min_length=1)
    reference: str = Field(min_length=4)
    rows: list[list[str | int]]


def load(path: Path, name: str, program: Program) -> tuple[list[Rule], list[Diagnostic]]:
    """The facts of one file and what is wrong with it; ``name`` is how messages call the file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        return [], [_fault(name, 1, f"the file is not UTF-8 (byte {error.start})")]
    facts: list[Rule] = []
    faults: list[Diagnostic] = []
    try:
        for node in yaml.compose_all(text, yaml.SafeLoader):
            if node is not None:
                _document(node, name, program, facts, faults)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        faults.append(_fault(name, line, f"not YAML: {getattr(error, 'problem', None) or error}"))
    except RecursionError:
        faults.append(_fault(name, 1, "nested too deeply"))
    return facts, faults


def _document(
    node: yaml.Node, name: str, program: Program, facts: list[Rule], faults: list[Diagnostic]
) -> None:
    line = node.start_mark.line + 1
    try:
        loader = yaml.SafeLoader("")
        table = Table.model_validate(loader.construct_document(node))
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(str(part) for part in fault["loc"])
        faults.append(_fault(name, line, f"{where}: {fault['msg']}"))
        return
    except (yaml.YAMLError, ValueError) as error:
        faults.append(_fault(name, line, f"not YAML: {error}"))
        return
    decl = next((d for d in program.decls if d.name == table.relation), None)
    if decl is None:
        faults.append(_fault(name, line, f"there is no relation `{table.relation}`"))
        return
    wanted = [p.name for p in decl.params]
    if table.columns != wanted:
        faults.append(_fault(name, line, f"`{decl.name}` has the columns {', '.join(wanted)}"))
        return
    for row, mark in zip(table.rows, _row_lines(node), strict=False):
        if len(row) != len(wanted):
            faults.append(_fault(name, mark, f"the row has {len(row)} values for {len(wanted)} columns"))
            continue
        span = Span(name, mark, 1, mark, 1)
        head = Atom(decl.name, tuple(Const(v, span) for v in row), span)
        facts.append(Rule(head, (), f"{decl.name}", span=span))


def _row_lines(node: yaml.Node) -> Iterator[int]:
    for key, value in node.value:
        if key.value == "rows":
            for row in value.value:
                yield row.start_mark.line + 1


def _fault(name: str, line: int, message: str) -> Diagnostic:
    return Diagnostic(CODE, Span(name, line, 1, line, 1), message)


def load_all(folder: Path, prefix: str, program: Program) -> list[Rule]:
    """The facts of every ``*.yaml`` in a folder, in order of name; all faults are raised together."""
    facts: list[Rule] = []
    faults: list[Diagnostic] = []
    for path in sorted(folder.glob("*.yaml")):
        more, wrong = load(path, f"{prefix}/{path.name}", program)
        facts += more
        faults += wrong
    if faults:
        raise ProgramError(tidy(faults))
    return facts
