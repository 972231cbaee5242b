"""The same programs for other engines: SQL by hand for DuckDB, text for clingo and pyDatalog.

Each function takes the facts of a workload and returns the number of rows of every derived relation.
"""

import re
from collections.abc import Callable

from data import Facts, program

Counts = dict[str, int]

CLOSURE_SQL = """
create temp table path as with recursive p(x, y) as (
    select c0, c1 from edge union select p.x, e.c1 from p join edge e on p.y = e.c0
) select * from p
"""

ROOTCAUSE_SQL = {
    "symptom": """select distinct e.c0 x, e.c1 n, e.c2 d, e.c4 t from event e
        semi join symptom_kind k on e.c3 = k.c0 semi join rank r on r.c1 = e.c1 and r.c2 = e.c2""",
    "local": "select distinct e.c1 n, e.c4 t, e.c0 x, e.c3 k from event e semi join local_kind k on e.c3 = k.c0",
    "fabric": """select distinct u.c1 s, e.c4 t, e.c0 x from event e semi join fabric_kind k on e.c3 = k.c0
        join uplink u on u.c0 = e.c1 and u.c2 = e.c2""",
    "candidate": """select s.x, l.x e, l.t from symptom s join local l
        on l.n = s.n and l.t >= s.t - 600000 and l.t <= s.t
        union select s.x, f.x e, f.t from symptom s join uplink u on u.c0 = s.n and u.c2 = s.d join fabric f
        on f.s = u.c1 and f.t >= s.t - 600000 and f.t <= s.t""",
    "step": """select distinct a.x a, b.x b from local a join leads_to c on c.c0 = a.k join local b
        on b.n = a.n and b.k = c.c1 and b.t > a.t and b.t <= a.t + 30000""",
    "chain": """with recursive p(a, b) as (
        select a, b from step union select p.a, s.b from p join step s on p.b = s.a) select * from p""",
    "follows": "select distinct b x from step",
    "origin": """select c.x, c.e, c.t from candidate c anti join follows f on f.x = c.e
        union select c.x, h.a, v.c4 from candidate c join chain h on h.b = c.e
        join event v on v.c0 = h.a anti join follows f on f.x = h.a""",
    "earliest": "select x, min(t) t from origin group by x",
    "verdict": "select distinct o.x, o.e from earliest f join origin o on o.x = f.x and o.t = f.t",
    "explained": "select distinct x from origin",
    "unexplained": "select distinct s.x from symptom s anti join explained e on e.x = s.x",
    "reach": "select e, count(*) k from verdict group by e",
}


def duckdb(workload: str, facts: Facts) -> Callable[[], Counts]:
    """DuckDB with two threads, in memory; the arrays are copied into tables each time."""
    import duckdb as engine

    steps = (
        {"path": CLOSURE_SQL}
        if "edge" in facts
        else {name: f"create temp table {name} as {sql}" for name, sql in ROOTCAUSE_SQL.items()}
    )
    columns = {
        name: {f"c{i}": rows[:, i].copy() for i in range(rows.shape[1])} for name, rows in facts.items()
    }

    def run() -> Counts:
        connection = engine.connect(config={"threads": 2})
        for name, table in columns.items():
            given = table  # noqa: F841  (found by name in the statement)
            connection.execute(f'create temp table "{name}" as select * from given')
        for sql in steps.values():
            connection.execute(sql)
        return {name: connection.execute(f"select count(*) from {name}").fetchall()[0][0] for name in steps}

    return run


def clingo(workload: str, facts: Facts) -> Callable[[], Counts]:
    """clingo's grounder, facts as text."""
    import clingo as engine

    rules = _for_clingo(program(workload))
    derived = _derived(program(workload), facts)

    def run() -> Counts:
        control = engine.Control(["--warn=none"])
        lines = (
            f"{name}({','.join(map(str, row))})." for name, rows in facts.items() for row in rows.tolist()
        )
        control.add("base", [], "\n".join(lines) + rules)
        control.ground([("base", [])])
        atoms = control.symbolic_atoms
        return {name: sum(1 for _ in atoms.by_signature(name, arity)) for name, arity in derived.items()}

    return run


