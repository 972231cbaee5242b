"""The README shows what the commands print."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from aitia.cli import main

README = (Path(__file__).resolve().parents[2] / "README.md").read_text()


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def run(*arguments: str) -> str:
        main(arguments)
        return capsys.readouterr().out

    return run


def unnumbered(text: str) -> str:
    """Without the line numbers of rules and tables, which move with every edit above them."""
    return re.sub(r"\.(dl|yaml):\d+", r".\1", text)


def block(after: str) -> list[str]:
    """The indented block below a sentence."""
    lines = README.split(after, 1)[1].lstrip("\n").split("\n")
    end = next(i for i, line in enumerate(lines) if line and not line.startswith("    "))
    return [line.removeprefix("    ") for line in lines[:end]]


def test_the_demo_is_shown_as_it_is(printed: Callable[..., str]) -> None:
    shown = "\n".join(block("None of them is where it began.")).strip("\n")
    assert shown == printed("demo").strip("\n")


def test_the_excerpt_of_the_proof_stands_in_the_proof(printed: Callable[..., str]) -> None:
    found = [
        part.split(" ")[-1]
        for part in printed("demo").replace(",", ";").split(";")
        if part.startswith(" id ")
    ]
    proof = unnumbered(printed("why", found[0]))
    shown = [unnumbered(line) for line in block("shows why it says so, step by step:") if line]
    assert len(shown) > 20
    at = proof.index(shown[0])
    for line in shown:
        assert line in proof[at - 20 :], line
