"""Which tests show which faults: as the markers in the code say, and as docs/faults.md says."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from app.config import PROJECT_ROOT

PAGE = PROJECT_ROOT / "docs" / "faults.md"
ALL = [f"F{number:02}" for number in range(1, 44)]
ROW = re.compile(r"^\| (F\d\d) \| (.+?) \| (.+?) \|$", re.MULTILINE)
FILE = re.compile(r"`(tests/\S+?\.py)`")


def marked() -> tuple[dict[str, set[str]], set[str]]:
    """The files that show each fault; and the faults that `make test` meets, too."""
    files: dict[str, set[str]] = defaultdict(set)
    quick: set[str] = set()
    for path in sorted((PROJECT_ROOT / "tests").rglob("test_*.py")):
        for numbers, is_drill in _tests(path):
            for number in numbers:
                files[number].add(path.relative_to(PROJECT_ROOT).as_posix())
            quick |= set() if is_drill else numbers
    return dict(files), quick


def _tests(path: Path) -> Iterator[tuple[set[str], bool]]:
    """Of each test in a file: its faults, and whether it is a drill."""
    tree = ast.parse(path.read_text())
    of_all = [mark for node in tree.body if _is_pytestmark(node) for mark in ast.walk(node)]
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            marks = [*of_all, *node.decorator_list]
            yield _faults(marks), any(ast.unparse(each) == "pytest.mark.drill" for each in marks)


def _is_pytestmark(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"


def _faults(marks: list[ast.AST]) -> set[str]:
    calls = [each for each in marks if isinstance(each, ast.Call) and ast.unparse(each.func) == "pytest.mark.fault"]
    return {ast.literal_eval(argument) for call in calls for argument in call.args}


def told() -> dict[str, tuple[str, set[str]]]:
    """Of each row of the page: the words of its last column, and the files in it."""
    return {number: (where, set(FILE.findall(where))) for number, _, where in ROW.findall(PAGE.read_text())}
