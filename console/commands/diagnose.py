"""``aitia diagnose PATH…``: the main job."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from aitia.case import Case, open_case
from aitia.engine.errors import UsageError
from aitia.text import diagnosis_text
from aitia.theme import Theme, theme_for

from .common import (
    add_programs,
    as_json,
    end_progress,
    exit_code,
    path_argument,
    progress,
    refuse_inputs,
    write,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Paths, format, program, output file."""
    parser.add_argument(
        "paths",
        nargs="+",
        type=path_argument,
        metavar="PATH",
        help="folders or files of one incident, or one fact dump",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="text (default) or json")
    parser.add_argument(
        "-o", "--output", type=path_argument, metavar="FILE", help="write to FILE, not to stdout"
    )
    parser.add_argument(
        "--dump", type=path_argument, metavar="FILE", help="also write the facts to FILE, a fact dump"
    )
    add_programs(parser)


def run(options: argparse.Namespace) -> int:
    """Diagnose and print; returns the exit code."""
    refuse_inputs(options.output, options.paths)
    refuse_inputs(options.dump, options.paths)
    if options.dump and options.output and options.dump.resolve() == options.output.resolve():
        raise UsageError(f"{options.dump}: the diagnosis and the dump cannot be one file")
    case = opened(options.paths, options.programs)
    if options.dump:
        _dump(case, options.dump)
    write(rendered(case, options.format, options.output), options.output)
    return exit_code(case.diagnosis)


def opened(paths: Sequence[Path], programs: Path | None) -> Case:
    """The case, with progress on a terminal."""
    try:
        return open_case(paths, programs, progress())
    finally:
        end_progress()


def rendered(case: Case, form: str, output: Path | None = None) -> str:
    """The diagnosis in one of the formats."""
    if form == "json":
        return as_json(case.diagnosis.to_json())
    return diagnosis_text(case.diagnosis, Theme() if output else theme_for())


def _dump(case: Case, target: Path) -> None:
    from aitia import __version__
    from aitia.engine.errors import InputError
    from aitia.facts.dump import dump

    try:
        target.write_bytes(dump(case.base, __version__))
    except OSError as error:
        raise InputError(f"{target}: {error.strerror}") from None
