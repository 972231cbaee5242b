"""The node that a file is about, read from its name when its lines name none."""

import re

from .peel import short_host

GENERIC = re.compile(
    r"(?:logs?|kern(?:el)?|dmesg|syslog|messages|journal|var|slurm|kube|k8s|evidence|nodes?|hosts?|raw|jobs?|"
    r"out(?:puts?)?|std(?:out|err)|err(?:ors?)?|data|tmp|apps?|application|train(?:ing)?|runs?|ranks?|gpus?|"
    r"workers?|pods?|sacct|attempts?|incident|cases?|results?|rep(?:orts?)?|artifacts|steps?|old|new|prev(?:ious)?|"
    r"current|debug|misc|files|texts?|txt|json|sys(?:tem)?|boot|resume|head|main|console|traces?|dumps?|events|"
    r"metrics|nccl|torch)\Z"
)
STRONG = re.compile(
    r"(?:node|host|nid|compute|worker|server|srv|dgx|hgx)-?\d*[a-z0-9]*[0-9a-z]\Z", re.ASCII | re.IGNORECASE
)
NUMBERED = re.compile(r"([a-z][a-z-]*?)-?(\d{1,6})([a-z]?)\Z", re.ASCII | re.IGNORECASE)
_STEMS = ("node", "host", "gpu", "worker")
SUFFIXES = re.compile(r"(?:\.(?:log|txt|out|err|gz|bz2|xz|json|csv|old|\d{1,8}))+\Z", re.IGNORECASE)


def node_of_name(source: str) -> str | None:
    """A host name in the source's own name or its folder; None where nothing looks like one."""
    *folders, file = source.split("/")
    return _node_of_file(SUFFIXES.sub("", file)) or (_node_of_folder(folders[-1]) if folders else None)


def rank_of_name(source: str) -> int | None:
    """A rank in a file's name: ``rank3.log``, ``job-rank1.log``."""
    found = re.search(r"(?:^|[-_.])rank[-_]?(\d{1,6})(?:[-_.]|\Z)", source.rsplit("/", 1)[-1], re.ASCII)
    return int(found[1]) if found else None


def _node_of_file(stem: str) -> str | None:
    parts = re.split(r"[_.-]", stem)
    while parts and (parts[0].isdigit() or (GENERIC.match(parts[0].lower()) and parts[0] not in _STEMS)):
        parts = parts[1:]
    rest = stem[len(stem) - len("-".join(parts)) :] if parts else ""
    return short_host(rest) if rest and _looks_like_host(rest) else None


def _looks_like_host(text: str) -> bool:
    if GENERIC.match(text.lower()) or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]*", text):
        return False
    if STRONG.match(text):
        return True
    found = NUMBERED.match(text)
    if found is None:
        return False
    stem = found[1].rstrip("-").lower()
    return not GENERIC.match(stem) or (stem == "gpu" and len(found[2]) > 1)


def _node_of_folder(folder: str) -> str | None:
    plain = re.sub(r"[-_]?\d+\Z", "", folder.lower())
    if GENERIC.match(folder.lower()) or folder.isdigit() or not re.fullmatch(r"[A-Za-z0-9][\w.-]*", folder):
        return None
    if re.fullmatch(r"\d{4}-?\d\d-?\d\d.*", folder):
        return None
    if GENERIC.match(plain) and not _looks_like_host(folder):
        return None
    return short_host(folder)
