"""The error tree. Nothing else leaves aitia on purpose.

AitiaError            a clear message for a person; the root of all
├─ ProgramError       a rule program is wrong (carries diagnostics)
├─ FactError          facts or a dump are wrong
├─ InputError         a file or folder cannot be used
├─ UsageError         a command was called wrongly
└─ LimitExceeded      a bound on rows, bytes or rounds was reached
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .diagnostics import Diagnostic


class AitiaError(Exception):
    """The root: ``str`` of it is one clear message, with a place and a hint where there is one."""


class ProgramError(AitiaError):
    """A rule program is wrong; ``diagnostics`` lists every fault found in one run.

    ``texts`` maps the files that they name to their text, where somebody has filled it in.
    """

    def __init__(self, diagnostics: "list[Diagnostic]") -> None:
        self.diagnostics = diagnostics
        self.texts: dict[str, str] = {}
        super().__init__("\n".join(str(d) for d in diagnostics))


class FactError(AitiaError):
    """Facts do not fit their declarations, or a dump is damaged."""


class InputError(AitiaError):
    """A path that was named cannot be read at all."""


class UsageError(AitiaError):
    """A command or function was called with arguments that make no sense together."""


class LimitExceeded(AitiaError):
    """A bound was reached; the message names what grew."""
