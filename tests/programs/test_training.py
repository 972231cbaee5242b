"""The first training program, one mechanism at a time: where it fires, and the twin in which it must not."""

import pytest
from aitia.engine.model import Model

from .incidents import closed, event, job, model, nvlink5, sources, timeout, xid

GPU = "0000:5d:00"
LOCAL, FAR = 0x004505C6, 0x015505C6
KERNELS = sources("n1", "n2", "n3")
WAITS = timeout("w1", 1, 10, 601, 600) + timeout("w2", 9, 11, 602, 600) + closed("c1", 17, 12, 605)


def verdict(found: Model) -> str:
    ((_, verdict),) = found.rows("verdict")
    return str(verdict)


def causes(found: Model) -> set[tuple[str | int, ...]]:
    return {row[:5] for row in found.rows("root_cause")}


def suspects(found: Model) -> set[tuple[str | int, ...]]:
    return {row[:5] for row in found.rows("suspect")}


def explained(found: Model) -> dict[str, set[tuple[str, str]]]:
    rows: dict[str, set[tuple[str, str]]] = {}
    for _, effect, cause, mechanism in found.rows("explained_by"):
        rows.setdefault(str(effect), set()).add((str(cause), str(mechanism)))
    return rows


def test_a_link_fault_explains_waits_and_lost_connections() -> None:
    found = model(
        KERNELS + job("FAILED") + nvlink5("x", "n2", GPU, 149, 5, 0.5, "NETIR_LINK_EVT", LOCAL) + WAITS
    )
    assert verdict(found) == "root_cause"
    assert causes(found) == {("x", "hardware", "nvlink", "n2", GPU)}
    assert explained(found) == {
        "w1": {("x", "device-fault-stops-collective")},
        "w2": {("x", "device-fault-stops-collective")},
        "c1": {("x", "device-fault-breaks-communication"), ("x", "wait-ends-processes")},
    }
    assert found.rows("unexplained") == []
    assert ("4711", "n2", "origin") in found.rows("affected")


def test_without_the_kernel_log_nothing_is_blamed_and_it_is_named_as_missing() -> None:
    found = model(sources() + job("FAILED") + WAITS)
    assert verdict(found) == "unattributed"
    assert {(row[1], row[2]) for row in found.rows("missing")} == {
        ("kernel log", n) for n in ("n1", "n2", "n3")
    }
    assert {e for _, e in found.rows("unexplained")} == {"w1", "w2", "c1"}


@pytest.mark.parametrize("subcode", [21, 32, 33, 34, 35, 36, 37])
def test_a_fault_at_the_far_end_does_not_blame_the_gpu_that_prints_it(subcode: int) -> None:
    info = (LOCAL & ~(63 << 20)) | (subcode << 20)
    found = model(
        KERNELS + job("FAILED") + nvlink5("x", "n2", GPU, 149, 5, 0.5, "NETIR_LINK_EVT", info) + WAITS
    )
    assert causes(found) == {("x", "hardware", "nvlink", "n2", "")}


def test_a_peer_with_a_fault_of_its_own_explains_the_far_end_report() -> None:
    both = nvlink5("x", "n2", GPU, 149, 5, 0.5, "NETIR_LINK_EVT", FAR) + nvlink5(
        "y", "n2", "0000:9d:00", 149, 6, 0.6, "NETIR_LINK_EVT", LOCAL
    )
    found = model(KERNELS + job("FAILED") + both + WAITS)
    assert causes(found) == {("y", "hardware", "nvlink", "n2", "0000:9d:00")}
    assert explained(found)["x"] == {("y", "far-end-of-a-faulty-link")}


def test_two_equally_early_faults_on_two_nodes_are_ambiguous() -> None:
    two = xid("x", "n2", GPU, 79, 5, 0.5) + xid("y", "n3", GPU, 48, 5, 0.5)
    found = model(KERNELS + job("FAILED") + two + WAITS)
    assert verdict(found) == "ambiguous"
    assert suspects(found) == {
        ("x", "hardware", "gpu_bus", "n2", GPU),
        ("y", "hardware", "gpu_memory", "n3", GPU),
    }


