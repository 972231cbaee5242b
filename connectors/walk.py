"""Which files an incident consists of, and what each is called.

Invariant: names and order depend on the tree alone, not on the order of the paths given or of the directory.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from aitia.engine.errors import InputError

NAMES = ("incident.yaml", "incident.yml")
"""A settings file, where it lies in a folder that was given."""
DEPTH = 64


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """A file to read, or one that cannot be (``refused`` says why)."""

    name: str
    path: Path
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class Tree:
    """The sources of an incident in order of name, and the settings file if there is one."""

    sources: tuple[Source, ...]
    settings: Source | None


def find_sources(paths: Sequence[Path]) -> Tree:
    """Walk the given files and folders.

    Raises InputError for a path that is not there, for no path, and for two settings files.
    """
    if not paths:
        raise InputError("no file or folder was named")
    roots = _roots(paths)
    base = _base(roots)
    found: dict[str, Source] = {}
    settings: dict[Path, Source] = {}
    for root in roots:
        for path, refused in _walk(root):
            source = Source(_name(path, base), path, refused)
            if path.name in NAMES and root in (path, path.parent):
                settings[path] = source
            else:
                found[os.fspath(path)] = source
    if len(settings) > 1:
        names = ", ".join(sorted(s.name for s in settings.values()))
        raise InputError(f"more than one settings file: {names}")
    return Tree(tuple(sorted(found.values())), next(iter(settings.values()), None))


def _roots(paths: Sequence[Path]) -> list[Path]:
    roots: set[Path] = set()
    for path in paths:
        try:
            roots.add(path.resolve(strict=True))
        except (OSError, RuntimeError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "cannot be resolved"
            raise InputError(f"{path}: {reason}") from None
    return sorted(roots)


def _base(roots: list[Path]) -> Path:
    folders = [root if root.is_dir() else root.parent for root in roots]
    if len(roots) == 1:
        return folders[0]
    parents = [root if root.is_dir() and _holds_others(root, roots) else root.parent for root in roots]
    return Path(os.path.commonpath([os.fspath(p) for p in parents]))


def _holds_others(root: Path, roots: list[Path]) -> bool:
    return any(other != root and root in other.parents for other in roots)


def _name(path: Path, base: Path) -> str:
    relative = os.path.relpath(path, base).replace(os.sep, "/")
    text = relative.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _walk(root: Path) -> Iterator[tuple[Path, str | None]]:
    if not root.is_dir():
        yield root, _refusal(root)
        return
    yield from _walk_folder(root, root, DEPTH)


def _walk_folder(folder: Path, root: Path, depth: int) -> Iterator[tuple[Path, str | None]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda e: os.fsencode(e.name))
    except OSError as error:
        yield folder, f"the folder cannot be read: {error.strerror}"
        return
    for entry in entries:
        path = Path(entry.path)
        if entry.name.startswith("."):
            continue
        if entry.is_symlink():
            reason = _link_refusal(path, root)
            if reason is not None:
                yield path, reason
        elif entry.is_dir(follow_symlinks=False):
            if depth == 0:
                yield path, f"deeper than {DEPTH} folders"
            else:
                yield from _walk_folder(path, root, depth - 1)
        else:
            yield path, _refusal(path)


def _link_refusal(path: Path, root: Path) -> str | None:
    """Why a link is not followed; None where its target lies inside the folder and is read as itself."""
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):
        return "a symbolic link that leads nowhere"
    return (
        None
        if root == target or root in target.parents
        else "a symbolic link out of the folder; not followed"
    )


def _refusal(path: Path) -> str | None:
    try:
        mode = path.lstat().st_mode
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if stat.S_ISREG(mode):
        return None
    kinds = ((stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
    name = next((name for test, name in kinds if test(mode)), "a device")
    return f"{name}, not a file; not opened"
