"""The command line: a table of commands, errors as one clear message, exit codes.

0 every attempt has a root cause or did not fail · 1 some attempt is ambiguous or unattributed · 2 usage or input
error · 3 internal error. Data goes to stdout, everything else to stderr.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

COMMANDS = {
    "demo": "diagnose the bundled incident",
    "diagnose": "find where the failure of a job began, in the files that you have",
    "why": "show the proof of a verdict, down to the raw lines",
    "version": "print the version",
}
EPILOG = (
    "Exit codes: 0 root cause found or nothing failed, 1 ambiguous or unattributed, "
    "2 usage or input error, 3 internal error."
)


def parser() -> argparse.ArgumentParser:
    """The parser of all commands; a command's own arguments are added when it is the one called."""
    top = argparse.ArgumentParser(
        prog="aitia", description="Root causes of dead GPU training jobs, with proofs.", epilog=EPILOG
    )
    top.add_argument("--version", action="store_true", help="print the version and leave")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, text in COMMANDS.items():
        epilog = EPILOG if name in ("demo", "diagnose") else None
        commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".", epilog=epilog)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _run(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _silence()
        return 141
    except OSError as error:
        _silence()
        sys.stderr.write(f"aitia: the output cannot be written: {error.strerror or error}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("aitia: stopped\n")
        return 130


def _silence() -> None:
    """Nothing more can be written: point stdout at nothing, so that the exit has nothing to say."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: list[str]) -> int:
    top = parser()
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    name = next((a for a in arguments if a in COMMANDS), None)
    if name is not None:
        command = import_module(f"aitia.commands.{name}")
        chosen = top._subparsers._group_actions[0].choices[name]  # type: ignore[union-attr,index]
        command.add_arguments(chosen)
    options = top.parse_args(arguments)
    if options.version:
        name = options.command = "version"
    if options.command is None:
        top.print_help()
        return 2
    command = import_module(f"aitia.commands.{options.command}")
    return _guarded(command.run, options)


def _guarded(run, options: argparse.Namespace) -> int:  # type: ignore[no-untyped-def]
    from aitia.engine.errors import AitiaError, ProgramError

    try:
        code = int(run(options))
        sys.stdout.flush()
        return code
    except ProgramError as error:
        from aitia.commands.common import program_fault

        sys.stderr.write(program_fault(error))
        return 2
    except AitiaError as error:
        sys.stderr.write(f"aitia: {error}\n")
        return 2
    except (OSError, KeyboardInterrupt):
        raise
    except MemoryError:
        sys.stderr.write("aitia: out of memory\n")
        return 3
    except Exception as error:
        if os.environ.get("AITIA_DEBUG"):
            raise
        sys.stderr.write(
            f"aitia: internal error: {type(error).__name__}: {error}\n"
            "This is a fault of aitia, not of your files; AITIA_DEBUG=1 shows where it happened.\n"
        )
        return 3
