"""The end of a run is an event of its own, so that a verdict can rest on it."""

from pathlib import Path

import pytest
from aitia.connectors.read import read_incident
from aitia.facts.observation import EVENT, Observation

HEADER = "JobIDRaw|JobName|State|ExitCode|Start|End|NodeList\n"


def ends(tmp_path: Path, *rows: str) -> list[Observation]:
    (tmp_path / "sacct.txt").write_text(HEADER + "".join(row + "\n" for row in rows))
    return [o for o in read_incident([tmp_path]).observations if o.kind == "job_end"]


def test_a_run_that_ended(tmp_path: Path) -> None:
    row = "7|train|TIMEOUT|0:0|2026-11-02T08:00:00|2026-11-02T10:00:00|n1"
    (end,) = ends(tmp_path, row)
    assert end.facts == (("job_ended", (EVENT, "7", "TIMEOUT")),)
    assert end.place.text == row
    assert end.when is not None
    assert (end.when.clock, end.when.lo) == ("scheduler", 1_793_613_600_000_000_000)


@pytest.mark.parametrize("state", ["RUNNING", "PENDING"])
def test_a_run_that_goes_on_has_no_end(tmp_path: Path, state: str) -> None:
    assert ends(tmp_path, f"7|train|{state}|0:0|2026-11-02T08:00:00|Unknown|n1") == []


def test_an_end_without_a_time_is_still_an_event(tmp_path: Path) -> None:
    (end,) = ends(tmp_path, "7|train|FAILED|1:0|Unknown|Unknown|n1")
    assert end.when is None
