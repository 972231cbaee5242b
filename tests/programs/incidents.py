"""Incidents as a few facts in the rule language, and what the training program says of them."""

from functools import cache

from aitia.engine.evaluate import evaluate
from aitia.engine.model import Model
from aitia.engine.parser import parse_text
from aitia.engine.syntax import Const
from aitia.ruleset import RuleProgram, load_program

SECOND = 1_000_000_000
START = 1_793_613_600 * SECOND


@cache
def training() -> RuleProgram:
    return load_program()


def facts(text: str) -> dict[str, list[tuple[str | int, ...]]]:
    """Facts written as clauses; ``T+12`` stands for twelve seconds after the start."""
    rows: dict[str, list[tuple[str | int, ...]]] = {}
    for clause in parse_text(_times(text)).facts:
        row = tuple(a.value for a in clause.head.args if isinstance(a, Const))
        assert len(row) == len(clause.head.args), clause
        rows.setdefault(clause.head.relation, []).append(row)
    return rows


def _times(text: str) -> str:
    import re

    return re.sub(r"T([+-][\d.]+)", lambda m: str(START + round(float(m[1]) * SECOND)), text)


def model(text: str) -> Model:
    """The model of the training program over these facts."""
    return evaluate(training().checked, facts(text))


def event(name: str, kind: str, source: str, line: int, at: float | None = None, **place: str | int) -> str:
    """The facts that every event has. ``place``: node, rank, clock."""
    node, rank = place.get("node"), place.get("rank")
    clock = place.get("clock", node or "job")
    text = f'event("{name}", "{kind}", "{source}", {line}).\n'
    if at is not None:
        text += f'at("{name}", T+{at}, T+{at}, "{clock}").\n'
    if node is not None:
        text += f'on_node("{name}", "{node}").\n'
    if rank is not None:
        text += f'of_rank("{name}", {rank}).\n'
    return text


def xid(name: str, node: str, device: str, code: int, line: int, at: float | None = None) -> str:
    """An Xid in the kernel log of a node."""
    return (
        event(name, "xid", f"{node}/kern.log", line, at, node=node)
        + f'xid("{name}", "{node}", "{device}", {code}).\n'
    )


def nvlink5(
    name: str, node: str, device: str, code: int, line: int, at: float, unit: str, info: int, status: int = 0
) -> str:
    """An Xid of the NVLink 5 family with its words."""
    link = (info >> 13) & 31
    return xid(name, node, device, code, line, at) + (
        f'nvlink5_error("{name}", "{unit}", "fatal", {link}, {info}, {status}).\n'
    )


def timeout(name: str, rank: int, line: int, printed: float, waited: float) -> str:
    """A watchdog line of a rank; the wait began ``waited`` seconds before."""
    begun = printed - waited
    return event(name, "collective_timeout", "job.log", line, printed, rank=rank) + (
        f'collective_timeout("{name}", {rank}, 7, "ALLREDUCE", 1024, {round(waited * 1000)}).\n'
        f'wait_start("{name}", T+{begun}, T+{begun}, "job").\n'
    )


def closed(name: str, rank: int, line: int, at: float | None) -> str:
    """A connection that a peer closed."""
    return event(name, "nccl_warn", "job.log", line, at, rank=rank) + (
        f'nccl_warn("{name}", "connection_closed", "Connection closed by remote peer").\n'
    )


def job(state: str, nodes: tuple[str, ...] = ("n1", "n2", "n3"), name: str = "4711") -> str:
    """A job of some nodes that ran for an hour around the start."""
    text = f'job("{name}", "{name}", "train"). job_state("{name}", "{state}").\n'
    text += f'job_time("{name}", T-3600, T+3600).\n'
    text += event("end" + name, "job_end", "sacct.txt", 2, 3600, clock="scheduler")
    text += f'job_ended("end{name}", "{name}", "{state}").\n'
    return text + "".join(f'job_node("{name}", "{n}").\n' for n in nodes)


def sources(*nodes: str, application: bool = True) -> str:
    """Kernel logs of these nodes, and the clocks of all."""
    text = 'clock("scheduler", "wall", 1000000000). clock("job", "wall", 1000000000).\n'
    text += 'source("sacct.txt", "scheduler", "ok").\n'
    if application:
        text += 'source("job.log", "application", "ok").\n'
    for node in nodes:
        text += f'source("{node}/kern.log", "kernel", "ok"). covers_node("{node}/kern.log", "{node}").\n'
        text += f'clock("{node}", "wall", 1000000000).\n'
    return text
