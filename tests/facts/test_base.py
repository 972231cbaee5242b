"""The fact base: naming events, joining evidence, refusing what is not declared, frames."""

import random

import pandas
import pytest
from aitia.engine.errors import FactError
from aitia.engine.parser import parse_text
from aitia.facts.base import FactBase, build
from aitia.facts.observation import EVENT, Clock, Coverage, Observation, Place, Reading, Statement, When
from aitia.facts.schema import schema_of

SCHEMA = schema_of(
    parse_text(
        """
        .type Node <: symbol
        .decl schema_version(v: number)
        schema_version(7).
        .decl event(event: symbol, kind: symbol, source: symbol, line: number)
        .decl at(event: symbol, from: number, to: number, clock: symbol)
        .decl on_node(event: symbol, node: Node)
        .decl of_rank(event: symbol, rank: number)
        .decl xid(event: symbol, node: Node, code: number)
        .decl clock(clock: symbol, kind: symbol, error: number)
        .decl source(source: symbol, kind: symbol, status: symbol)
        .decl covers_node(source: symbol, node: Node)
        .decl covers_time(source: symbol, from: number, to: number)
        .decl placement(rank: number, node: Node)
        .decl derived(x: number)
        .input event
        .input at
        .input on_node
        .input of_rank
        .input xid
        .input clock
        .input source
        .input covers_node
        .input covers_time
        .input placement
        """
    )
)


def seen(line: int, code: int, time: int | None = None, source: str = "a/kern.log") -> Observation:
    when = None if time is None else When(time, time + 9, "a")
    facts = (("xid", (EVENT, "a", code)),)
    return Observation("xid", Place(source, line, line * 100, f"Xid {code}"), facts, when, "a")


READING = Reading(
    observations=(seen(1, 45), seen(2, 79, 2000), seen(9, 48, 1000), seen(3, 31, 1000, "b/kern.log")),
    statements=(
        Statement("placement", (0, "a"), Place("job.log", 4, 0, "x")),
        Statement("placement", (0, "a"), Place("job.log", 2, 0, "y")),
    ),
    coverage=(
        Coverage("b/kern.log", "kernel", "ok", lo=5, hi=8, nodes=("b",)),
        Coverage("a/kern.log", "kernel", "ok"),
    ),
    clocks=(Clock("a", "wall", 1000),),
)


def test_events_are_named_in_order_of_time_and_the_untimed_come_last() -> None:
    base = build(SCHEMA, READING)
    assert base.rows["xid"] == (("e1", "a", 48), ("e2", "a", 31), ("e3", "a", 79), ("e4", "a", 45))
    assert base.rows["at"][0] == ("e1", 1000, 1009, "a")
    assert "of_rank" not in base.rows


def test_a_time_on_a_boot_clock_does_not_order_events_of_different_hosts() -> None:
    boot = Observation("xid", Place("a/dmesg", 1, 0, ""), (), When(5, 5, "boot:a"), "a")
    base = build(SCHEMA, Reading(observations=(boot, seen(2, 79, 2000)), clocks=READING.clocks))
    assert [row[0] for row in base.rows["event"] if row[2] == "a/dmesg"] == ["e2"]


def test_equal_facts_are_one_and_their_evidence_joins() -> None:
    base = build(SCHEMA, READING)
    assert base.rows["placement"] == ((0, "a"),)
    assert [p.line for p in base.places("placement", (0, "a"))] == [2, 4]


def test_the_order_of_readings_does_not_matter() -> None:
    rng = random.Random(3)
    expected = build(SCHEMA, READING)
    for _ in range(10):
        shuffled = Reading(
            tuple(rng.sample(READING.observations, 4)),
            tuple(rng.sample(READING.statements, 2)),
            tuple(rng.sample(READING.coverage, 2)),
            READING.clocks,
        )
        assert build(SCHEMA, shuffled) == expected


def test_coverage_and_clocks_become_facts() -> None:
    base = build(SCHEMA, READING)
    assert ("b/kern.log", "kernel", "ok") in base.rows["source"]
    assert base.rows["covers_node"] == (("b/kern.log", "b"),)
    assert base.rows["covers_time"] == (("b/kern.log", 5, 8),)
    assert base.rows["clock"] == (("a", "wall", 1000),)


@pytest.mark.parametrize(
    ("relation", "args", "message"),
    [
        ("xids", ("e", "a", 1), "did you mean `xid`"),
        ("derived", (1,), "no input relation"),
        ("xid", ("e", "a"), "3 columns, not 2"),
        ("xid", ("e", 4, 1), "`xid.node` is a symbol"),
        ("xid", ("e", "a", "79"), "`xid.code` is a 64-bit number"),
        ("xid", ("e", "a", 2**63), "`xid.code` is a 64-bit number"),
        ("xid", ("e", "a", True), "`xid.code` is a 64-bit number"),
    ],
)
def test_what_is_not_declared_is_refused(relation: str, args: tuple[str | int, ...], message: str) -> None:
    reading = Reading(statements=(Statement(relation, args, Place("s", 1, 0, "")),))
    with pytest.raises(FactError, match=message.replace("`", ".")):
        build(SCHEMA, reading)


def test_frames_go_both_ways() -> None:
    base = build(SCHEMA, READING)
    frame = base.frame("xid")
    assert list(frame.columns) == ["event", "node", "code"]
    assert FactBase.from_frames(SCHEMA, {"xid": frame}).rows["xid"] == base.rows["xid"]
    with pytest.raises(FactError, match="no column code"):
        FactBase.from_frames(SCHEMA, {"xid": frame.drop(columns="code")})
    with pytest.raises(FactError, match=r"xid\.code"):
        FactBase.from_frames(
            SCHEMA, {"xid": pandas.DataFrame([("e", "a", 1.5)], columns=["event", "node", "code"])}
        )
    with pytest.raises(FactError, match="no relation"):
        base.frame("nothing")


def test_the_schema_knows_its_version() -> None:
    assert SCHEMA.version == 7