def test_a_fault_that_comes_after_the_waits_began_is_no_rival() -> None:
    two = xid("x", "n2", GPU, 79, 5, 0.5) + xid("y", "n3", GPU, 48, 5, 300)
    found = model(KERNELS + job("FAILED") + two + WAITS)
    assert causes(found) == {("x", "hardware", "gpu_bus", "n2", GPU)}


def test_faults_without_a_common_failure_are_two_origins() -> None:
    found = model(
        sources("n1", "n2", application=False) + xid("x", "n1", GPU, 48, 5) + xid("y", "n2", GPU, 48, 5)
    )
    assert causes(found) == {
        ("x", "hardware", "gpu_memory", "n1", GPU),
        ("y", "hardware", "gpu_memory", "n2", GPU),
    }


def test_a_lost_gpu_explains_silent_firmware_and_not_the_other_way() -> None:
    found = model(sources("n1", application=False) + xid("x", "n1", GPU, 79, 5) + xid("y", "n1", GPU, 119, 6))
    assert causes(found) == {("x", "hardware", "gpu_bus", "n1", GPU)}
    twin = model(sources("n1", application=False) + xid("y", "n1", GPU, 119, 6))
    assert verdict(twin) == "ambiguous"
    other = model(
        sources("n1", application=False) + xid("x", "n1", GPU, 79, 5) + xid("y", "n1", "0000:aa:00", 119, 6)
    )
    assert ("y", "x") not in {(e, c) for _, e, c, _ in other.rows("explained_by")}


def test_gpus_that_leave_the_bus_together_point_to_the_host() -> None:
    kernel = sources("n1", application=False)
    together = xid("x", "n1", GPU, 79, 5, 1.0) + xid("y", "n1", "0000:9d:00", 79, 6, 1.2)
    assert causes(model(kernel + together)) == {(e, "hardware", "ambiguous", "n1", "") for e in ("x", "y")}
    apart = xid("x", "n1", GPU, 79, 5, 1.0) + xid("y", "n1", "0000:9d:00", 79, 6, 100.0)
    assert ("x", "hardware", "gpu_bus", "n1", GPU) in causes(model(kernel + apart))


def test_a_memory_error_is_one_event_headed_by_its_first_code() -> None:
    kernel = sources("n1", application=False)
    codes = xid("a", "n1", GPU, 63, 4, 1) + xid("b", "n1", GPU, 48, 5, 1) + xid("c", "n1", GPU, 94, 6, 1.1)
    found = model(kernel + codes + xid("d", "n1", GPU, 154, 7, 1.2))
    assert causes(found) == {("b", "hardware", "gpu_memory", "n1", GPU)}
    assert set(explained(found)) == {"a", "c", "d"}


def test_bookkeeping_alone_blames_nothing() -> None:
    found = model(sources("n1", application=False) + xid("a", "n1", GPU, 45, 5) + xid("b", "n1", GPU, 154, 6))
    assert verdict(found) == "unattributed"


def test_an_illegal_access_is_the_programs_own() -> None:
    found = model(sources("n1", application=False) + xid("x", "n1", GPU, 13, 5) + xid("y", "n1", GPU, 43, 6))
    assert causes(found) == {("x", "application", "illegal_access", "n1", GPU)}


def test_the_printed_edge_names_the_cause() -> None:
    later = xid("y", "n1", GPU, 45, 9, 900) + 'xid_caused_by("y", 79).\n'
    found = model(sources("n1", application=False) + xid("x", "n1", GPU, 79, 5, 1) + later)
    assert ("x", "printed-by-driver") in explained(found)["y"]
    twin = model(
        sources("n1", application=False) + xid("x", "n1", GPU, 79, 5, 1) + xid("y", "n1", GPU, 45, 9, 900)
    )
    assert "y" not in explained(twin)


def test_events_of_other_nodes_and_other_days_do_not_belong_to_the_job() -> None:
    for stray in (xid("x", "n9", GPU, 79, 5, 0.5), xid("x", "n2", GPU, 79, 5, -9000)):
        found = model(KERNELS + sources("n9") + job("FAILED") + stray.replace("T+-", "T-") + WAITS)
        assert verdict(found) == "unattributed"


