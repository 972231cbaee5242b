"""``aitia version``."""

import argparse

from aitia import __version__

from .common import write


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None."""


def run(options: argparse.Namespace) -> int:
    """Print name and version; as a command also which program is bundled, and where it lies."""
    write(f"aitia {__version__}\n")
    if not options.version:
        from aitia.ruleset import load_program

        program = load_program()
        write(
            f"program {program.name} {program.revision}, schema {program.schema.version}, {program.folder}\n"
        )
    return 0
