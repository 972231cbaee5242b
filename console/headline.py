"""The one sentence that a person reads first."""

from .diagnosis import Cause, Locus, Missing, Unexplained
from .fold import hostlist

STOPPED = {"timeout", "cancelled", "preempted"}
DOWN = {"failed", "hung", "node_fail"}


def place(locus: Locus, domain: str) -> str:
    """``node-02 GPU 0000:5d:00``, ``rank 11``, or nothing where no place is known."""
    parts = []
    if locus.node:
        parts.append(locus.node)
    if locus.device:
        parts.append(f"GPU {locus.device}" if ":" in locus.device else locus.device)
    if locus.rank is not None and domain in ("application", "software", "storage"):
        parts.append(f"rank {locus.rank}")
    return " ".join(parts)


def describe(cause: Cause) -> str:
    """Place and statement of one cause."""
    where = place(cause.locus, cause.domain)
    statement = cause.statement or f"{cause.domain}/{cause.sub_domain}"
    return f"{where}: {statement}" if where else statement


def compose(
    verdict: str,
    outcome: str,
    causes: tuple[Cause, ...],
    suspects: tuple[Cause, ...],
    unexplained: tuple[Unexplained, ...],
    missing: tuple[Missing, ...],
) -> str:
    """The headline of an attempt."""
    match verdict:
        case "root_cause":
            what = "; ".join(dict.fromkeys(map(describe, causes)))
            return what + _end(outcome)
        case "ambiguous":
            options = list(dict.fromkeys(_option(c) for c in suspects))
            return "several origins fit: " + ", or ".join(options)
        case "none":
            return "the run completed" if outcome == "completed" else f"no anomaly so far ({outcome})"
        case _:
            return _unattributed(outcome, unexplained, missing)


def _option(cause: Cause) -> str:
    where = place(cause.locus, cause.domain)
    return f"{cause.domain}/{cause.sub_domain}" + (f" on {where}" if where else "")


def _end(outcome: str) -> str:
    if outcome in DOWN:
        return " brought the job down"
    if outcome in STOPPED:
        return " ended the job"
    return ""


def _unattributed(outcome: str, unexplained: tuple[Unexplained, ...], missing: tuple[Missing, ...]) -> str:
    count = sum(u.count for u in unexplained)
    what = "no origin can be derived"
    if count:
        what += f" for {count} symptom{'s' if count > 1 else ''}"
    elif outcome == "unknown":
        what = "nothing that was read tells of a failure or of a good end"
    logs = [m for m in missing if m.source == "kernel log"]
    nodes = [m.node for m in logs if m.node]
    if nodes:
        what += f"; no kernel log of {hostlist(nodes)} was read"
    elif logs:
        what += "; no kernel log was read"
    return what
