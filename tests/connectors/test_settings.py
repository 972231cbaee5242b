"""What incident.yaml may say, and how it is told what it said wrong."""

from pathlib import Path

import pytest
from aitia.connectors.read import read_incident
from aitia.engine.errors import InputError
from aitia.facts.observation import Reading

SACCT = "JobIDRaw|State|NodeList\n5551|FAILED|n1\n"


def read(folder: Path, settings: str) -> Reading:
    (folder / "job.log").write_text("step 1\n")
    (folder / "sacct.txt").write_text(SACCT)
    (folder / "incident.yaml").write_text(settings)
    return read_incident([folder])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("files:\n  jbo.log: {node: n1}\n", "`files.jbo.log` fits no file"),
        ("year: 2026\nyear: 2025\n", "line 2: the key `year` stands twice"),
        ("files:\n  job.log: {nod: n1}\n", "known keys: kind, node, rank"),
        ("- 1\n", "mapping of keys to values"),
        ('timezone: "+02:00"\n', "a name such as Europe/Berlin"),
        ("yaer: 2026\n", "known keys: attempt, files"),
    ],
)
def test_what_is_wrong_is_told_with_the_file(tmp_path: Path, settings: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, settings)
    assert message in str(caught.value)
    assert str(tmp_path / "incident.yaml") in str(caught.value)


def test_a_stated_attempt_makes_no_second_run_beside_accounting(tmp_path: Path) -> None:
    reading = read(tmp_path, 'attempt: "999"\n')
    assert [s.args[0] for s in reading.statements if s.relation == "job"] == ["5551"]


def test_what_a_glob_states_reaches_the_file(tmp_path: Path) -> None:
    reading = read(tmp_path, "files:\n  '*.log': {kind: application, node: n7}\n")
    (log,) = [c for c in reading.coverage if c.source == "job.log"]
    assert (log.kind, log.nodes) == ("application", ("n7",))
