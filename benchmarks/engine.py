"""Speed and memory of the evaluator against other engines, on one machine, in one run.

    python benchmarks/engine.py [--workloads random,chain,1k,…] [--engines aitia,duckdb,…]
                                [--repeat N] [--rounds N] [--large] [--probe DIR]

Every engine runs every workload in a process of its own: once to warm up, then ``--repeat`` times or for half
a second; the median counts, and of ``--rounds`` such processes, one engine after the other, the better one.
All engines must derive the same number of rows of every relation. ``--probe`` names a folder with a
``columnar.py`` whose class ``Engine`` takes the text of a program, to be compared as well.
"""

import argparse
import importlib.util
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import rivals
from data import Facts, facts, program

Counts = dict[str, int]
ENGINES = ("aitia", "aitia without levels", "probe", "duckdb", "clingo", "pydatalog")
WORKLOADS = ("random", "chain", "1k", "10k", "100k", "1M")
SKIPPED = {
    ("clingo", "1M"): "over a minute",
    ("clingo", "10M"): "out of memory",
    ("pydatalog", "random"): "over a minute",
    ("pydatalog", "chain"): "over half a minute",
    ("pydatalog", "10k"): "over a minute",
    ("pydatalog", "100k"): "hours",
    ("pydatalog", "1M"): "hours",
    ("pydatalog", "10M"): "hours",
}


def aitia(workload: str, given: Facts) -> Callable[[], Counts]:
    """Our evaluator; the program is parsed and checked beforehand, planning is part of the run."""
    from aitia.engine import check, parse_text
    from aitia.engine.evaluate import evaluate

    checked = check(parse_text(program(workload), f"{workload}.dl"))

    def run() -> Counts:
        model = evaluate(checked, given)
        return {name: model.count(name) for name in checked.columns if name not in given}

    return run


def aitia_without_levels(workload: str, given: Facts) -> Callable[[], Counts]:
    """The same with every row at level 1: what is left is plain semi-naive evaluation without proofs."""
    from aitia.engine import evaluate as evaluation

    original = evaluation._project

    def flat(*args: object) -> list[evaluation.Candidates]:
        found = original(*args)  # type: ignore[arg-type]
        return [evaluation.Candidates(each.columns, each.n, 1) for each in found]

    evaluation._project = flat
    return aitia(workload, given)


def probe(folder: Path, workload: str, given: Facts) -> Callable[[], Counts]:
    """A ``columnar.py`` from elsewhere; its parsing is not counted either."""
    spec = importlib.util.spec_from_file_location("columnar", folder / "columnar.py")
    assert spec is not None and spec.loader is not None
    columnar = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(columnar)
    parsed = columnar.Engine(program(workload))

    def run() -> Counts:
        engine = columnar.Engine.__new__(columnar.Engine)
        engine.__dict__.update(parsed.__dict__)
        engine.rel = {name: columnar.Rel(name, r.arity) for name, r in parsed.rel.items()}
        counts = engine.run(given)
        return {name: n for name, n in counts.items() if name not in given}

    return run


def prepared(engine: str, workload: str, folder: Path | None) -> Callable[[], Counts]:
    given = facts(workload)
    match engine:
        case "aitia":
            return aitia(workload, given)
        case "aitia without levels":
            return aitia_without_levels(workload, given)
        case "probe":
            assert folder is not None
            return probe(folder, workload, given)
        case _:
            rival: Callable[[str, Facts], Callable[[], Counts]] = getattr(rivals, engine)
            return rival(workload, given)


def measure(engine: str, workload: str, folder: Path | None, repeat: int) -> dict[str, object]:
    """Median seconds, peak memory in MB and the counts of one engine on one workload."""
    run = prepared(engine, workload, folder)
    begin = time.perf_counter()
    counts = run()
    first = time.perf_counter() - begin
    seconds = [first]
    if first < 20:
        seconds = []
        while len(seconds) < repeat or sum(seconds) < 0.5:
            begin = time.perf_counter()
            run()
            seconds.append(time.perf_counter() - begin)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": statistics.median(seconds), "peak": peak, "counts": counts}


