"""The programs and inputs of the benchmarks are right, small: the same model as the oracle, every proof checked."""

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from aitia.engine import check, parse_text
from aitia.engine.evaluate import evaluate
from aitia.engine.naive import naive
from aitia.engine.proofcheck import check_proof
from aitia.engine.why import why

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def data() -> ModuleType:
    spec = importlib.util.spec_from_file_location("benchmark_data", BENCHMARKS / "data.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("workload", "size"), [("1k", 300), ("random", 14)])
def test_a_workload_in_small(data: ModuleType, workload: str, size: int) -> None:
    facts = data.events(size) if workload == "1k" else data.random_graph(size, 2 * size)
    program = check(parse_text(data.program(workload), f"{workload}.dl"))
    rows = {name: [tuple(row) for row in table.tolist()] for name, table in facts.items()}
    model, oracle = evaluate(program, facts), naive(program, rows)
    for name, levels in oracle.items():
        assert {row: model.level(name, row) for row in model.rows(name)} == levels
    goal = "verdict" if workload == "1k" else "path"
    assert model.count(goal) > 50

    def look(relation: str, pattern: tuple[int | None, ...]) -> list[tuple[int, ...]]:
        found = oracle[relation]
        return [row for row in found if all(p is None or p == v for p, v in zip(pattern, row, strict=True))]

    for row in model.rows(goal)[::7]:
        assert check_proof(program, rows, why(model, goal, row), look) == []


def test_inputs_are_the_same_each_time(data: ModuleType) -> None:
    for one, other in zip(data.facts("1k").values(), data.facts("1k").values(), strict=True):
        assert np.array_equal(one, other)
    assert len(data.facts("10k")["event"]) == 10_000 and len(data.facts("chain")["edge"]) == 1400
