"""The wheel is complete and claims no name but ours."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    target = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(target), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return zipfile.ZipFile(next(target.glob("*.whl"))).namelist()


def test_only_aitia_at_the_top(names: list[str]) -> None:
    tops = {n.split("/")[0] for n in names}
    assert {t for t in tops if not t.endswith(".dist-info")} == {"aitia"}


def test_programs_and_demo_are_inside(names: list[str]) -> None:
    for folder in ("training", "demo"):
        for path in sorted((ROOT / "programs" / folder).rglob("*")):
            if path.is_file():
                assert f"aitia/programs/{path.relative_to(ROOT / 'programs').as_posix()}" in names
    assert "aitia/py.typed" in names
    assert "aitia/engine/parser.py" in names
    assert "aitia/commands/why.py" in names
