"""Deterministic inputs of the benchmarks: integers only, the same arrays on every machine."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

Facts = dict[str, npt.NDArray[np.int64]]

PROGRAMS = Path(__file__).parent / "programs"
DAY, BURST = 86_400_000, 20_000
DEVICES, SWITCH_NODES = 8, 32
SYMPTOMS, LOCALS, FABRICS = range(10), range(10, 30), range(30, 40)
SIZES = {"1k": 1_000, "10k": 10_000, "100k": 100_000, "1M": 1_000_000, "10M": 10_000_000}


def program(workload: str) -> str:
    """The text of a workload's program."""
    name = "rootcause" if workload in SIZES else "closure"
    return (PROGRAMS / f"{name}.dl").read_text()


def facts(workload: str) -> Facts:
    """The facts of a workload: ``random``, ``chain`` or a number of events."""
    if workload == "random":
        return random_graph(1250, 2500)
    if workload == "chain":
        return {"edge": _rows(np.arange(1400), np.arange(1, 1401))}
    return events(SIZES[workload])


def random_graph(nodes: int, edges: int) -> Facts:
    """A directed graph with about two edges a node: some million pairs are connected."""
    random = np.random.default_rng(2024)
    ends = random.integers(0, nodes, (edges, 2))
    kept = sorted({(int(a), int(b)) for a, b in ends if a != b})
    return {"edge": np.array(kept, np.int64)}


def events(count: int) -> Facts:
    """A day of log events, half of them in bursts of eight on one node, with the tables they refer to."""
    random = np.random.default_rng(2025)
    nodes = max(4, count // 500)
    bursts = count // 16
    single = count - 8 * bursts
    node = np.concatenate(
        [np.repeat(random.integers(0, nodes, bursts), 8), random.integers(0, nodes, single)]
    )
    start = np.repeat(random.integers(0, DAY, bursts), 8)
    at = np.concatenate([start + random.integers(0, BURST, 8 * bursts), random.integers(0, DAY, single)])
    share = random.random(count)
    kind = np.where(share < 0.45, random.integers(0, 10, count), random.integers(10, 30, count))
    kind = np.where(share >= 0.85, random.integers(30, 40, count), kind)
    device = random.integers(0, DEVICES, count)
    order = np.argsort(at, kind="stable")
    all_nodes = np.repeat(np.arange(nodes), DEVICES)
    all_devices = np.tile(np.arange(DEVICES), nodes)
    return {
        "event": _rows(np.arange(count), node[order], device[order], kind[order], at[order]),
        "uplink": _rows(all_nodes, all_nodes // SWITCH_NODES * DEVICES + all_devices, all_devices),
        "rank": _rows(all_nodes * DEVICES + all_devices, all_nodes, all_devices),
        "leads_to": _causes(random),
        "symptom_kind": _rows(np.array(SYMPTOMS)),
        "local_kind": _rows(np.array(LOCALS)),
        "fabric_kind": _rows(np.array(FABRICS)),
    }


def _causes(random: np.random.Generator) -> npt.NDArray[np.int64]:
    """Three tenths of the pairs of local kinds, the smaller leading to the greater."""
    pairs = [(a, b) for a in LOCALS for b in LOCALS if a < b]
    return np.array([pair for pair in pairs if random.random() < 0.3], np.int64)


def _rows(*columns: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.ascontiguousarray(np.stack(columns, 1), np.int64)
