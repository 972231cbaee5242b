"""The incident of the README, and the twins that differ from it by one thing."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Ran

Aitia = Callable[..., Ran]
GPU = "0000:5d:00"


def test_the_demo_names_the_gpu_and_its_link(aitia: Aitia) -> None:
    ran = aitia("demo", "--format", "json")
    attempt = ran.attempt
    assert ran.code == 0
    assert (attempt["attempt"], attempt["workload"]) == ("4711", "pretrain-7b")
    assert (attempt["outcome"], attempt["verdict"]) == ("failed", "root_cause")
    assert (attempt["domain"], attempt["sub_domain"]) == ("hardware", "nvlink")
    (cause,) = attempt["root_causes"]
    assert (cause["locus"]["node"], cause["locus"]["device"]) == ("node-02", GPU)
    assert "link 8" in cause["statement"]
    assert attempt["headline"] == f"node-02 GPU {GPU}: {cause['statement']} brought the job down"


def test_three_kinds_of_nccl_errors_are_symptoms_of_it(aitia: Aitia) -> None:
    attempt = aitia("demo", "--format", "json").attempt
    (origin,) = attempt["root_causes"][0]["events"]
    nccl = [s for s in attempt["symptoms"] if s["kind"] in ("nccl_warn", "collective_timeout", "dist_error")]
    assert {s["kind"] for s in nccl} == {"nccl_warn", "collective_timeout", "dist_error"}
    assert {s["explained_by"] for s in nccl} == {origin}
    assert attempt["unexplained"] == []
    texts = " ".join(e["text"] for e in attempt["evidence"])
    for words in (
        "status=12",
        "Watchdog caught collective operation timeout",
        "Connection closed by remote peer",
    ):
        assert words in texts


def test_evidence_has_file_line_and_offset(aitia: Aitia, incident: Path) -> None:
    attempt = aitia("diagnose", incident, "--format", "json").attempt
    assert attempt["evidence"]
    for piece in attempt["evidence"]:
        source = piece["source"]
        data = (incident / source["path"]).read_bytes()
        assert data[source["offset"] :].split(b"\n")[0].decode() == piece["text"]
        assert data[: source["offset"]].count(b"\n") == source["line"] - 1


def test_affected_nodes_and_coverage(aitia: Aitia) -> None:
    attempt = aitia("demo", "--format", "json").attempt
    assert attempt["affected_nodes"] == [
        {"node": "node-02", "role": "origin"},
        {"node": "node-01", "role": "affected"},
        {"node": "node-03", "role": "affected"},
    ]
    assert {c["source"]: c["status"] for c in attempt["coverage"]} == dict.fromkeys(
        ("job.log", "node-01/kern.log", "node-02/kern.log", "node-03/kern.log", "slurm/sacct.txt"), "ok"
    )
    assert attempt["missing"] == []


def test_without_kernel_logs_it_is_unattributed_and_they_are_named(aitia: Aitia, incident: Path) -> None:
    for node in ("node-01", "node-02", "node-03"):
        shutil.rmtree(incident / node)
    ran = aitia("diagnose", incident, "--format", "json")
    attempt = ran.attempt
    assert (ran.code, attempt["verdict"], attempt["root_causes"]) == (1, "unattributed", [])
    assert {(m["source"], m["node"]) for m in attempt["missing"]} == {
        ("kernel log", f"node-0{n}") for n in (1, 2, 3)
    }
    assert "node-[01-03]" in aitia("diagnose", incident).out


def test_without_the_one_kernel_log_only_that_is_named(aitia: Aitia, incident: Path) -> None:
    shutil.rmtree(incident / "node-02")
    attempt = aitia("diagnose", incident, "--format", "json").attempt
    assert attempt["verdict"] == "unattributed"
    assert [(m["source"], m["node"]) for m in attempt["missing"]] == [("kernel log", "node-02")]


def second_fault(incident: Path, time: str) -> None:
    log = incident / "node-03" / "kern.log"
    line = f"2026-11-02T{time}+00:00 node-03 kernel: NVRM: Xid (PCI:0000:9d:00): 79, GPU has fallen off the bus.\n"
    log.write_text(log.read_text() + line)


def test_a_second_equally_early_fault_makes_it_ambiguous(aitia: Aitia, incident: Path) -> None:
    second_fault(incident, "10:15:03.300000")
    ran = aitia("diagnose", incident, "--format", "json")
    attempt = ran.attempt
    assert (ran.code, attempt["verdict"], attempt["root_causes"]) == (1, "ambiguous", [])
    assert (attempt["domain"], attempt["sub_domain"]) == ("hardware", "ambiguous")
    assert attempt["among"] == ["gpu_bus", "nvlink"]
    places = {(c["locus"]["node"], c["locus"]["device"]) for c in attempt["candidates"]}
    assert places == {("node-02", GPU), ("node-03", "0000:9d:00")}
    assert all(c["proof"]["relation"] == "suspect" for c in attempt["candidates"])
    assert attempt["missing"], "it says what would decide"


def test_a_second_fault_after_the_waits_began_changes_nothing(aitia: Aitia, incident: Path) -> None:
    second_fault(incident, "10:21:00.000000")
    attempt = aitia("diagnose", incident, "--format", "json").attempt
    assert [c["locus"]["node"] for c in attempt["root_causes"]] == ["node-02"]


@pytest.mark.parametrize("subcode", [21, 32, 37])
def test_with_a_far_end_subcode_the_gpu_that_prints_is_not_blamed(
    aitia: Aitia, incident: Path, subcode: int
) -> None:
    log = incident / "node-02" / "kern.log"
    word = 0x004505C6 & ~(63 << 20) | subcode << 20
    log.write_text(log.read_text().replace("0x004505c6", f"0x{word:08x}"))
    attempt = aitia("diagnose", incident, "--format", "json").attempt
    (cause,) = attempt["root_causes"]
    assert (cause["domain"], cause["sub_domain"], cause["locus"]["node"]) == ("hardware", "nvlink", "node-02")
    assert cause["locus"]["device"] is None
    assert "other end of link 8" in cause["statement"]


def test_the_text_leads_with_the_headline(aitia: Aitia) -> None:
    lines = aitia("demo").out.splitlines()
    assert lines[0] == "attempt 4711 (pretrain-7b): failed"
    assert lines[1].startswith(
        f"ROOT CAUSE  node-02 GPU {GPU}: NVLink signal integrity fault on link 8 (Xid 149)"
    )
    assert "\x1b" not in "".join(lines)


def test_the_proof_goes_down_to_the_raw_line(aitia: Aitia) -> None:
    cause = aitia("demo", "--format", "json").attempt["root_causes"][0]
    ran = aitia("why", cause["id"])
    assert ran.code == 0
    assert re.search(r"node-02/kern\.log:2 .*NVRM: Xid \(PCI:0000:5d:00\): 149", ran.out)
    assert "[nvlink5-decoded training/faults.dl:" in ran.out
    assert re.search(r"8 × collective_timeout, ranks 1-3,16,18-21 on node-\[01,03\]", ran.out)


def test_the_proof_in_json_has_the_shapes_of_the_contract(aitia: Aitia) -> None:
    proof = aitia("demo", "--format", "json").attempt["root_causes"][0]["proof"]
    kinds: set[str] = set()

    def walk(node: dict[str, object]) -> None:
        if "premises" in node:
            assert {"relation", "row", "rule", "file", "line", "reading"} <= set(node)
            kinds.add("step")
            for below in node["premises"]:  # type: ignore[attr-defined]
                walk(below)
        elif "fact" in node:
            kinds.add("fact")
            assert "evidence" in node
        elif "absent" in node:
            kinds.add("absent")
            assert node["covered"] is True
        elif "aggregate" in node:
            kinds.add("aggregate")
            assert node["group"]
        else:
            kinds.add("comparison")
            assert "comparison" in node

    walk(proof)
    assert kinds == {"step", "fact", "absent", "aggregate", "comparison"}
