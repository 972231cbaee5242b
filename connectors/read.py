"""From the files of an incident to observations, statements and coverage: the connector for files.

Invariant: the reading depends on the files' names and bytes alone (and on a file's age where nothing in the
incident tells a year), never on the order of the paths.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from aitia.facts.observation import Reading

from .look import Reader, finder_of
from .match import Matcher
from .packs import load_packs
from .settings import Settings, check_globs, read_settings
from .settle import reference_time, settle_all
from .stamps import Calendar
from .walk import find_sources


def read_incident(
    paths: Sequence[Path],
    *,
    packs: Sequence[Path] = (),
    progress: Callable[[str, int], None] | None = None,
) -> Reading:
    """Read files and folders as one incident.

    ``packs`` are folders of pattern files; ``progress`` is called with a source's name and the bytes read
    since the last call. Raises InputError for a path that is not there, a pack or an incident.yaml that is
    wrong; whatever a log file holds shows in the coverage instead.
    """
    tree = find_sources(paths)
    patterns = load_packs(packs)
    settings, stated = read_settings(tree.settings) if tree.settings else (Settings(), ())
    if tree.settings:
        check_globs(settings, (source.name for source in tree.sources), tree.settings.path)
    reader = Reader(Matcher.of(patterns), finder_of(patterns), _calendar(settings, 0), progress)
    looks = [reader.look(source) for source in tree.sources]
    calendar = _calendar(settings, reference_time(looks, _calendar(settings, 0)))
    return settle_all(looks, settings, stated, calendar)


def _calendar(settings: Settings, reference: int) -> Calendar:
    return Calendar(settings.zone(), settings.year, reference)