def _derived(text: str, facts: Facts) -> dict[str, int]:
    declared = re.findall(r"\.decl (\w+)\(([^)]*)\)", text)
    return {name: params.count(":") for name, params in declared if name not in facts}


def _for_clingo(text: str) -> str:
    """Our rules as clingo reads them: capital variables, ``not``, and its form of aggregates."""
    text = re.sub(r"(?m)^\.decl.*$|//.*$", "", text)
    text = re.sub(r"\b([a-z])\b", lambda m: m.group(1).upper(), text)
    text = re.sub(r"= min (\w) : \{ (.*?) \}", r"= #min { \1 : \2 }", text)
    text = re.sub(r"K = count : \{ verdict\(_, (\w)\) \}", r"K = #count { C : verdict(C, \1) }", text)
    return text.replace("!", "not ")


PYDATALOG = [
    ("symptom", 4, "({h}(X,N,D,T) <= p_event(X,N,D,K,T) & p_symptom_kind(K) & p_rank(R,N,D))"),
    ("local", 4, "({h}(N,T,X,K) <= p_event(X,N,D,K,T) & p_local_kind(K))"),
    ("fabric", 3, "({h}(S,T,X) <= p_event(X,N,D,K,T) & p_fabric_kind(K) & p_uplink(N,S,D))"),
    (
        "candidate",
        3,
        "({h}(X,E,T) <= p_symptom(X,N,D,U) & p_local(N,T,E,K) & (T >= U-600000) & (T <= U))\n"
        "({h}(X,E,T) <= p_symptom(X,N,D,U) & p_uplink(N,S,D) & p_fabric(S,T,E) & (T >= U-600000) & (T <= U))",
    ),
    (
        "step",
        2,
        "({h}(A,B) <= p_local(N,T,A,K) & p_leads_to(K,L) & p_local(N,U,B,L) & (U > T) & (U <= T+30000))",
    ),
    ("chain", 2, "({h}(A,B) <= p_step(A,B))\n({h}(A,C) <= {h}(A,B) & p_step(B,C))"),
    ("follows", 1, "({h}(B) <= p_step(A,B))"),
    (
        "origin",
        3,
        "({h}(X,E,T) <= p_candidate(X,E,T) & ~p_follows(E))\n"
        "({h}(X,A,T) <= p_candidate(X,E,U) & p_chain(A,E) & ~p_follows(A) & p_event(A,N,D,K,T))",
    ),
    ("earliest", 2, "(least[X] == min_(U, order_by=U)) <= p_origin(X,E,U)\n({h}(X,T) <= (least[X] == T))"),
    ("verdict", 2, "({h}(X,E) <= p_earliest(X,T) & p_origin(X,E,T))"),
    ("explained", 1, "({h}(X) <= p_origin(X,E,T))"),
    ("unexplained", 1, "({h}(X) <= p_symptom(X,N,D,T) & ~p_explained(X))"),
    ("reach", 2, "(many[E] == len_(X)) <= p_verdict(X,E)\n({h}(E,K) <= (many[E] == K))"),
]


def pydatalog(workload: str, facts: Facts) -> Callable[[], Counts]:
    """pyDatalog one stratum at a time, each answer asserted as facts for the next."""
    from pyDatalog import Logic, pyDatalog

    def run() -> Counts:
        Logic()
        arities = {name: rows.shape[1] for name, rows in facts.items()} | {n: a for n, a, _ in PYDATALOG}
        for name, arity in arities.items():
            pyDatalog.assert_fact(f"p_{name}", *[0] * arity)
            pyDatalog.retract_fact(f"p_{name}", *[0] * arity)
        for name, rows in facts.items():
            for row in rows.tolist():
                pyDatalog.assert_fact(f"p_{name}", *row)
        counts: Counts = {}
        for name, arity, rules in PYDATALOG:
            pyDatalog.load(rules.format(h=f"d_{name}"))
            answer = pyDatalog.ask(f"d_{name}({','.join(f'X{i}' for i in range(arity))})")
            found = set() if answer is None else set(answer.answers)
            counts[name] = len(found)
            for row in found:
                pyDatalog.assert_fact(f"p_{name}", *row)
        return counts

    return run
