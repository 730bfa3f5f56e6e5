"""Which words of a docstring nobody may change: names of the program and of types, and whatever is quoted or code."""

import keyword
import re
import tokenize
from collections.abc import Iterator
from functools import lru_cache

from app.perturbations.programs import read_program
from app.perturbations.protocol import Problem

# The released files also spare "return" and "in", which are words of any sentence.
TYPE_NAMES = frozenset(
    ("bool", "bytes", "complex", "dict", "float", "frozenset", "int", "list", "List", "object", "set", "str", "tuple")
)
CONSTANTS = frozenset(("True", "False", "None", "self"))
_WORD = re.compile(r"\w+")
_CODE = re.compile(
    r"""
      `[^`\n]*` | "[^"\n]*" | (?<!\w)'[^'\n]*'(?!\w)       # quoted
    | \[[^\]\n]*\] | \{[^}\n]*\}                           # lists, sets, dictionaries
    | \w+(?:\.\w+)+ | \w+\([^)\n]*\)                       # numbers with a point, attributes, calls
    | \\(?:N\{[^}]*\}|x..|u....|U.{8}|[0-7]{1,3}|.|\n)     # escapes
    | (?<!\w)['"`]|['"`](?!\w)                             # quotes without a partner
    | :\w+: | @\w+ | \S*[<>=|^~]\S*                        # marks of documentation tools, formulas
    """,
    re.VERBOSE,
)
_CODE_WORD = re.compile(
    r"\w*[_\d]\w*|\w+[a-z][A-Z]\w*|[^\W\d_aAI]"
)  # snake_case, numbers, camelCase, letters that are no words


def protected(text: str, names: frozenset[str]) -> list[bool]:
    """For each character of a docstring's prose whether it belongs to what must stay as it is."""
    flags = [False] * len(text)
    for start, end in _protected_spans(text, names):
        flags[start:end] = [True] * (end - start)
    return flags


def protected_words(text: str, names: frozenset[str]) -> list[str]:
    """What of a text must stay, piece by piece; what is quoted counts whole, and again with what is in it."""
    return [text[start:end] for start, end in _protected_spans(text, names)]


def _protected_spans(text: str, names: frozenset[str]) -> Iterator[tuple[int, int]]:
    for found in _CODE.finditer(text):
        yield found.span()
    for word in _WORD.finditer(text):
        if word[0] in names or _CODE_WORD.fullmatch(word[0]):
            yield word.span()


@lru_cache(maxsize=2048)
def protected_names(problem: Problem) -> frozenset[str]:
    """Names in the problem's code (variables, functions, attributes, modules), and those of types."""
    return TYPE_NAMES | CONSTANTS | {problem.entry_point} | names_in_code(problem.prompt + problem.canonical_solution)


def names_in_code(code: str) -> frozenset[str]:
    """Every identifier of a program, keywords excepted; none where it doesn't parse."""
    program = read_program(code)
    if program is None:
        return frozenset()
    words = {each.text for each in program.tokens if each.kind == tokenize.NAME}
    return frozenset(words - set(keyword.kwlist))
