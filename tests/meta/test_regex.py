"""No expression repeats a group possessively: Python before 3.11.5 matches such groups wrongly (cpython#106052)."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{\d*,?\d*\})\+")


def test_no_group_is_possessive() -> None:
    for folder in ("engine", "facts", "connectors", "console"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if 'r"' in line or "rf" in line or "(?" in line:
                    assert not POSSESSIVE_GROUP.search(line), f"{path}:{number}: {line.strip()}"


def test_the_check_sees_one() -> None:
    assert POSSESSIVE_GROUP.search(r"(?:a|b)*+")
    assert not POSSESSIVE_GROUP.search(r"[a-z]*+(?:x)*")
