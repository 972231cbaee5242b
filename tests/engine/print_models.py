"""Print the models and proofs of some random programs; run under several hash seeds by a test."""

import sys
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent))

from aitia.engine import check, parse_text
from aitia.engine.evaluate import evaluate
from aitia.engine.proof import Derived, walk
from aitia.engine.why import derivations, why
from random_programs import random_program


def main() -> None:
    for seed in range(25):
        text, facts = random_program(Random(seed))
        model = evaluate(check(parse_text(text, "p.dl")), facts)
        for name in sorted(model.relations):
            for row in model.rows(name):
                sys.stdout.write(f"{name} {row} {model.level(name, row)}\n")
                for node in walk(why(model, name, row)):
                    bindings = sorted(node.bindings.items()) if isinstance(node, Derived) else ""
                    sys.stdout.write(f"  {node!r} {bindings}\n")
                for step in derivations(model, name, row, 5):
                    sys.stdout.write(f"  | {step!r} {step.premises!r}\n")
        sys.stdout.write("".join(f"{warning}\n" for warning in model.warnings))


main()
