"""Programs for tests of code metrics: the 164 solutions of HumanEval, and text that is hard on a parser."""

import json
from functools import cache

from tests.shared_data import shared_data

HARD_TEXTS = {
    "empty": "",
    "blank": " \n\t\n",
    "comment": "# nothing here",
    "nul": "x = 1\0\n",
    "lone surrogate": "x = '\ud800'",
    "byte order mark": "\ufeffx = 1",
    "python 2": "print 'x'",
    "open string": "'''abc",
    "closing brackets": ")]}",
    "bad escape": "re.match('\\d', x)",
    "bad unicode escape": "'\\N{no such name}'",
    "is literal": "x is 1",
    "deep brackets": "(" * 5_000 + ")" * 5_000,
    "deep lists": "[" * 90 + "]" * 90,
    "deep operators": "-" * 50_000 + "1",
    "long sum": "+".join(["x"] * 20_000),
    "long chain": "x" + ".a" * 20_000,
    "deep blocks": "".join(f"{' ' * depth}if x:\n" for depth in range(99)) + " " * 99 + "pass",
    "deep loops": "".join(f"{' ' * depth}for x in y:\n" for depth in range(99)) + " " * 99 + "x",
    "huge integer": "9" * 10_000,
    "form feed": "if x:\n\f    y\n",
    "carriage returns": "x = 1\ry = 2\r\n",
    "await": "await x",
    "nonlocal": "nonlocal x",
    "star": "*x, = y",
    "match": "match x:\n    case {'a': [b, *c], **d}:\n        pass\n    case Point(x=0) as p:\n        p\n",
    "walrus": "[y := f(x), [z := y for y in range(3)]]",
    "try star": "try:\n    pass\nexcept* ValueError as e:\n    e\nelse:\n    x\nfinally:\n    y\n",
    "type alias": "type X = int",
}


@cache
def humaneval_programs() -> tuple[str, ...]:
    """Prompt and canonical solution of each HumanEval problem, in order."""
    lines = shared_data("humaneval", "HumanEval.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return tuple(row["prompt"] + row["canonical_solution"] for row in rows)