def measured_apart(engine: str, workload: str, options: argparse.Namespace) -> dict[str, object] | str:
    """The same in a fresh process; a text if it fails."""
    command = [sys.executable, __file__, "--one", engine, workload, "--repeat", str(options.repeat)]
    if options.probe:
        command += ["--probe", str(options.probe)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return f"over {options.timeout} s"
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["failed"])[-1][:60]
    result: dict[str, object] = json.loads(done.stdout)
    return result


def compare(workload: str, engines: list[str], options: argparse.Namespace) -> list[str]:
    """The lines of one workload's table. Raises SystemExit if engines disagree."""
    best: dict[str, dict[str, object] | str] = {}
    for _ in range(options.rounds):
        for engine in engines:
            reason = SKIPPED.get((engine, workload))
            found = reason if reason else measured_apart(engine, workload, options)
            known = best.get(engine)
            if known is None or isinstance(found, str) or _seconds(found) < _seconds(known):
                best[engine] = found
    lines: list[str] = []
    ours: dict[str, object] | None = None
    for engine, found in best.items():
        if isinstance(found, str):
            lines.append(f"| {workload} | {engine} | – | – | – | {found} |")
            continue
        ours = ours or found
        if found["counts"] != ours["counts"]:
            raise SystemExit(f"{engine} on {workload} disagrees: {found['counts']} is not {ours['counts']}")
        rows = sum(found["counts"].values())  # type: ignore[attr-defined]
        time_, ratio = f"{_seconds(found):.4f}", f"{_seconds(found) / _seconds(ours):.2f}"
        lines.append(f"| {workload} | {engine} | {time_} | {ratio} | {found['peak']:.0f} | {rows:,} |")
    return lines


def _seconds(found: dict[str, object] | str) -> float:
    return float("inf") if isinstance(found, str) else float(str(found["seconds"]))


def proofs(workload: str, count: int = 200) -> str:
    """How long proofs take: the first, which makes the indexes, and the mean of some more."""
    from aitia.engine import check, parse_text
    from aitia.engine.evaluate import evaluate
    from aitia.engine.proof import walk
    from aitia.engine.why import why

    model = evaluate(check(parse_text(program(workload), f"{workload}.dl")), facts(workload))
    goal = "verdict" if "verdict" in model.relations else "path"
    rows = model.rows(goal)
    chosen = rows[:: max(len(rows) // count, 1)]
    begin = time.perf_counter()
    why(model, goal, chosen[0])
    first = time.perf_counter() - begin
    begin = time.perf_counter()
    found = [why(model, goal, row) for row in chosen[1:]]
    each = (time.perf_counter() - begin) / max(len(found), 1)
    nodes = sum(1 for proof in found for _ in walk(proof)) / max(len(found), 1)
    return f"{workload}: first proof {first * 1e3:.1f} ms, then {each * 1e3:.2f} ms each ({nodes:.1f} nodes)"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workloads", default=",".join(WORKLOADS))
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=600)
    parser.add_argument("--large", action="store_true", help="also ten million events")
    parser.add_argument("--probe", type=Path)
    parser.add_argument("--one", nargs=2, metavar=("ENGINE", "WORKLOAD"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        sys.stdout.write(json.dumps(measure(*options.one, options.probe, options.repeat)))
        return
    engines = [e for e in options.engines.split(",") if e != "probe" or options.probe]
    workloads = options.workloads.split(",") + (["10M"] if options.large else [])
    print("| workload | engine | seconds | ratio | peak MB | rows derived |\n|---|---|---|---|---|---|")
    for workload in workloads:
        print("\n".join(compare(workload, engines, options)), flush=True)
    for workload in workloads:
        if workload != "10M":
            print(proofs(workload))


if __name__ == "__main__":
    main()
