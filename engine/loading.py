"""Files to one program: includes are replaced by what they include, each file once.

Invariant: nothing outside the folder tree of a root file is read, whatever an include says and wherever
a symbolic link points; places name files relative to ``base``, so reports do not depend on the machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .diagnostics import Diagnostic, errors, tidy
from .errors import InputError, ProgramError
from .parser import ParsedFile, assemble, parse_file
from .syntax import Comment, Include, Item, Program, Span


def load_program(paths: Sequence[Path], base: Path | None = None) -> Program:
    """The program in some files, in the order given; raises ``ProgramError`` with all syntax errors.

    File names in places are relative to ``base``, by default the folder above the first file's folder.
    A root that cannot be read is an ``InputError``.
    """
    program, diagnostics = load_collect(paths, base)
    if faults := errors(diagnostics):
        raise ProgramError(faults)
    return program


def load_collect(paths: Sequence[Path], base: Path | None = None) -> tuple[Program, list[Diagnostic]]:
    """Like ``load_program``, but gives the clauses that did parse and the faults of the others."""
    roots = [_real(path) for path in paths]
    if not roots:
        raise InputError("no program was named")
    shown_from = _real(base) if base is not None else roots[0].parent.parent
    loading = _Loading(shown_from)
    for path, root in zip(paths, roots, strict=True):
        if root not in loading.done:
            loading.root(path, root)
    program = assemble(loading.items, loading.comments, loading.texts)
    return program, tidy(loading.diagnostics)


def _real(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(f"{path}: {error}") from None


@dataclass(slots=True)
class _Open:
    """A file that is being read: how far, and where its next item is."""

    path: Path
    parsed: ParsedFile
    at: int = 0


@dataclass(slots=True)
class _Loading:
    """The items read so far; ``done`` holds every file that was begun."""

    base: Path
    items: list[Item] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    done: set[Path] = field(default_factory=set)

    def root(self, given: Path, path: Path) -> None:
        """Reads one root file and all it includes; a stack of its own keeps long chains of files safe."""
        try:
            data = path.read_bytes()
        except (OSError, ValueError) as error:
            raise InputError(f"{given}: cannot be read: {_reason(error)}") from None
        stack = [self._begin(path, data)]
        while stack:
            top = stack[-1]
            if top.at == len(top.parsed.items):
                stack.pop()
                continue
            item = top.parsed.items[top.at]
            top.at += 1
            if not isinstance(item, Include):
                self.items.append(item)
            elif opened := self._include(item, path.parent, stack):
                stack.append(opened)

    def _begin(self, path: Path, data: bytes) -> _Open:
        name = self._name(path)
        self.done.add(path)
        text = self._decode(name, data)
        parsed = parse_file(text, name)
        self.texts[name] = text
        self.comments.extend(parsed.comments)
        self.diagnostics.extend(parsed.diagnostics)
        return _Open(path, parsed)

    def _name(self, path: Path) -> str:
        return path.relative_to(self.base).as_posix() if path.is_relative_to(self.base) else path.name

    def _decode(self, name: str, data: bytes) -> str:
        """The text; where it is no UTF-8, the first faulty byte is told and the file counts as empty."""
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            before = data[: error.start]
            line = before.count(b"\n") + 1
            col = len(before[before.rfind(b"\n") + 1 :].decode()) + 1
            message = f"byte 0x{data[error.start]:02x} is not UTF-8"
            span = Span(name, line, col, line, col + 1)
            self.diagnostics.append(Diagnostic("E025", span, message, "save the file as UTF-8"))
            return ""

    def _include(self, item: Include, tree: Path, stack: list[_Open]) -> _Open | None:
        """The included file, unless it was read before or cannot be."""
        try:
            path = (stack[-1].path.parent / item.path).resolve()
            if not path.is_relative_to(tree):
                self._refuse("E024", item, f"`{item.path}` lies outside of the program's folder")
            elif any(opened.path == path for opened in stack):
                self._cycle(item, path, stack)
            elif path not in self.done:
                return self._begin(path, path.read_bytes())
        except (OSError, RuntimeError, ValueError) as error:
            self._refuse("E022", item, f"`{item.path}` cannot be read: {_reason(error)}")
        return None

    def _cycle(self, item: Include, path: Path, stack: list[_Open]) -> None:
        """A file that includes itself: every include on the way is a second place."""
        start = next(place for place, opened in enumerate(stack) if opened.path == path)
        way = [opened.parsed.items[opened.at - 1] for opened in stack[start:-1]]
        related = tuple((i.span, f"`{i.path}` is included here") for i in way if isinstance(i, Include))
        names = [self._name(opened.path) for opened in stack[start:]]
        message = "a file includes itself: " + " → ".join([*names, self._name(path)])
        self.diagnostics.append(Diagnostic("E023", item.span, message, related=related))

    def _refuse(self, code: str, item: Include, message: str) -> None:
        self.diagnostics.append(Diagnostic(code, item.span, message))


def _reason(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
