"""Commands from the outside: exit codes, streams, formats, files, hostile input, determinism."""

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from aitia.ruleset import demo_folder, training_folder

from .conftest import Ran

Aitia = Callable[..., Ran]


def test_help_and_version(aitia: Aitia) -> None:
    assert "diagnose" in aitia("--help").out
    assert aitia("version").out.startswith("aitia ")
    assert aitia("--version").out == aitia("version").out.splitlines(keepends=True)[0]
    assert str(training_folder()) in aitia("version").out
    ran = aitia()
    assert ran.code == 2
    assert aitia("nonsense").code == 2
    assert "--programs" in aitia("diagnose", "--help").out


def test_a_path_that_is_not_there(aitia: Aitia, tmp_path: Path) -> None:
    ran = aitia("diagnose", tmp_path / "nowhere")
    assert (ran.code, ran.out) == (2, "")
    assert "nowhere: no such file or folder" in ran.err


def test_an_empty_folder(aitia: Aitia, tmp_path: Path) -> None:
    ran = aitia("diagnose", tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert "there are no files to read" in ran.err


def test_an_unwritable_output(aitia: Aitia, incident: Path) -> None:
    ran = aitia("diagnose", incident, "-o", incident / "no" / "file")
    assert ran.code == 2
    assert "no/file: No such file or directory" in ran.err


def test_output_to_a_file_is_what_would_be_printed(aitia: Aitia, incident: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    printed = aitia("diagnose", incident, "--format", "json").out
    ran = aitia("diagnose", incident, "--format", "json", "-o", target)
    assert (ran.code, ran.out) == (0, "")
    assert target.read_text() == printed


def test_a_dump_gives_the_same_diagnosis(aitia: Aitia, incident: Path, tmp_path: Path) -> None:
    dump = tmp_path / "incident.aitia"
    from_files = aitia("diagnose", incident, "--format", "json", "--dump", dump).out
    assert aitia("diagnose", dump, "--format", "json").out == from_files
    ran = aitia("diagnose", dump, incident)
    assert ran.code == 2
    assert "name it alone" in ran.err
    dump.write_bytes(dump.read_bytes()[:300])
    ran = aitia("diagnose", dump)
    assert ran.code == 2
    assert str(dump) in ran.err


def test_why_asks_the_demo_where_no_path_is_named(aitia: Aitia) -> None:
    ran = aitia("why", 'root_cause(E, "hardware", _, N, _, _)')
    assert ran.code == 0
    assert "asking the bundled incident" in ran.err
    assert "e1 is a root cause" in ran.out
    proofs = json.loads(aitia("why", 'verdict("4711", V)', "--format", "json").out)
    assert [p["row"] for p in proofs] == [["4711", "root_cause"]]


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("zzzz", "is no id of a verdict"),
        ('root_cause(E, "storage", _, _, _, _)', "no row fits"),
        ("root_cause(E)", "6 columns"),
        ("nothing(E)", "nothing"),
        ("root_cause(", "error"),
    ],
)
def test_why_says_what_is_wrong_with_the_question(aitia: Aitia, what: str, message: str) -> None:
    ran = aitia("why", what)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_equal_proofs_fold(aitia: Aitia) -> None:
    out = aitia("why", 'explained_by(A, E, C, "device-fault-stops-collective")').out
    assert "and 7 more like it: ranks 1-3,16,18-20 on node-[01,03]" in out


def run(*arguments: str | Path, **environment: str) -> str:
    command = [sys.executable, "-m", "aitia", *map(str, arguments)]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **environment}, check=False
    )
    assert "Traceback" not in done.stderr
    return done.stdout


def test_the_same_bytes_whatever_the_hash_seed_and_the_order_of_files(incident: Path) -> None:
    files = sorted(p for p in incident.rglob("*") if p.is_file())
    rng = random.Random(7)
    expected = run("diagnose", *files, "--format", "json", PYTHONHASHSEED="0")
    assert json.loads(expected)["attempts"][0]["verdict"] == "root_cause"
    for seed in range(1, 10):
        shuffled = rng.sample(files, len(files))
        assert run("diagnose", *shuffled, "--format", "json", PYTHONHASHSEED=str(seed)) == expected


