"""An incident folder becomes observations: kinds, nodes, ranks, clocks, years, statements, settings."""

import functools
import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest
from aitia.connectors import automaton, look
from aitia.connectors.read import read_incident
from aitia.engine.errors import InputError
from aitia.facts.observation import EVENT, Clock, Coverage, Observation, Reading, When

PACKS = (Path(__file__).parents[2] / "programs" / "training" / "patterns",)
S = 1_000_000_000
XID79 = "NVRM: Xid (PCI:0000:c1:00): 79, GPU has fallen off the bus."
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 3 has a total capacity of 63 GiB"
DATED = "2026-12-01T03:10:46+00:00 node-a systemd[1]: Started Session 1."


def incident(root: Path, **files: str) -> Reading:
    """A reading of a folder with these files; ``__`` in a name is a folder's end and ``_DOT_`` a dot."""
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return read_incident([root], packs=PACKS)


def only(reading: Reading) -> Observation:
    assert len(reading.observations) == 1, reading.observations
    return reading.observations[0]


def cover(reading: Reading, source: str) -> Coverage:
    return next(c for c in reading.coverage if c.source == source)


def said(reading: Reading) -> set[tuple[object, ...]]:
    return {(s.relation, *s.args) for s in reading.statements}


@pytest.mark.parametrize(
    "prefix, when, node",
    [
        ("[155044.078590] ", When(155044078590000, 155044078590999, "boot:node-a"), "node-a"),
        ("[  130.456250] [ T1946] ", When(130456250000, 130456250999, "boot:node-a"), "node-a"),
        ("<4>[  130.456250] ", When(130456250000, 130456250999, "boot:node-a"), "node-a"),
        ("[Thu Oct 10 03:06:53 2024] ", When(1728529612 * S, 1728529614 * S, "node-a"), "node-a"),
        ("Oct  9 03:06:53 node-b kernel: ", When(1728443213 * S, 1728443214 * S - 1, "node-b"), "node-b"),
        (
            "Oct 09 03:06:53 node-b.x.y kernel: [12.000001] ",
            When(1728443213 * S, 1728443214 * S - 1, "node-b"),
            "node-b",
        ),
        (
            "2024-10-10T05:06:53.250000+02:00 node-b kernel: ",
            When(1728529613_250000000, 1728529613_250000999, "node-b"),
            "node-b",
        ),
        (
            "2024-10-10T03:06:53+0000 node-b kernel: ",
            When(1728529613 * S, 1728529614 * S - 1, "node-b"),
            "node-b",
        ),
        (
            "<4>1 2024-10-10T03:06:53Z node-b kernel - - - ",
            When(1728529613 * S, 1728529614 * S - 1, "node-b"),
            "node-b",
        ),
        (
            "Thu 2024-10-10 03:06:53 UTC node-b kernel: ",
            When(1728529613 * S, 1728529614 * S - 1, "node-b"),
            "node-b",
        ),
        ("[155044.078590] node-b kernel: ", When(155044078590000, 155044078590999, "boot:node-b"), "node-b"),
        ("kern  :err   : [155044.078590] ", When(155044078590000, 155044078590999, "boot:node-a"), "node-a"),
        (
            "2024-10-10T03:06:53,250000+00:00 ",
            When(1728529613_250000000, 1728529613_250000999, "node-a"),
            "node-a",
        ),
        ("kernel: ", None, "node-a"),
        ("", None, "node-a"),
    ],
)
def test_kernel_prefixes(prefix: str, when: When | None, node: str, tmp_path: Path) -> None:
    dated = "2024-10-10T03:06:53+00:00 node-z systemd[1]: Started Session 1.\n"
    reading = incident(tmp_path, **{"node-a__kern_DOT_log": prefix + XID79 + "\n", "other_DOT_log": dated})
    seen = only(reading)
    assert seen.facts == (("xid", (EVENT, node, "0000:c1:00", 79)),)
    assert (seen.when, seen.node) == (when, node)
    assert cover(reading, "node-a/kern.log").kind == "kernel"
    assert node in cover(reading, "node-a/kern.log").nodes


def test_dmesg_wall_clock_is_less_sure(tmp_path: Path) -> None:
    reading = incident(tmp_path, **{"dmesg_node-02_DOT_txt": "[Thu Oct 10 03:06:53 2024] " + XID79})
    assert reading.clocks == (Clock("node-02", "wall", 5 * S),)