def test_a_rank_that_ran_out_of_memory_stops_the_others() -> None:
    oom = event("o", "cuda_oom", "job.log", 3, 0, rank=11) + 'cuda_oom("o", 3, 4670000000).\n'
    found = model(KERNELS + job("FAILED") + oom + WAITS)
    assert {c[:3] for c in causes(found)} == {("o", "application", "gpu_memory_exhausted")}
    absurd = oom.replace("4670000000", "-1")
    assert verdict(model(KERNELS + job("FAILED") + absurd + WAITS)) == "unattributed"


def test_a_device_fault_beats_the_error_of_a_rank_on_it() -> None:
    error = event("o", "cuda_error", "job.log", 3, 1, rank=11) + 'cuda_error("o", 719, "launch failure").\n'
    found = model(KERNELS + job("FAILED") + xid("x", "n2", GPU, 79, 5, 0.5) + error + WAITS)
    assert {c[0] for c in causes(found)} == {"x"}
    assert ("x", "device-fault-fails-process") in explained(found)["o"]


def stop(reason: str, at: float) -> str:
    return event("s", "job_stopped", "job.log", 90, at, node="n1", clock="scheduler") + (
        f'job_stopped("s", "4711", "{reason}").\n'
    )


def test_a_stop_by_the_scheduler_explains_what_its_end_tears_down() -> None:
    nvlink = xid("x", "n1", GPU, 74, 5, 33)
    found = model(KERNELS + job("PREEMPTED") + stop("preemption", 30) + nvlink + closed("c", 3, 95, 34))
    assert {c[1:3] for c in causes(found)} == {("scheduler", "preemption")}
    assert ("s", "termination-tears-down-nvlink") in explained(found)["x"]
    before = model(
        KERNELS + job("FAILED") + stop("unstated", 30) + nvlink.replace("T+33", "T+3") + closed("c", 3, 95, 4)
    )
    assert {c[0] for c in causes(before)} == {"x"}


def test_a_job_that_hung_into_its_limit_began_with_the_device() -> None:
    hung = xid("x", "n2", GPU, 79, 5, 0.5) + timeout("w1", 1, 10, 601, 600) + stop("time_limit", 3000)
    assert {c[0] for c in causes(model(KERNELS + job("TIMEOUT") + hung))} == {"x"}
    healthy = stop("time_limit", 3000) + closed("c", 3, 95, 3004)
    assert {c[1:3] for c in causes(model(KERNELS + job("TIMEOUT") + healthy))} == {
        ("scheduler", "time_limit")
    }


def test_a_completed_job_has_nothing_to_explain() -> None:
    found = model(KERNELS + job("COMPLETED") + xid("x", "n2", GPU, 63, 5, 0.5) + closed("c", 3, 95, 34))
    assert verdict(found) == "none"
    assert found.rows("unexplained") == []


def test_a_dead_adapter_explains_its_traffic_and_a_bare_completion_does_not() -> None:
    dead = (
        event("a", "ib_async", "job.log", 3, 0, node="n2", rank=12)
        + 'ib_async("a", "mlx5_0", "local_catastrophic").\n'
    )
    broken = (
        event("b", "nccl_warn", "job.log", 4, 20, rank=3) + 'nccl_warn("b", "ib_completion", "status=12").\n'
    )
    found = model(KERNELS + job("FAILED") + dead + broken)
    assert causes(found) == {("a", "hardware", "nic", "n2", "mlx5_0")}
    assert verdict(model(KERNELS + job("FAILED") + broken)) == "unattributed"


def test_every_attempt_has_exactly_one_verdict_and_outcome() -> None:
    text = sources("n1", "n2") + job("FAILED", ("n1",), "1") + job("COMPLETED", ("n2",), "2")
    found = model(text + xid("x", "n1", GPU, 48, 5, 1))
    assert found.rows("verdict") == [("1", "root_cause"), ("2", "none")]
    assert found.rows("outcome") == [("1", "failed"), ("2", "completed")]
