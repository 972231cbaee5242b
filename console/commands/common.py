"""What several commands share: paths and programs as arguments, output, progress, exit codes."""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from aitia.diagnosis import Diagnosis
from aitia.engine.errors import InputError, ProgramError, UsageError

OK, OPEN = 0, 1


def path_argument(text: str) -> Path:
    """A path as an argument; an empty one is an unset shell variable, never the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("the path is empty (an unset variable?)")
    return Path(text)


def add_programs(parser: argparse.ArgumentParser) -> None:
    """``--programs DIR``."""
    parser.add_argument(
        "--programs",
        type=path_argument,
        metavar="DIR",
        help="use the rule program in DIR, not the bundled one",
    )


def exit_code(diagnosis: Diagnosis) -> int:
    """1 if some attempt is ambiguous or unattributed, else 0."""
    open_ = any(a.verdict in ("ambiguous", "unattributed") for a in diagnosis.attempts)
    return OPEN if open_ else OK


def refuse_inputs(target: Path | None, inputs: Sequence[Path]) -> None:
    """Raise UsageError where an output would overwrite an input or stand among the inputs."""
    if target is None or not target.exists():
        return
    for path in inputs:
        inside = path.is_dir() and target.resolve().is_relative_to(path.resolve())
        if inside or target.resolve() == path.resolve():
            raise UsageError(f"{target}: exists and is part of the incident; name another file to write to")


def write(text: str, target: Path | None = None) -> None:
    """To a file where one is named, else to stdout, always as UTF-8 where the terminal allows."""
    if target is None:
        encoding = sys.stdout.encoding or "ascii"
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        return
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{target}: {error.strerror}") from None


def as_json(value: Any) -> str:
    """JSON as it is printed: two spaces, Unicode as it is, keys in the order of the contract."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def progress() -> Callable[[str, int], None] | None:
    """A reporter for work over a second: one line on a terminal's stderr, nothing elsewhere."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return None
    begun = time.monotonic()
    last = [begun]

    def report(source: str, size: int) -> None:
        now = time.monotonic()
        if now - begun > 1 and now - last[0] > 0.2:
            last[0] = now
            sys.stderr.write(f"\r\x1b[Kreading {source[-60:]} ({size / 1e6:,.0f} MB)")
            sys.stderr.flush()

    return report


def end_progress() -> None:
    """Clear the line."""
    if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        sys.stderr.write("\r\x1b[K")


def program_fault(error: ProgramError) -> str:
    """Every fault of a program with its source line."""
    from aitia.engine.diagnostics import render

    return render(error.diagnostics, error.texts)
