"""The engine: Datalog programs from text to proofs, and nothing of logs, jobs or GPUs.

    from aitia.engine import check, parse_text, render
    program = parse_text('.decl p(x: number) p(1).', "p.dl")
    checked = check(program)

The stages are modules, in the order in which a program flows: ``lexer``, ``parser`` (or ``loading``, for
files), ``checks``, ``evaluate``, ``why``. Invariant: importing the package is cheap; a name is looked up
when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .checks import check, diagnose
    from .diagnostics import Diagnostic, render
    from .errors import AitiaError, ProgramError
    from .loading import load_program
    from .parser import parse_atom, parse_body, parse_text
    from .syntax import CheckedProgram, Program

__all__ = [
    "AitiaError",
    "CheckedProgram",
    "Diagnostic",
    "Program",
    "ProgramError",
    "check",
    "diagnose",
    "load_program",
    "parse_atom",
    "parse_body",
    "parse_text",
    "render",
]

_HOMES = {
    "checks": ("check", "diagnose"),
    "diagnostics": ("Diagnostic", "render"),
    "errors": ("AitiaError", "ProgramError"),
    "loading": ("load_program",),
    "parser": ("parse_atom", "parse_body", "parse_text"),
    "syntax": ("CheckedProgram", "Program"),
}


def __getattr__(name: str) -> object:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f".{module}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