def test_a_kernel_file_without_any_name(tmp_path: Path) -> None:
    reading = incident(tmp_path, kern_DOT_log=XID79)
    assert only(reading).node == "?kern.log"
    assert ("unnamed", "?kern.log") in said(reading)
    assert cover(reading, "kern.log").nodes == ("?kern.log",)


@pytest.mark.parametrize(
    "name, node",
    [
        ("kern-node02_DOT_log", "node02"),
        ("dmesg_node-02_DOT_txt", "node-02"),
        ("gpu017_DOT_log_DOT_1", "gpu017"),
        ("logs__gpu001__messages", "gpu001"),
        ("kernel__kern_DOT_log", None),
        ("run1__kern_DOT_log", None),
        ("2026-01-02__kern_DOT_log", None),
        ("job-gpu0_DOT_log", None),
        ("10_DOT_0_DOT_0_DOT_7__kern_DOT_log", "10.0.0.7"),
    ],
)
def test_node_from_file_or_folder(name: str, node: str | None, tmp_path: Path) -> None:
    reading = incident(tmp_path, **{name: XID79})
    assert only(reading).node == (node or f"?{reading.coverage[0].source}")


@pytest.mark.parametrize(
    "prefix, rank, node, clock",
    [
        ("[rank3]: ", 3, None, None),
        ("[Rank 3] ", 3, None, None),
        ("3: ", 3, None, None),
        ("[3]: ", 3, None, None),
        ("[1,3]<stderr>:", 3, None, None),
        ("2019-06-02T16:13:44.884Z: [1,3] ", 3, None, "job"),
        ("[default3]:", None, None, None),
        ("(VllmWorker TP3 pid=311) ERROR 09-17 15:23:51 [executor.py:597] ", None, None, "job"),
        ("[rank3]:[E321 02:07:08.408271257 ProcessGroupNCCL.cpp:607] ", 3, None, "job"),
        ("[rank3]:[E ProcessGroupNCCL.cpp:607] ", 3, None, None),
        ("2026-02-21T09:30:56.123456789Z stderr F [rank3]: ", 3, None, "job"),
        ("2023-10-22 19:04:36,123 ", None, None, "job"),
    ],
)
def test_application_prefixes(
    prefix: str, rank: int | None, node: str | None, clock: str | None, tmp_path: Path
) -> None:
    seen = only(incident(tmp_path, job_DOT_log=prefix + OOM + "\n", sys_DOT_log=DATED))
    assert seen.facts == (("cuda_oom", (EVENT, 3, 1 << 30)),)
    assert (seen.rank, seen.node) == (rank, node)
    assert (seen.when.clock if seen.when else None) == clock


def test_rank_from_the_file_name(tmp_path: Path) -> None:
    reading = incident(tmp_path, job_rank7=OOM, rank3_DOT_log=OOM)
    assert [(o.place.source, o.rank) for o in reading.observations] == [("job_rank7", 7), ("rank3.log", 3)]


def test_nccl_prefix_names_the_node_and_members_name_ranks(tmp_path: Path) -> None:
    text = (
        "gpu001.cluster:11:90 [0] NCCL INFO comm 0xf1a rank 4 nranks 16 cudaDev 0 busId ca000 - Init COMPLETE\n"
        "gpu002:12:90 [0] NCCL INFO comm 0xf1a rank 5 nranks 16 cudaDev 0 busId ca000 - Init COMPLETE\n"
        "gpu002:12:90 [0] NCCL INFO comm 0xf1b rank 1 nranks 2 cudaDev 0 busId ca000 - Init COMPLETE\n"
        "[2026-05-04 19:55:23] gpu002:12:91 [1] transport/net_ib.cc:199 NCCL WARN NET/IB : "
        "Got async event : port error\n"
    )
    reading = incident(tmp_path, job_DOT_log=text)
    seen = only(reading)
    assert (seen.node, seen.rank, seen.when) == (
        "gpu002",
        5,
        When(1777924523 * S, 1777924524 * S - 1, "gpu002"),
    )
    assert said(reading) == {
        ("placement", 4, "gpu001"),
        ("placement", 5, "gpu002"),
        ("rank_device", 4, "gpu001", "0000:ca:00"),
        ("rank_device", 5, "gpu002", "0000:ca:00"),
        ("world_size", 16),
    }


