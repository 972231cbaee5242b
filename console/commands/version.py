"""``aitia version``."""

import argparse

from aitia import __version__

from .common import write


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None."""


def run(options: argparse.Namespace) -> int:
    """Print name and version."""
    write(f"aitia {__version__}\n")
    return 0
