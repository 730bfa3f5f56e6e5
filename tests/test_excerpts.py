"""Lines by which people tell one text from another."""

import pytest

from app.services.excerpts import LONGEST, first_line, in_one_line

HUMAN_EVAL = "from typing import List\n\n\ndef has_close_elements(numbers: List[float]) -> bool:\n    '''Check.'''\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (HUMAN_EVAL, "def has_close_elements(numbers: List[float]) -> bool:"),
        ("import os\nimport sys", "import os"),
        ("#include <stdio.h>\nint main() {}", "int main() {}"),
        ('"""\nSort a list.\n"""', "Sort a list."),
        ("  \n ", ""),
        ("important things first", "important things first"),
        ("x" * 500, "x" * (LONGEST - 1) + "…"),
    ],
)
def test_the_line_that_tells_something(text: str, line: str) -> None:
    assert first_line(text) == line


def test_a_text_in_one_line() -> None:
    assert in_one_line("import re\nfor a in b:\n    print(a)\n") == "for a in b: print(a)"
    assert in_one_line("import re\n") == "import re"
    assert len(in_one_line("def f():\n" * 99)) == LONGEST
