"""A line without a time was written between its timed neighbours."""

from pathlib import Path

from aitia.connectors.read import read_incident
from aitia.facts.observation import Observation
from aitia.ruleset import training_folder

SECOND = 1_000_000_000
BASE = 1_793_613_600 * SECOND
OOM = "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.35 GiB."


def seen(folder: Path, *lines: str, name: str = "job.log") -> list[Observation]:
    (folder / name).write_text("".join(line + "\n" for line in lines))
    reading = read_incident([folder], packs=[training_folder() / "patterns"])
    return [o for o in reading.observations if o.kind == "cuda_oom"]


def bounds(seen: Observation) -> tuple[float, float] | None:
    return None if seen.when is None else ((seen.when.lo - BASE) / SECOND, (seen.when.hi - BASE) // SECOND)


def test_between_two_times_with_room_for_buffers(tmp_path: Path) -> None:
    (oom,) = seen(
        tmp_path, "[2026-11-02 10:00:10] step 1", "noise", OOM, "noise", "[2026-11-02 10:00:30] step 2"
    )
    assert bounds(oom) == (10 - 60, 30 + 60)


def test_beside_one_time_an_hour_is_allowed(tmp_path: Path) -> None:
    (last,) = seen(tmp_path, "[2026-11-02 10:00:10] step 1", OOM)
    assert bounds(last) == (10 - 60, 10 + 3600)
    (first,) = seen(tmp_path, OOM, "[2026-11-02 10:00:10] step 1")
    assert bounds(first) == (10 - 3600, 10 + 60)


def test_without_any_time_nothing_is_claimed(tmp_path: Path) -> None:
    (oom,) = seen(tmp_path, "noise", OOM)
    assert oom.when is None


def test_each_of_many_lines_has_the_times_next_to_it(tmp_path: Path) -> None:
    lines = []
    for minute in range(5):
        lines += [f"[2026-11-02 10:{minute * 10:02}:00] step", "noise", OOM]
    found = [bounds(o) for o in seen(tmp_path, *lines)]
    assert found[:4] == [(m * 600 - 60, (m + 1) * 600 + 60) for m in range(4)]
    assert found[4] == (2400 - 60, 2400 + 3600)


def test_a_kernel_line_without_a_time_takes_none_from_others(tmp_path: Path) -> None:
    xid = "NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus."
    (tmp_path / "kern.log").write_text(
        "2026-11-02T10:00:00+00:00 n1 kernel: usb 1-1: new device\n" + xid + "\n"
    )
    reading = read_incident([tmp_path], packs=[training_folder() / "patterns"])
    assert [o.when for o in reading.observations if o.kind == "xid"] == [None]