def test_a_communicator_that_contradicts_itself_places_nobody(tmp_path: Path) -> None:
    text = "\n".join(f"n{i}:{i}:90 [0] NCCL INFO comm 0xf1a rank 0 nranks 8 cudaDev 0 - Init" for i in (1, 2))
    assert said(incident(tmp_path, job_DOT_log=text)) == set()


def test_the_watchdog_line_stands_at_the_end_of_its_wait(tmp_path: Path) -> None:
    line = (
        "[rank1]:[E511 14:03:53.114860237 ProcessGroupNCCL.cpp:683] [PG ID 1 PG GUID 1 Rank 0] Process group watchdog "
        "thread terminated with exception: [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, "
        "OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=100000) ran for 100021 milliseconds before timing out."
    )
    seen = only(incident(tmp_path, job_DOT_log=line, s_DOT_log=DATED))
    at = 1778508233_114860237
    start = at - 100_021_000_000
    assert seen.facts == (
        ("collective_timeout", (EVENT, 1, 7, "ALLREDUCE", 1, 100021)),
        ("wait_start", (EVENT, start, start, "job")),
    )


def test_glued_lines_are_two(tmp_path: Path) -> None:
    glued = "[rank0]: ValueError: a[rank1]: KeyError: 'b'\n[rank2]: [rank3]: TypeError: c\n"
    reading = incident(tmp_path, job_DOT_log=glued)
    assert [(o.rank, o.place.line, o.place.offset, o.facts[0][1][1]) for o in reading.observations] == [
        (0, 1, 0, "ValueError"),
        (1, 1, 22, "KeyError"),
        (2, 2, 45, "TypeError"),
    ]


def test_progress_bars_and_foreign_line_ends(tmp_path: Path) -> None:
    bars = "\r".join(f" {i}%|##| {i}/100" for i in range(100))
    (tmp_path / "job.log").write_bytes(f"a\r\n{bars}\r{OOM}\r\n\x1b[31mKeyError: 'x'\x1b[0m".encode())
    reading = read_incident([tmp_path], packs=PACKS)
    assert [(o.kind, o.place.line) for o in reading.observations] == [("cuda_oom", 2), ("exception", 3)]
    assert reading.observations[1].facts == (("exception", (EVENT, "KeyError", "'x'")),)
    assert cover(reading, "job.log").records == 3
    whole = (tmp_path / "job.log").read_bytes()
    assert whole[reading.observations[0].place.offset :].startswith(OOM.encode())


@pytest.mark.parametrize(
    "newest, line, year",
    [
        ("2026-01-02T00:00:00Z", "Dec 31 23:00:00", "2025"),
        ("2026-01-02T00:00:00Z", "Jan  3 01:00:00", "2026"),
        ("2026-01-02T00:00:00Z", "Jan  4 01:00:00", "2025"),
        ("2024-03-01T00:00:00Z", "Feb 29 01:00:00", "2024"),
        ("2026-03-01T00:00:00Z", "Feb 29 01:00:00", "2024"),
    ],
)
def test_the_year_is_the_nearest_that_is_not_later(newest: str, line: str, year: str, tmp_path: Path) -> None:
    reading = incident(
        tmp_path, a_DOT_log=f"{newest} node-a systemd[1]: x", b_DOT_log=f"{line} node-a kernel: {XID79}"
    )
    when = only(reading).when
    assert when is not None
    import datetime

    assert datetime.datetime.fromtimestamp(when.lo / S, datetime.UTC).strftime("%Y") == year


def test_a_boot_clock_that_falls_starts_anew(tmp_path: Path) -> None:
    lines = [f"[{t}.000000] {XID79}" for t in (1000, 2000, 1999, 5)]
    clocks = [
        o.when.clock for o in incident(tmp_path, **{"gpu01__dmesg": "\n".join(lines)}).observations if o.when
    ]
    assert clocks == ["boot:gpu01"] * 3 + ["boot:gpu01#2"]


SACCT = """JobID|JobName|State|ExitCode|Start|End|NodeList
4711|pre|FAILED|1:0|2026-01-01T00:00:00|2026-01-01T01:00:00|gpu[001-002].cluster
4711.batch|batch|CANCELLED|0:15|2026-01-01T00:00:00|2026-01-01T01:00:00|gpu001
4711|pre|CANCELLED by 1004|0:0|2026-01-02T00:00:00|Unknown|None assigned
bad row|||||
"""


