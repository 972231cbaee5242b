"""One incident opened with one program: the facts read, the model derived, the diagnosis."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from aitia.engine.errors import FactError, InputError, UsageError
from aitia.engine.evaluate import evaluate
from aitia.engine.model import Model
from aitia.facts.base import FactBase, build
from aitia.facts.dump import is_dump, load

from .diagnosis import Diagnosis
from .ruleset import RuleProgram, load_program, require_verdicts


@dataclass
class Case:
    """A program, a fact base and their model; ``diagnosis`` is made when asked for."""

    program: RuleProgram
    base: FactBase
    model: Model

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """What the model says, in the shape that is printed."""
        from .assemble import assemble

        return assemble(self.program, self.base, self.model)


def read_base(
    program: RuleProgram, paths: Sequence[Path], progress: Callable[[str, int], None] | None = None
) -> FactBase:
    """The facts of an incident: of one dump, or of the files and folders named.

    Raises InputError for a path that is not there or holds nothing to read.
    """
    for path in paths:
        if not path.exists() and not path.is_symlink():
            raise InputError(f"{path}: no such file or folder")
    dumps = [p for p in paths if p.is_file() and is_dump(p)]
    if dumps and len(paths) > 1:
        raise UsageError(f"{dumps[0]}: a fact dump is an incident by itself; name it alone")
    if dumps:
        return load(dumps[0], program.schema)
    from aitia.connectors.read import read_incident

    packs = [program.patterns] if program.patterns.is_dir() else []
    reading = read_incident(paths, packs=packs, progress=progress)
    if not reading.coverage and not reading.statements:
        raise InputError(f"{', '.join(map(str, paths))}: there are no files to read")
    try:
        return build(program.schema, reading)
    except FactError as error:
        hint = "connectors state such facts, so a program has to declare them (see training/schema.dl)"
        raise FactError(f"{program.folder}: {error}; {hint}") from None


def open_case(
    paths: Sequence[Path | str],
    programs: Path | None = None,
    progress: Callable[[str, int], None] | None = None,
) -> Case:
    """Read, evaluate, and hold the result."""
    program = load_program(programs)
    require_verdicts(program)
    base = read_base(program, [Path(p) for p in paths], progress)
    return Case(program, base, evaluate(program.checked, base.rows))
