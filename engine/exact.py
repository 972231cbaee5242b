"""Terms computed one at a time in Python integers, for what must not depend on the columnar evaluator.

The invariant: a term has a value, or None where the language gives it none (overflow of 64 bits, division by
zero, a shift outside 0…63).
"""

from collections.abc import Iterable, Mapping

from .syntax import Aggregate, Atom, Call, Compare, Const, Literal, Not, Term, Var

Value = str | int
Bindings = Mapping[str, Value]


def names(terms: Iterable[Term]) -> set[str]:
    """The variables in some terms."""
    found: set[str] = set()
    for term in terms:
        if isinstance(term, Var):
            found.add(term.name)
        elif isinstance(term, Call):
            found |= names(term.args)
    return found


def outer_names(body: Iterable[Literal]) -> set[str]:
    """The variables of a body that its rule sees: those inside aggregates only are left out."""
    found: set[str] = set()
    for literal in body:
        match literal:
            case Atom(args=args) | Not(Atom(args=args)):
                found |= names(args)
            case Compare(left=left, right=right):
                found |= names((left, right))
            case Aggregate(result=result):
                found |= names((result,))
    return found


def inner_names(aggregate: Aggregate) -> set[str]:
    """All variables of an aggregate's body and target."""
    found = outer_names(aggregate.body) | names(() if aggregate.target is None else (aggregate.target,))
    for literal in aggregate.body:
        if isinstance(literal, Aggregate):
            found |= inner_names(literal)
    return found


def value_of(term: Term, bindings: Bindings) -> Value | None:
    """The value of a term, None if it has none. KeyError for a variable that is not bound."""
    match term:
        case Const(value):
            return value
        case Var(name):
            return bindings[name]
        case Call(op, args):
            values = [value_of(a, bindings) for a in args]
            numbers = [v for v in values if isinstance(v, int)]
            return _calculate(op, numbers) if len(numbers) == len(args) else None
    raise KeyError("_")


def _calculate(op: str, args: list[int]) -> int | None:
    if op == "neg":
        return _fitting(-args[0])
    a, b = args
    match op:
        case "+":
            return _fitting(a + b)
        case "-":
            return _fitting(a - b)
        case "*":
            return _fitting(a * b)
        case "/" | "%" if b == 0:
            return None
        case "/":
            return _fitting(_quotient(a, b))
        case "%":
            return a - b * _quotient(a, b)
        case "bshl" | "bshr" if not 0 <= b <= 63:
            return None
        case "bshl":
            return (((a << b) + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)
        case "bshr":
            return a >> b
        case "band":
            return a & b
        case "bor":
            return a | b
        case "bxor":
            return a ^ b
        case _:
            return min(a, b) if op == "min" else max(a, b)


def _quotient(a: int, b: int) -> int:
    """Division truncated toward zero."""
    whole = abs(a) // abs(b)
    return whole if (a < 0) == (b < 0) else -whole


def _fitting(value: int) -> int | None:
    return value if -(1 << 63) <= value < 1 << 63 else None


def holds(op: str, left: Value, right: Value) -> bool:
    """A comparison of two values of one type; symbols compare by text."""
    match op:
        case "=":
            return left == right
        case "!=":
            return left != right
        case "<" | ">=":
            less = left < right  # type: ignore[operator]
            return less == (op == "<")
        case _:
            more = left > right  # type: ignore[operator]
            return more == (op == ">")


def aggregate(kind: str, values: list[Value]) -> Value | None:
    """``count``, ``sum``, ``min`` or ``max`` of the values of a group; None if it has none."""
    match kind:
        case "count":
            return len(values)
        case "sum":
            return _fitting(sum(v for v in values if isinstance(v, int)))
        case _ if not values:
            return None
        case "min":
            return min(values)
        case _:
            return max(values)
