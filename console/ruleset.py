"""Rule programs as folders: rules (``main.dl``), vocabularies (``vocabulary/*.yaml``), patterns (``patterns/*.yaml``).

The revision is a hash of the folder's content, or what git says where the folder is a git work tree.
"""

import hashlib
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

from aitia.engine import checks, loading
from aitia.engine.errors import InputError, ProgramError
from aitia.engine.syntax import CheckedProgram
from aitia.facts.schema import Schema, schema_of

from . import vocabulary

SUFFIXES = (".dl", ".yaml", ".yml")
VERDICT_RELATIONS = (
    "verdict",
    "outcome",
    "root_cause",
    "suspect",
    "among",
    "explained_by",
    "unexplained",
    "affected",
    "missing",
    "nearest",
    "advised",
)
"""Relations with an ``Attempt`` column that a diagnosis is read from."""
EVENT_RELATIONS = (
    "attempt",
    "moment",
    "node_of",
    "repeats",
    "rank_to_blame",
    "link",
    "explains",
    "fault",
    "unassigned",
)
"""The other relations that reading a diagnosis needs."""


@dataclass(frozen=True, slots=True)
class RuleProgram:
    """A checked program with its name, its revision, and the folder it came from."""

    name: str
    revision: str
    dirty: bool
    folder: Path
    checked: CheckedProgram
    schema: Schema

    @property
    def patterns(self) -> Path:
        """The folder of line patterns (it need not exist)."""
        return self.folder / "patterns"


def training_folder() -> Path:
    """The bundled training program."""
    return Path(str(files("aitia.programs"))) / "training"


def demo_folder() -> Path:
    """The bundled incident."""
    return Path(str(files("aitia.programs"))) / "demo"


def load_program(folder: Path | None = None) -> RuleProgram:
    """The program in a folder, or the bundled one.

    Raises InputError when the folder has no ``main.dl``, ProgramError with every fault of the program.
    """
    root = (folder or training_folder()).resolve()
    main = root / "main.dl"
    if not main.is_file():
        raise InputError(f"{folder or root}: a program is a folder with a main.dl")
    try:
        program = loading.load_program([main], base=root.parent)
        facts = vocabulary.load_all(root / "vocabulary", f"{root.name}/vocabulary", program)
        program = replace(program, facts=program.facts + tuple(facts))
        checked = checks.check(program)
    except ProgramError as error:
        error.texts.update(_texts(root.parent, {d.span.file for d in error.diagnostics}))
        raise
    revision, dirty = _revision(root, git=folder is not None)
    return RuleProgram(root.name, revision, dirty, root, checked, schema_of(program))


def require_verdicts(program: RuleProgram) -> None:
    """Raise InputError unless the program declares every relation that a diagnosis is read from."""
    wanted = VERDICT_RELATIONS + EVENT_RELATIONS
    absent = [r for r in wanted if r not in program.checked.decls]
    if absent:
        raise InputError(f"{program.folder}: the program gives no verdicts (it lacks {', '.join(absent)})")


def _texts(base: Path, names: set[str]) -> Iterator[tuple[str, str]]:
    """The texts of the files that a fault names, as far as they can be read."""
    for name in sorted(names):
        try:
            yield name, (base / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue


def _revision(root: Path, *, git: bool) -> tuple[str, bool]:
    if git and (described := _git_describe(root)):
        return described.removesuffix("-dirty"), described.endswith("-dirty")
    digest = hashlib.sha256()
    for path in sorted(p for p in root.rglob("*") if p.suffix in SUFFIXES and p.is_file()):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:12], False


def _git_describe(root: Path) -> str | None:
    git = shutil.which("git")
    if git is None:
        return None
    done = subprocess.run(
        [git, "-C", str(root), "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or None if done.returncode == 0 else None
