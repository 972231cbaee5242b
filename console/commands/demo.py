"""``aitia demo``: the bundled incident."""

import argparse
import sys
from shutil import which

from aitia.ruleset import demo_folder

from .common import exit_code, write
from .diagnose import opened, rendered


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Format."""
    parser.add_argument("--format", choices=("text", "json"), default="text", help="text (default) or json")


def run(options: argparse.Namespace) -> int:
    """Diagnose the bundled incident."""
    folder = demo_folder()
    case = opened([folder], None)
    write(rendered(case, options.format))
    if options.format == "text":
        first = next((c for a in case.diagnosis.attempts for c in a.root_causes), None)
        if first:
            command = "aitia" if which("aitia") else sys.argv[0]
            sys.stderr.write(f"\nThe files are in {folder}.\nSee the proof: {command} why {first.id}\n")
    return exit_code(case.diagnosis)