def test_sacct_text(tmp_path: Path) -> None:
    reading = incident(tmp_path, sacct_DOT_txt=SACCT.replace("gpu[001-002].cluster", "gpu[001-002]"))
    assert said(reading) == {
        ("job", "4711", "4711", "pre"),
        ("job_state", "4711", "FAILED"),
        ("job_exit", "4711", 1, 0),
        ("job_time", "4711", 1767225600 * S, 1767229200 * S),
        ("job_node", "4711", "gpu001"),
        ("job_node", "4711", "gpu002"),
        ("job", "4711#2", "4711", "pre"),
        ("job_state", "4711#2", "CANCELLED"),
        ("job_cancelled_by", "4711#2", 1004),
        ("job_exit", "4711#2", 0, 0),
    }
    shown = cover(reading, "sacct.txt")
    assert (shown.kind, shown.status, shown.records, shown.unparsed) == ("scheduler", "ok", 5, 1)
    assert {s.place.line for s in reading.statements} == {2, 4}
    assert Clock("scheduler", "wall", S) in reading.clocks


@pytest.mark.parametrize("delimiter", ["|", "\x1f", "\x1e"])
def test_sacct_delimiters_orders_and_broken_rows(delimiter: str, tmp_path: Path) -> None:
    rows = [
        ["End", "Start", "State", "JobIDRaw", "JobID", "JobName", "Comment"],
        ["1767229200", "1767225600", "TIMEOUT", "12", "10_2", "x", "one\ntwo"],
        ["1767229200", "1767225600", "COMPLETED", "13", "13", "y", ""],
    ]
    reading = incident(tmp_path, acct="$ sacct\n" + "".join(delimiter.join(row) + "\n" for row in rows))
    assert {s for s in said(reading) if s[0] in ("job", "job_state")} == {
        ("job", "12", "12", "x"),
        ("job_state", "12", "TIMEOUT"),
        ("job", "13", "13", "y"),
        ("job_state", "13", "COMPLETED"),
    }


def test_sacct_json(tmp_path: Path) -> None:
    text = """{"jobs":[{"job_id":4711,"name":"pre","nodes":"gpu[001-002]","failed_node":"gpu002",
      "state":{"current":["REQUEUED","NODE_FAIL"],"reason":"NonZeroExitCode"},
      "exit_code":{"status":["ERROR"],"return_code":{"set":true,"infinite":false,"number":1},
      "signal":{"id":{"set":false,"infinite":false,"number":99},"name":""}},
      "time":{"start":1767225600,"end":1767229200}}, {"job_id":"x"}], "errors":[]}"""
    reading = incident(tmp_path, acct_DOT_json=text)
    assert said(reading) == {
        ("job", "4711", "4711", "pre"),
        ("job_state", "4711", "NODE_FAIL"),
        ("job_exit", "4711", 1, 0),
        ("job_time", "4711", 1767225600 * S, 1767229200 * S),
        ("job_node", "4711", "gpu001"),
        ("job_node", "4711", "gpu002"),
        ("job_failed_node", "4711", "gpu002"),
    }
    assert cover(reading, "acct.json").unparsed == 1


def test_a_hostlist_that_names_too_many(tmp_path: Path) -> None:
    reading = incident(
        tmp_path, s_DOT_txt="JobID|State|NodeList\n1|FAILED|n[1-999999999]\n2|FAILED|n[1-300]m[1-300]\n"
    )
    shown = cover(reading, "s.txt")
    assert (shown.status, shown.unparsed) == ("partial", 2)
    assert "65536" in (shown.reason or "")
    assert not [s for s in reading.statements if s.relation == "job_node"]


def test_a_stop_by_slurm_is_told_by_its_own_clock(tmp_path: Path) -> None:
    line = (
        "3: slurmstepd: error: *** STEP 9.0 ON gpu01 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***"
    )
    seen = only(incident(tmp_path, job_DOT_err=line))
    assert (seen.node, seen.when) == ("gpu01", When(1767225600 * S, 1767225601 * S - 1, "scheduler"))
    assert seen.facts == (("job_stopped", (EVENT, "9", "time_limit")),)


SETTINGS = """
attempt: 77
workload: pretrain
timezone: Europe/Berlin
year: 2020
files:
  "a*.log": {node: gpu09}
  b.log: {rank: 4, kind: text}
placement:
  0: gpu01
"""


