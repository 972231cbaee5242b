"""Whatever a folder holds, reading it ends, in bounded memory, with a reading or a clear InputError."""

import bz2
import gzip
import lzma
import os
import random
import socket
import tracemalloc
from pathlib import Path

import pytest
from aitia.connectors import look, streams
from aitia.connectors.hostlist import HostlistError, expand
from aitia.connectors.read import read_incident
from aitia.engine.errors import InputError
from aitia.facts.observation import TEXT_LIMIT, Coverage, Reading
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

PACKS = (Path(__file__).parents[2] / "programs" / "training" / "patterns",)
XID79 = b"NVRM: Xid (PCI:0000:c1:00): 79, GPU has fallen off the bus."


def xz(data: bytes) -> bytes:
    return lzma.compress(data, preset=0)


def read(*paths: Path) -> Reading:
    return read_incident(paths, packs=PACKS)


def alone(path: Path) -> Coverage:
    (shown,) = read(path).coverage
    return shown


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere"):
        read(tmp_path, tmp_path / "nowhere")
    with pytest.raises(InputError):
        read()


def test_an_empty_folder_reads_as_nothing(tmp_path: Path) -> None:
    assert read(tmp_path) == Reading()


@pytest.mark.parametrize(
    "content", [b"", b" \n\n\t\n", b"\0\0\n", gzip.compress(b"")], ids=("nothing", "blank", "zeros", "gzip")
)
def test_nothing_in_a_file_is_empty(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(content)
    assert alone(tmp_path / "a").status == "empty"


def test_hidden_files_are_let_alone(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x.log").write_bytes(XID79)
    (tmp_path / ".y.log").write_bytes(XID79)
    assert read(tmp_path) == Reading()


@pytest.mark.parametrize(
    "content, why",
    [
        (random.Random(1).randbytes(100_000), "binary"),
        (b"\x7fELF" + b"\0" * 500, "binary"),
        (b"PK\x03\x04" + b"x" * 100, "archives are not read yet"),
        (b"\x28\xb5\x2f\xfd" + b"x" * 100, "archives are not read yet"),
        (b"a" * 257 + b"ustar" + b"b" * 300, "archives are not read yet"),
        (gzip.compress(b"a" * 257 + b"ustar" + b"b" * 300), "archives are not read yet"),
    ],
    ids=("random", "elf", "zip", "zstd", "tar", "tar.gz"),
)
def test_what_is_no_text_fails_with_a_reason(content: bytes, why: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(content)
    shown = alone(tmp_path / "a")
    assert (shown.status, shown.kind) == ("failed", "unknown")
    assert why in (shown.reason or "")


def test_things_that_are_no_files_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as bound:
        here = Path.cwd()
        os.chdir(tmp_path)
        try:
            bound.bind("sock")
        finally:
            os.chdir(here)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "out").symlink_to("/etc/hostname")
    (tmp_path / "gone").symlink_to(tmp_path / "none")
    (tmp_path / "up").symlink_to(tmp_path.parent)
    (tmp_path / "k.log").write_bytes(XID79)
    (tmp_path / "same.log").symlink_to(tmp_path / "k.log")
    (tmp_path / "self").symlink_to(tmp_path)
    reading = read(tmp_path)
    reasons = {c.source: (c.status, (c.reason or "").split(";")[0].split(",")[0]) for c in reading.coverage}
    assert reasons == {
        "pipe": ("failed", "a pipe"),
        "sock": ("failed", "a socket"),
        "loop": ("failed", "a symbolic link that leads nowhere"),
        "gone": ("failed", "a symbolic link that leads nowhere"),
        "out": ("failed", "a symbolic link out of the folder"),
        "up": ("failed", "a symbolic link out of the folder"),
        "k.log": ("ok", ""),
    }
    assert len(reading.observations) == 1


def test_an_unreadable_file_fails_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(XID79)
    (tmp_path / "b.log").write_bytes(XID79)
    (tmp_path / "a.log").chmod(0)
    if os.access(tmp_path / "a.log", os.R_OK):
        pytest.skip("this user may read everything")
    first, second = read(tmp_path).coverage
    assert (first.status, second.status) == ("failed", "ok")


def test_a_file_that_vanishes_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.log").write_bytes(XID79)
    (tmp_path / "b.log").write_bytes(XID79)
    real = Path.open

    def vanish(self: Path, *args: object, **kwargs: object) -> object:
        if self.name == "a.log":
            raise FileNotFoundError(2, "No such file or directory")
        return real(self, *args, **kwargs)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", vanish)
    first, second = read(tmp_path).coverage
    assert (first.status, second.status) == ("failed", "ok")
    assert "No such file" in (first.reason or "")


@pytest.mark.parametrize("lead", [b"", b"x" * 70_000 + b"\n", b"\r"])
@pytest.mark.parametrize("tail", [b"", b"\n", b"\r\n", b"\0\n"])
def test_the_last_line_counts_however_it_ends(lead: bytes, tail: bytes, tmp_path: Path) -> None:
    (tmp_path / "k.log").write_bytes(lead + XID79 + tail)
    reading = read(tmp_path)
    (seen,) = reading.observations
    assert seen.place.line == 1 + lead.count(b"\n")
    assert seen.place.offset == len(lead)
    assert seen.place.text.startswith(XID79.decode())
    assert reading.coverage[0].records == 1 + lead.count(b"\n")


def test_lines_that_cross_blocks_are_found_once(tmp_path: Path) -> None:
    filler = b"nothing to see on this line at all\n"
    path = tmp_path / "k.log"
    for shift in (0, 1, 20, len(XID79) - 1, len(XID79), len(XID79) + 1):
        head = (filler * (streams.BLOCK // len(filler) + 1))[: streams.BLOCK - shift - 1] + b"\n"
        path.write_bytes(head + XID79 + b"\n" + filler * 3)
        (seen,) = read(tmp_path).observations
        assert (seen.place.offset, seen.place.line) == (len(head), head.count(b"\n") + 1)


@pytest.mark.parametrize("at", [0, 25_000_000, None])
def test_a_line_of_fifty_megabytes(at: int | None, tmp_path: Path) -> None:
    path = tmp_path / "k.log"
    size = 50_000_000
    with path.open("wb") as file:
        for start in range(0, size, 1_000_000):
            file.write((XID79 if at == start else b"") + b"x " * 500_000)
        file.write(b"\n" + XID79 + b"\n")
    tracemalloc.start()
    reading = read(tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 24 << 20
    lines = [o.place.line for o in reading.observations]
    assert lines == ([1, 2] if at == 0 else [2])
    assert all(len(o.place.text) <= TEXT_LIMIT for o in reading.observations)
    assert reading.coverage[0].unparsed == (1 if at else 0)
    assert reading.coverage[0].records == 2


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, xz])
def test_compressed_files_read_like_plain_ones(pack, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    text = random.Random(3).randbytes(1 << 20).hex().encode() + b"\n" + XID79 + b"\n"
    (tmp_path / "plain").write_bytes(text)
    (tmp_path / "packed").write_bytes(pack(text[:1000]) + pack(text[1000:]))
    first, second = read(tmp_path).observations
    assert (first.place.line, first.place.offset) == (second.place.line, second.place.offset)
    assert {c.status for c in read(tmp_path).coverage} == {"ok"}


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, xz])
@pytest.mark.parametrize("harm", ["cut", "garbage", "flip"])
def test_damaged_compression_keeps_what_was_read(pack, harm: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    noise = random.Random(3).randbytes(800_000).hex().encode()
    data = pack(XID79 + b"\n" + noise)
    match harm:
        case "cut":
            data = data[:-100]
        case "garbage":
            data = data + b"garbage"
        case _:
            middle = len(data) * 3 // 4
            data = data[:middle] + bytes(255 - b for b in data[middle : middle + 64]) + data[middle + 64 :]
    (tmp_path / "k.log").write_bytes(data)
    reading = read(tmp_path)
    assert reading.coverage[0].status == "partial"
    assert "compressed data" in (reading.coverage[0].reason or "")
    assert len(reading.observations) == 1


def test_a_bomb_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "FREE_OUTPUT", 4 << 20)
    (tmp_path / "k.log").write_bytes(gzip.compress(XID79 + b"\n" + b"a\n" * (20 << 20)))
    reading = read(tmp_path)
    assert reading.coverage[0].status == "partial"
    assert "fold" in (reading.coverage[0].reason or "")
    assert len(reading.observations) == 1


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-8-sig", "latin-1"])
def test_foreign_encodings(encoding: str, tmp_path: Path) -> None:
    mark = "\ufeff" if encoding.startswith("utf-16") else ""
    (tmp_path / "k.log").write_bytes((mark + XID79.decode() + " é\nKeyError: 'é'\n").encode(encoding))
    found = read(tmp_path).observations
    assert [o.kind for o in found] == ["xid", "exception"]
    assert found[1].place.text == "KeyError: 'é'"


def test_nuls_and_invalid_utf8_within_a_log(tmp_path: Path) -> None:
    (tmp_path / "k.log").write_bytes(b"ok\n" + b"\0" * 3 + b"KeyError: '\xff\xfe'\nplain\n" * 10)
    (tmp_path / "hole.log").write_bytes(b"plain text\n" * 9000 + b"\0" * 300_000 + b"\n" + XID79)
    reading = read(tmp_path)
    assert {c.status for c in reading.coverage} == {"ok"}
    assert [o.kind for o in reading.observations] == ["xid"] + ["exception"] * 10


def test_observations_of_one_pattern_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(look, "OBSERVATION_LIMIT", 50)
    (tmp_path / "k.log").write_bytes((XID79 + b"\n") * 75 + b"KeyError: 'x'\n")
    reading = read(tmp_path)
    assert len(reading.observations) == 51
    assert reading.coverage[0].status == "partial"
    assert reading.coverage[0].reason == "more than 50 lines of `xid`; later ones were not kept"


@pytest.mark.parametrize(
    "content",
    [
        b"JobID|State\n" + b"|||\n" * 50 + b"x|FAILED\n" + b"1|" * 3 + b"\n\xff|\n",
        b"JobID|State|Start|End|ExitCode|NodeList\n9|FAILED|99999999999|0000-00-00T99:99:99|9999999999:1|n[5-\n",
        b"JobID|State\n" + b"9" * 5000 + b"|FAILED\n",
        b"State|JobID",
        b'{"jobs": [1, null, {"job_id": ' + b"9" * 60 + b'}, {"job_id": {"set": true}}], "job_id": 1}',
        b'{"jobs": [{"job_id": ' + b"9" * 5000 + b"}]}",
        b'{"jobs": [{"job_id": 1, "time": 3, "exit_code": [], "state": 7, "nodes": {}}]}',
        b'{"jobs": [{"job_id": 1,',
        b'{"job_id": 1, "jobs": ' + b"[" * 200_000,
        b'{"job_id": 1, "jobs": {}}',
        b'{"job_id": NaN, "jobs": [{"job_id": Infinity}]}',
    ],
)
def test_accounting_garbage(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "acct").write_bytes(content)
    reading = read(tmp_path)
    assert len(reading.coverage) == 1
    assert all(isinstance(a, str) or -(2**63) <= a < 2**63 for s in reading.statements for a in s.args)


@pytest.mark.parametrize(
    "text",
    ["n[1-999999999]", "n[1-9,1-9999]x[1-100]", "n[", "n]", "n[[1]]", "n[a]", "n[2-1]", "a b", "n[1-2", "[]"],
)
def test_hostlists_that_are_none(text: str) -> None:
    with pytest.raises(HostlistError):
        expand(text)


def test_hostlists() -> None:
    assert expand("gpu[001-003,010],cpu[1-2]-ib[0-1],x") == (
        *("gpu001", "gpu002", "gpu003", "gpu010"),
        *("cpu1-ib0", "cpu1-ib1", "cpu2-ib0", "cpu2-ib1"),
        "x",
    )
    assert expand("n[8-11]") == ("n8", "n9", "n10", "n11")
    assert len(expand("n[1-65536]")) == 65536


@pytest.mark.parametrize(
    "line",
    [
        "[99999999999999999999.123456] ",
        "[9999999999.123456] ",
        "0000-00-00T00:00:00Z node-a kernel: ",
        "9999-12-31T23:59:59.999999999Z node-a kernel: ",
        "1969-12-31T23:59:59Z node-a kernel: ",
        "Feb 30 25:61:61 node-a kernel: ",
        "Foo 12 03:04:05 node-a kernel: ",
        "[Thu Foo 10 03:06:53 2024] ",
        "2016-12-31T23:59:60Z node-a kernel: ",
    ],
)
def test_absurd_times(line: str, tmp_path: Path) -> None:
    (tmp_path / "k.log").write_bytes(line.encode() + XID79)
    for seen in read(tmp_path).observations:
        assert seen.when is None or -(2**63) <= seen.when.lo <= seen.when.hi < 2**63


def test_numbers_beyond_64_bits_leave_the_record_out(tmp_path: Path) -> None:
    big = "9" * 40
    lines = [
        f"NVRM: Xid (PCI:0000:c1:00): {big}, x",
        f"RuntimeError: DataLoader worker (pid {big}) is killed by signal: Killed.",
        f"CUDA out of memory. Tried to allocate 4.5 GiB. GPU {big} has",
        f"Sending process {big} closing signal SIGTERM",
        f"[rank{big}]: KeyError: 'x'",
        f"node-a:{big}:1 [0] x.cc:1 NCCL WARN y",
    ]
    (tmp_path / "job.log").write_text("\n".join(lines))
    for seen in read(tmp_path).observations:
        for _, args in seen.facts:
            assert all(isinstance(a, str) or -(2**63) <= a < 2**63 for a in args)
        assert seen.rank is None


SEEDS = [
    XID79,
    b"[rank1]:[E321 02:07:08.408271257 ProcessGroupNCCL.cpp:607] [Rank 1] Watchdog caught collective operation timeout",
    b"JobID|State|NodeList|Start\n1|FAILED|n[1-3]|2026-01-01T00:00:00\n",
    b'{"jobs": [{"job_id": 1, "state": {"current": ["FAILED"]}}]}',
    gzip.compress(XID79 + b"\n" + XID79),
    b"\xff\xfeN\0V\0",
    b"slurmstepd: error: *** STEP 9.0 ON gpu01 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***\n",
]
PIECES = st.one_of(
    st.binary(max_size=200), st.sampled_from(SEEDS), st.sampled_from([b"\n", b"\r", b"\0", b"|"])
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.lists(PIECES, max_size=12).map(b"".join),
    name=st.sampled_from(["a.log", "incident.yaml", "gpu1.gz"]),
)
def test_no_bytes_raise(content: bytes, name: str, tmp_path: Path) -> None:
    (folder := tmp_path / "case").mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    (folder / name).write_bytes(content)
    try:
        reading = read(folder)
    except InputError:
        assert name == "incident.yaml"
        return
    assert reading == read(folder)
    assert len(reading.coverage) == (name != "incident.yaml")


def test_foreign_file_names(tmp_path: Path) -> None:
    for name in (b"\xff\xfe.log", b"a\nb.log", b"c\x1b[31m.log"):
        (tmp_path / os.fsdecode(name)).write_bytes(XID79)
    sources = [c.source for c in read(tmp_path).coverage]
    assert sources == ["\\xff\\xfe.log", "a\\nb.log", "c\\x1b[31m.log"]


def test_without_a_dated_line_the_files_age_tells_the_year(tmp_path: Path) -> None:
    (tmp_path / "k.log").write_bytes(b"Dec 31 23:00:00 node-a kernel: " + XID79)
    os.utime(tmp_path / "k.log", (1704153600, 1704153600))
    (seen,) = read(tmp_path).observations
    assert seen.when is not None
    assert seen.when.lo == 1704063600 * 10**9
