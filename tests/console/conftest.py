"""Commands run as a person runs them: in a process of their own, or in this one where speed matters."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from aitia.cli import main
from aitia.ruleset import demo_folder


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def attempt(self) -> Any:
        (attempt,) = self.json["attempts"]
        return attempt


@pytest.fixture
def aitia(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run a command in this process."""

    def run(*arguments: str | Path) -> Ran:
        try:
            code = main([str(a) for a in arguments])
        except SystemExit as left:
            code = int(left.code or 0)
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run


@pytest.fixture
def incident(tmp_path: Path) -> Path:
    """A copy of the bundled incident that a test may change."""
    target = tmp_path / "incident"
    shutil.copytree(demo_folder(), target)
    return target
