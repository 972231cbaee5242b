"""The house rules that can be read from the source: who knows whom, what is never called, what stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("engine", "facts", "connectors", "programs", "console")
MAY_KNOW = {
    "engine": {"engine"},
    "facts": {"facts", "engine"},
    "connectors": {"connectors", "facts", "engine.errors"},
    "programs": set(),
    "console": {"console", "engine", "facts", "connectors"},
}
SOURCES = sorted(p for f in FOLDERS for p in (ROOT / f).rglob("*.py"))


def imported(path: Path) -> list[tuple[int, str]]:
    """Every module that a file imports, as line and absolute name."""
    package = _package(path)
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [(node.lineno, a.name) for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")
            prefix = ".".join(base[: len(base) - node.level + 1]) if node.level else ""
            module = ".".join(p for p in (prefix, node.module or "") if p)
            found += [(node.lineno, module)]
            if module in ("aitia", *(f"aitia.{f}" for f in FOLDERS)):
                found += [(node.lineno, f"{module}.{a.name}") for a in node.names]
    return found


def _package(path: Path) -> str:
    parts = path.relative_to(ROOT).parts[:-1]
    inner = parts[1:] if parts[0] == "console" else parts
    return ".".join(("aitia", *inner))


def _room(module: str) -> str | None:
    """The folder that a module of ours lies in, with ``engine.errors`` apart."""
    parts = module.split(".")
    if parts[0] != "aitia":
        return None
    if parts[1:3] == ["engine", "errors"]:
        return "engine.errors"
    return parts[1] if len(parts) > 1 and parts[1] in FOLDERS else "console"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_folder_knows_what_it_need_not(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0]
    allowed = MAY_KNOW[room]
    wrong = []
    for line, module in imported(path):
        target = _room(module)
        if module.split(".")[0] in FOLDERS:
            wrong.append(f"line {line}: `{module}` is a second copy of a module; import it from aitia")
        if target in (None, "engine.errors" if "engine" in allowed else None):
            continue
        if target == "engine" and module == "aitia.engine":
            continue  # the names after it are judged one by one
        if target not in allowed:
            wrong.append(f"line {line}: {room} must not know {module}")
    assert not wrong, "\n".join(wrong)


def test_the_rule_would_see_a_breach(tmp_path: Path) -> None:
    assert _room("aitia.engine.evaluate") not in MAY_KNOW["connectors"]
    assert _room("aitia.engine.errors") in MAY_KNOW["connectors"]
    assert _room("aitia.case") == "console"


def test_nothing_is_executed_or_unpickled() -> None:
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec", "compile"), f"{path}:{node.lineno}"
        assert not any(m.split(".")[0] in ("pickle", "marshal", "shelve") for _, m in imported(path)), path


def test_files_stay_small() -> None:
    large = {str(p.relative_to(ROOT)): n for p in SOURCES if (n := len(p.read_text().splitlines())) > 450}
    assert not large, large


def test_the_command_line_starts_without_heavy_packages() -> None:
    code = (
        "import sys, aitia.cli as c; c.parser().format_help();"
        "heavy = {'numpy', 'pandas', 'pydantic', 'yaml', 're2', 'pyDatalog'} & set(sys.modules);"
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_no_workplace_is_named() -> None:
    words = ("/" + "work/", "shared" + "/cases", "helper" + "-")
    for path in sorted(ROOT.rglob("*")):
        inside = path.relative_to(ROOT).parts
        if path.suffix not in (".py", ".dl", ".yaml", ".md", ".toml", ".sh") or inside[0].startswith("."):
            continue
        text = path.read_text(encoding="utf-8")
        for word in words:
            allowed = word == "shared" + "/cases" and inside[0] == "tests"
            assert allowed or word not in text, f"{path} names {word}"
