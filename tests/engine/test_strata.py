"""The order of evaluation, held against reachability by brute force."""

import itertools

from aitia.engine.parser import parse_text
from aitia.engine.strata import check_strata, stratify
from aitia.engine.syntax import Atom, Decl, Not, Program, Rule
from hypothesis import given, settings
from hypothesis import strategies as st

NAMES = [f"r{i}" for i in range(6)]


@st.composite
def programs(draw: st.DrawFn) -> Program:
    edges = draw(st.lists(st.tuples(*[st.sampled_from(NAMES)] * 2, st.booleans()), max_size=12))
    rules = [Rule(Atom(a, ()), (Not(Atom(b, ())) if negated else Atom(b, ()),)) for a, b, negated in edges]
    order = draw(st.permutations(NAMES))
    return Program(decls=tuple(Decl(name, ()) for name in order), rules=tuple(rules))


def reach(program: Program) -> dict[str, set[str]]:
    """For each relation, all it depends on, by Warshall's closure."""
    found: dict[str, set[str]] = {name: set() for name in NAMES}
    for rule in program.rules:
        literal = rule.body[0]
        atom = literal.atom if isinstance(literal, Not) else literal
        assert isinstance(atom, Atom)
        found[rule.head.relation].add(atom.relation)
    for middle in NAMES:
        for name in NAMES:
            if middle in found[name]:
                found[name] |= found[middle]
    return found


@given(programs())
@settings(deadline=None)
def test_strata_are_the_components_in_order(program: Program) -> None:
    needs = reach(program)
    strata = stratify(program)
    place = {name: number for number, stratum in enumerate(strata) for name in stratum}
    assert sorted(place) == NAMES
    for a in NAMES:
        for b in NAMES:
            assert (place[a] == place[b]) == (a == b or (b in needs[a] and a in needs[b]))
            assert b not in needs[a] or place[b] <= place[a]


@given(programs())
@settings(deadline=None)
def test_ties_go_by_declaration(program: Program) -> None:
    needs, order = reach(program), [decl.name for decl in program.decls]
    done: set[str] = set()
    for stratum in stratify(program):
        ready = [n for n in order if n not in done and all(m in done or n in needs[m] for m in needs[n])]
        assert ready[0] in stratum
        assert list(stratum) == [name for name in order if name in stratum]
        done.update(stratum)


@given(programs())
@settings(deadline=None)
def test_a_negated_atom_on_a_cycle_is_told_with_its_cycle(program: Program) -> None:
    needs = reach(program)
    expected = 0
    for rule in program.rules:
        literal = rule.body[0]
        if isinstance(literal, Not) and rule.head.relation in needs[literal.atom.relation] | {
            literal.atom.relation
        }:
            expected += 1
    found = check_strata(program)
    assert len(found) == expected
    for d in found:
        path = [name.strip("!{}") for name in d.message.split(": ")[1].split(" → ")]
        assert path[0] == path[-1] and len(set(path)) == len(path) - 1
        assert all(b in needs[a] for a, b in itertools.pairwise(path))


def test_the_cycle_is_printed_with_every_place() -> None:
    text = "a() :- !b().\nb() :- c().\nc() :- 1 = count : { a() }, d().\n"
    first, second = check_strata(parse_text(text, "t.dl"))
    assert first.code == "E047" and first.message.endswith("a → !b → c → {a}")
    assert [(span.line, what) for span, what in first.related] == [
        (2, "`b` is derived from `c` here"),
        (3, "`c` is derived from `a` here"),
    ]
    assert second.code == "E048" and second.message.endswith("c → {a} → !b → c")


def test_a_long_chain_needs_no_stack() -> None:
    size = 5_000
    chain = [Rule(Atom(f"r{i}", ()), (Atom(f"r{i + 1}", ()),)) for i in range(size)]
    decls = tuple(Decl(f"r{i}", ()) for i in range(size + 1))
    straight = stratify(Program(decls=decls, rules=tuple(chain)))
    assert straight == tuple((f"r{i}",) for i in range(size, -1, -1))
    ring = (*chain, Rule(Atom(f"r{size}", ()), (Not(Atom("r0", ())),)))
    program = Program(decls=decls, rules=ring)
    assert len(stratify(program)) == 1
    assert len(check_strata(program)[0].related) == size
