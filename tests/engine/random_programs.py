"""Random stratified programs over random facts, for comparing evaluators.

Programs are built in layers, so negation and aggregates look down only, and every variable that needs a
binding has one. They use recursion, constants, repeated variables, wildcards, comparisons, arithmetic that
may fail, aggregates with and without a group, and bodies in any order.
"""

from dataclasses import dataclass, field
from random import Random

WORDS = {"s": "symbol", "n": "number"}
BASE = {"e": "nn", "f": "nsn", "s": "s", "n": "n", "z": ""}
NUMBERS = ("x", "y", "u", "v")
SYMBOLS = ("p", "q")
TEXTS = ("a", "b", "ä", "")
EXTREME = (2**63 - 1, -(2**63), 1_800_000_000_000_000_000)
Facts = dict[str, list[tuple[str | int, ...]]]


@dataclass
class Writer:
    """Writes one program; ``kinds`` maps a relation to a letter (n or s) for each column."""

    random: Random
    kinds: dict[str, str] = field(default_factory=lambda: dict(BASE))
    lines: list[str] = field(default_factory=list)

    def constant(self, kind: str) -> str:
        if kind == "s":
            return f'"{self.random.choice(TEXTS)}"'
        return str(self.random.choice((0, 0, 1, 1, 2, -1)))

    def argument(self, kind: str) -> str:
        roll = self.random.random()
        if roll < 0.15:
            return "_"
        if roll < 0.19:
            return self.constant(kind)
        return self.random.choice(NUMBERS if kind == "n" else SYMBOLS)

    def atom(self, relation: str) -> tuple[str, set[str]]:
        args = [self.argument(kind) for kind in self.kinds[relation]]
        return f"{relation}({', '.join(args)})", {a for a in args if a in NUMBERS or a in SYMBOLS}

    def number(self, bound: set[str]) -> str:
        known = sorted(v for v in bound if v in NUMBERS)
        return self.random.choice(known) if known and self.random.random() < 0.8 else self.constant("n")

    def expression(self, bound: set[str]) -> str:
        op = self.random.choice(
            ("+", "-", "*", "/", "%", "band", "bor", "bxor", "bshl", "bshr", "min", "max", "neg")
        )
        a, b = self.number(bound), self.number(bound)
        if op in ("min", "max"):
            return f"{op}({a}, {b})"
        if op == "neg":
            return f"-({a})"
        return f"({a} {op} {b})"

    def side(self, lower: list[str], bound: set[str]) -> tuple[str, set[str]]:
        """A literal that restricts or extends a body whose atoms bind ``bound``."""
        kind = self.random.choice(("not", "compare", "symbols", "assign", "fold", "fold"))
        free = [v for v in NUMBERS if v not in bound]
        if kind == "not":
            relation = self.random.choice(lower)
            args = [self.negated(k, bound) for k in self.kinds[relation]]
            return f"!{relation}({', '.join(args)})", set()
        if kind == "symbols":
            known = sorted(v for v in bound if v in SYMBOLS)
            if known:
                other = self.random.choice([*known, self.constant("s")])
                return (
                    f"{self.random.choice(known)} {self.random.choice(('<', '!=', '=', '>='))} {other}",
                    set(),
                )
        if kind == "assign" and free:
            return f"{free[0]} = {self.expression(bound)}", {free[0]}
        if kind == "fold" and free:
            return self.fold(lower, bound, free[0]), {free[0]}
        op = self.random.choice(("=", "!=", "<", "<=", ">", ">="))
        return f"{self.number(bound)} {op} {self.expression(bound)}", set()

    def negated(self, kind: str, bound: set[str]) -> str:
        known = sorted(v for v in bound if v in (NUMBERS if kind == "n" else SYMBOLS))
        roll = self.random.random()
        if known and roll < 0.6:
            return self.random.choice(known)
        return "_" if roll < 0.8 else self.constant(kind)

    def fold(self, lower: list[str], bound: set[str], result: str) -> str:
        relation = self.random.choice([r for r in lower if self.kinds[r]])
        args, own = [], []
        for kind in self.kinds[relation]:
            known = sorted(v for v in bound if v in (NUMBERS if kind == "n" else SYMBOLS))
            if known and self.random.random() < 0.5:
                args.append(self.random.choice(known))
            elif self.random.random() < 0.3:
                args.append("_")
            else:
                args.append(self.random.choice(("k", "m")) if kind == "n" else "t")
                own.append(args[-1])
        body = [f"{relation}({', '.join(args)})"]
        targets = sorted(v for v in own if v in ("k", "m"))
        if targets and self.random.random() < 0.4:
            body.append(f"{targets[0]} {self.random.choice(('<', '>=', '!='))} {self.number(bound)}")
        if targets and self.random.random() < 0.3:
            body.append(f"e({targets[0]}, _)")
        if targets and self.random.random() < 0.2:
            body.append(f"!n({targets[0]})")
        self.random.shuffle(body)
        kind = self.random.choice(("count", "min", "max", "sum"))
        if kind == "count" or not targets:
            return f"{result} = count : {{ {', '.join(body)} }}"
        target = (
            targets[0]
            if self.random.random() < 0.7
            else f"{targets[0]} {self.random.choice('*/-')} {targets[-1]}"
        )
        return f"{result} = {kind} {target} : {{ {', '.join(body)} }}"

    def rule(self, head: str, lower: list[str], peers: list[str]) -> None:
        body, bound = [], set[str]()
        recursive = bool(peers) and self.random.random() < 0.5
        for place in range(self.random.choice((1, 1, 2, 2, 2, 3))):
            pool = peers if recursive and not place else [*lower, *(peers if recursive else ())]
            text, names = self.atom(self.random.choice(pool))
            body.append(text)
            bound |= names
        for _ in range(self.random.choice((0, 0, 0, 1, 1, 2))):
            text, names = self.side(lower, bound)
            if not (recursive and names):
                body.append(text)
                bound |= names
        self.random.shuffle(body)
        args = [self.head_argument(kind, bound, recursive) for kind in self.kinds[head]]
        self.lines.append(f"{head}({', '.join(args)}) :- {', '.join(body)}.")

    def head_argument(self, kind: str, bound: set[str], recursive: bool) -> str:
        known = sorted(v for v in bound if v in (NUMBERS if kind == "n" else SYMBOLS))
        if kind == "n" and known and self.random.random() < 0.12:
            return f"({self.expression(bound)}) % 5" if recursive else self.expression(bound)
        return self.random.choice(known) if known and self.random.random() < 0.9 else self.constant(kind)