def test_settings_state_what_no_file_shows(tmp_path: Path) -> None:
    reading = incident(
        tmp_path,
        incident_DOT_yaml=SETTINGS,
        a1_DOT_log=XID79,
        b_DOT_log="ERROR 09-17 15:23:51 [executor.py:597] " + OOM,
    )
    first, second = reading.observations
    assert (first.node, second.rank) == ("gpu09", 4)
    assert second.when is not None and second.when.lo == 1600349031 * S
    assert cover(reading, "b.log").kind == "text"
    assert ("job", "77", "77", "pretrain") in said(reading)
    assert ("placement", 0, "gpu01") in said(reading)
    assert {s.place.source for s in reading.statements} == {"incident.yaml"}
    assert [c.source for c in reading.coverage] == ["a1.log", "b.log"]


@pytest.mark.parametrize(
    "text, said_why",
    [
        ("attemt: 1", "attemt"),
        ("timezone: Mars/Olympus", "Mars"),
        ("files: {a: {nod: x}}", "nod"),
        ("placement: {x: y}", "placement"),
        ("[", "incident.yaml"),
        ("year: yes", "year"),
        ("- 1", "incident.yaml"),
    ],
)
def test_wrong_settings_are_refused(text: str, said_why: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"incident\.yaml") as caught:
        incident(tmp_path, incident_DOT_yaml=text)
    assert said_why in str(caught.value)


def test_coverage_spans_the_times_of_all_lines(tmp_path: Path) -> None:
    lines = [f"2026-01-01T0{h}:00:00+00:00 node-a systemd[1]: hello" for h in range(5)]
    shown = cover(incident(tmp_path, sys_DOT_log="\n".join(lines)), "sys.log")
    assert (shown.lo, shown.hi) == (1767225600 * S, 1767240001 * S - 1)
    assert (shown.records, shown.nodes, shown.kind) == (5, ("node-a",), "kernel")


def test_what_looks_known_and_is_not_understood_is_counted(tmp_path: Path) -> None:
    text = (
        "NVRM: Xid (PCI:zz): 79\nNVRM: Xid (PCI:0000:c1:00): 99999999999999999999999999999999999999999, x\n"
    )
    shown = cover(incident(tmp_path, kern_DOT_log=text), "kern.log")
    assert (shown.records, shown.unparsed) == (2, 2)


def test_the_order_of_paths_does_not_matter(tmp_path: Path) -> None:
    for node in ("gpu01", "gpu02"):
        (tmp_path / node).mkdir()
        (tmp_path / node / "kern.log").write_text(XID79)
    (tmp_path / "job.log").write_text(OOM)
    paths = [tmp_path / "gpu01", tmp_path / "gpu02", tmp_path / "job.log"]
    readings = [read_incident(order, packs=PACKS) for order in itertools.permutations(paths)]
    assert all(reading == readings[0] for reading in readings)
    assert [c.source for c in readings[0].coverage] == ["gpu01/kern.log", "gpu02/kern.log", "job.log"]
    assert readings[0] == read_incident([*paths, paths[0]], packs=PACKS)
    one = read_incident([tmp_path / "job.log"], packs=PACKS)
    assert [c.source for c in one.coverage] == ["job.log"]