def test_colour_only_on_request_of_a_terminal(aitia: Aitia, monkeypatch: pytest.MonkeyPatch) -> None:
    from aitia.theme import Theme

    assert Theme().paint("x", "red") == "x"
    assert Theme(colour=True).paint("x", "red") == "\x1b[31mx\x1b[0m"


def test_control_characters_of_a_log_never_reach_the_terminal(aitia: Aitia, incident: Path) -> None:
    log = incident / "node-02" / "kern.log"
    log.write_text(
        log.read_text().replace("NETIR_LINK_EVT Fatal", "NETIR_LINK_EVT Fatal\x07\x9b2J\x1b]0;x\x07")
    )
    out = aitia("diagnose", incident).out + aitia("why", 'event(E, "xid", _, _)', incident).out
    assert not set(out) & {"\x1b", "\x07", "\x9b"}


def test_a_program_of_ones_own(aitia: Aitia, incident: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    shutil.copytree(training_folder(), mine)
    windows = mine / "vocabulary" / "windows.yaml"
    windows.write_text(
        windows.read_text().replace("stops-collective, 5000, 600000", "stops-collective, -3600000, 1")
    )
    ran = aitia("diagnose", incident, "--programs", mine, "--format", "json")
    assert ran.json["program"]["name"] == "mine"
    assert ran.json["program"]["revision"] != aitia("demo", "--format", "json").json["program"]["revision"]
    kinds = {s["rule"] for s in ran.attempt["symptoms"]}
    assert "device-fault-stops-collective" not in kinds


def test_faults_of_a_program_are_shown_with_their_lines(aitia: Aitia, tmp_path: Path) -> None:
    (tmp_path / "main.dl").write_text('.decl a(x: number)\na("one").\nb(1).\n')
    ran = aitia("diagnose", demo_folder(), "--programs", tmp_path)
    assert ran.code == 2
    assert "main.dl:2:3: error" in ran.err
    assert "main.dl:3:1: error" in ran.err
    assert '2 | a("one").' in ran.err
    assert aitia("diagnose", demo_folder(), "--programs", tmp_path / "none").code == 2
    (tmp_path / "main.dl").write_text(".decl a(x: number)\na(1).\n")
    assert "gives no verdicts" in aitia("diagnose", demo_folder(), "--programs", tmp_path).err


VOCABULARY = "relation: a\ncolumns: [x]\nreference: https://example.org\nrows:\n  - [1]\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (VOCABULARY.replace("relation: a", "relation: b"), "v.yaml:1:1: error E060: there is no relation"),
        (VOCABULARY.replace("[x]", "[y]"), "has the columns x"),
        (VOCABULARY.replace("[1]", "[1, 2]"), "v.yaml:5:1: error E060: the row has 2 values for 1 columns"),
        (VOCABULARY.replace("[1]", "[1.5]"), "rows.0.0"),
        (VOCABULARY.replace("reference: https://example.org\n", ""), "reference"),
        (VOCABULARY.replace("[1]", "[1"), "not YAML"),
        (VOCABULARY.replace("[1]", "['1']"), "v.yaml:5:1: error E035"),
        (VOCABULARY.replace("[1]", "[]\n  - [1, 2]"), "v.yaml:6:1: error E060: the row has 2 values"),
        ("---\n".join([VOCABULARY.replace("[x]", "[y]")] * 2), "v.yaml:7:1: error E060"),
    ],
)
def test_faults_of_a_vocabulary_name_file_and_line(
    aitia: Aitia, tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "main.dl").write_text(".decl a(x: number)\n")
    (tmp_path / "vocabulary").mkdir()
    (tmp_path / "vocabulary" / "v.yaml").write_text(text)
    ran = aitia("diagnose", demo_folder(), "--programs", tmp_path)
    assert ran.code == 2
    assert message in ran.err