def random_program(random: Random) -> tuple[str, Facts]:
    """The text of a program and its facts."""
    writer = Writer(random)
    lower = list(BASE)
    for layer in range(random.randint(1, 3)):
        peers = [f"d{layer}{i}" for i in range(random.randint(1, 2))]
        for name in peers:
            writer.kinds[name] = random.choice(("n", "nn", "nn", "nn", "nnn", "sn", "s", ""))
        for name in peers:
            for _ in range(random.randint(2, 4)):
                writer.rule(name, lower, peers)
        lower += peers
    decls = [
        f".decl {name}({', '.join(f'c{i}: {WORDS[k]}' for i, k in enumerate(kinds))})"
        for name, kinds in writer.kinds.items()
    ]
    rules = writer.lines
    random.shuffle(rules)
    return "\n".join([*decls, *rules]), _facts(random, writer.kinds)


def _facts(random: Random, kinds: dict[str, str]) -> Facts:
    facts: Facts = {}
    numbers = [0, 1, 2, 0, 1, 2, 3, random.choice((4, -1, *EXTREME))]
    for name, columns in kinds.items():
        if name not in BASE and random.random() < 0.7:
            continue
        count = random.randint(1, 9) if name in BASE else random.randint(0, 2)
        facts[name] = [
            tuple(random.choice(numbers) if k == "n" else random.choice(TEXTS) for k in columns)
            for _ in range(count)
        ]
    return facts
