"""What the tests of a data set take from its prompts."""

import ast
import re
import warnings


def helpers_of(prompt: str, entry_point: str | None) -> str:
    """What tests may need of a prompt: its imports and functions before the one that is asked for.

    That is the longest run of its first lines, up to the definition of ``entry_point``, that is whole Python: a
    prompt itself often is not, when it ends in a head without a body or in half a solution. What can't be
    run would fail every program.
    """
    lines = prompt[: _begin_of(entry_point, prompt)].splitlines(keepends=True)
    while lines and not _is_python("".join(lines)):
        lines.pop()
    return "".join(lines)


def _begin_of(entry_point: str | None, prompt: str) -> int:
    if entry_point is None:
        return len(prompt)
    definition = re.search(rf"^(?:async\s+def|def|class)\s+{re.escape(entry_point)}\b", prompt, re.MULTILINE)
    return definition.start() if definition else len(prompt)


def _is_python(source: str) -> bool:
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