def test_the_hash_seed_does_not_matter(tmp_path: Path) -> None:
    incident(tmp_path, **{"a_DOT_log": OOM, "gpu1__k_DOT_log": f"[1.000000] {XID79}\n", "sacct": SACCT})
    code = (
        "import sys; from pathlib import Path; from aitia.connectors.read import read_incident;"
        "print(read_incident([Path(sys.argv[1])], packs=[Path(sys.argv[2])]))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path), str(PACKS[0])],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1


def test_labels_that_count_nodes_are_no_ranks(tmp_path: Path) -> None:
    contradicted = f"1: [rank9]: KeyError: 'x'\n1: {OOM}\n"
    trusted = f"1: [rank1]: KeyError: 'x'\n1: {OOM}\n"
    reading = incident(tmp_path, a_DOT_log=contradicted, b_DOT_log=trusted)
    assert [(o.place.source, o.rank) for o in reading.observations] == [
        ("a.log", 9),
        ("a.log", None),
        ("b.log", 1),
        ("b.log", 1),
    ]


def test_a_settings_file_may_be_named_by_itself(tmp_path: Path) -> None:
    incident(tmp_path, k_DOT_log=XID79, incident_DOT_yaml="files: {k.log: {node: gpu09}}")
    reading = read_incident([tmp_path / "incident.yaml", tmp_path / "k.log"], packs=PACKS)
    assert only(reading).node == "gpu09"
    assert [c.source for c in reading.coverage] == ["k.log"]


def test_kmsg_records_are_kernel_lines(tmp_path: Path) -> None:
    reading = incident(tmp_path, **{"gpu01__kmsg": f"4,1234,5678901234,-;{XID79}\n SUBSYSTEM=pci\n"})
    assert only(reading).when == When(5678901234000, 5678901234999, "boot:gpu01")


@pytest.mark.parametrize("hyperscan", [True, False])
def test_both_engines_find_the_same_lines(
    hyperscan: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        XID79,
        "nothing",
        OOM,
        "x" * 200_000 + " NCCL WARN y",
        "NCCL WARN ErrorErrorNCCL WARN",
        "KeyError: 'x'",
    ]
    monkeypatch.setattr(look, "any_of", functools.partial(automaton.any_of, hyperscan=hyperscan))
    reading = incident(tmp_path, a_DOT_log="\n".join(lines * 3))
    assert [(o.kind, o.place.line) for o in reading.observations] == [
        (kind, 6 * block + line)
        for block in range(3)
        for kind, line in (("xid", 1), ("cuda_oom", 3), ("nccl_warn", 5), ("exception", 6))
    ]
    assert reading.coverage[0].unparsed == 3


SUMMARY = """Root Cause (first observed failure):
[3]:
  time      : 2026-12-01_03:10:46
  host      : gpu017.cluster
  rank      : 139 (local_rank: 3)
  exitcode  : -6 (pid: 8123)
  error_file: <N/A>
filler
filler
  exitcode  : -15 (pid: 9)
"""


def test_the_launchers_summary_lends_host_rank_and_time(tmp_path: Path) -> None:
    first, second = incident(tmp_path, job_DOT_log=SUMMARY).observations
    assert first.facts == (("process_exit", (EVENT, 8123, -6)),)
    assert (first.node, first.rank) == ("gpu017", 139)
    assert first.when == When(1796094646 * S, 1796094647 * S - 1, "gpu017")
    assert (second.node, second.rank, second.when) == (None, None, None)


COLUMNS = """$ sacct -j 4711 --format=JobID,JobName,State,ExitCode,Start,End,NodeList
JobID           JobName      State ExitCode               Start                 End        NodeList
------------ ---------- ---------- -------- ------------------- ------------------- ---------------
4711         pretrain-+     FAILED      1:0 2026-01-01T00:00:00 2026-01-01T01:00:00    gpu[001-002]
4711.batch        batch     FAILED      1:0 2026-01-01T00:00:00 2026-01-01T01:00:00          gpu001
4712         pretrain-+ CANCELLED+      0:0             Unknown             Unknown   None assigned

"""


def test_sacct_in_columns(tmp_path: Path) -> None:
    reading = incident(tmp_path, acct_DOT_txt=COLUMNS)
    assert said(reading) == {
        ("job", "4711", "4711", "pretrain-+"),
        ("job_state", "4711", "FAILED"),
        ("job_exit", "4711", 1, 0),
        ("job_time", "4711", 1767225600 * S, 1767229200 * S),
        ("job_node", "4711", "gpu001"),
        ("job_node", "4711", "gpu002"),
        ("job", "4712", "4712", "pretrain-+"),
        ("job_state", "4712", "CANCELLED"),
        ("job_exit", "4712", 0, 0),
    }
    for statement in reading.statements:
        line = COLUMNS.splitlines()[statement.place.line - 1]
        assert statement.place.text == line
        assert COLUMNS.encode()[statement.place.offset :].startswith(line.encode())


def test_the_middle_of_a_long_log_does_not_hide_its_ends(tmp_path: Path) -> None:
    lines = [
        f"2026-01-01T{i // 3600:02}:{i // 60 % 60:02}:{i % 60:02}Z step {i} loss 2.0" for i in range(20_000)
    ]
    shown = cover(incident(tmp_path, job_DOT_log="\n".join(lines)), "job.log")
    assert (shown.lo, shown.hi) == (1767225600 * S, (1767225600 + 20_000) * S - 1)
    assert (shown.kind, shown.records) == ("application", 20_000)
    short = cover(incident(tmp_path / "b", job_DOT_log="\n".join(lines[:900])), "job.log")
    assert (short.lo, short.hi) == (1767225600 * S, (1767225600 + 900) * S - 1)
