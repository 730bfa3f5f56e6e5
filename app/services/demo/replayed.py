"""What the replayed system of the models' demo answers: every other problem right, the others broken on purpose."""

import ast
import json
from collections.abc import Sequence

from app.services.benchmarks import BenchmarkRow

FIRST_BROKEN = 1  # the second problem, the fourth, …
NOTHING = "    return None\n"


def replayed_lines(rows: Sequence[BenchmarkRow]) -> bytes:
    """Completions as JSONL: canonical solutions for half of the problems, for the others ``broken`` ones."""
    lines = []
    for place, row in enumerate(rows):
        solution = row.canonical_solution or NOTHING
        text = broken(row.prompt, solution) if place % 2 == FIRST_BROKEN else solution
        lines.append(json.dumps({"task_id": row.key, "completion": text}) + "\n")
    return "".join(lines).encode()


def broken(prompt: str, solution: str) -> str:
    """The solution as it looks, but with every value that it returns forgotten."""
    source = (prompt + solution).encode()
    lines = source.splitlines(keepends=True)
    try:
        found = [each for each in ast.walk(ast.parse(source)) if isinstance(each, ast.Return) and each.value]
    except SyntaxError:
        return NOTHING
    for each in sorted(found, key=lambda each: -each.lineno):
        _forget(lines, each)
    text = b"".join(lines).decode()
    return text[len(prompt) :] if found and text.startswith(prompt) else NOTHING


def _forget(lines: list[bytes], each: ast.Return) -> None:
    """Put ``return None`` in the statement's place. Offsets count bytes, as the parser's do."""
    first, last = each.lineno - 1, (each.end_lineno or each.lineno) - 1
    before, after = lines[first][: each.col_offset], lines[last][each.end_col_offset :]
    lines[first : last + 1] = [before + b"return None" + after]
