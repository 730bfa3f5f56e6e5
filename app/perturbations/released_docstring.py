"""Which part of a prompt the released files changed, and which words they spared: slips included."""

import re
from dataclasses import replace

import tree_sitter_python
from tree_sitter import Language, Node, Parser

from app.perturbations.character_rules import CouldChange
from app.perturbations.prose import why_unchanged
from app.perturbations.protocol import Outcome, Perturbed, Problem, Unchanged
from app.perturbations.released_characters import ReleasedRule

_PYTHON = Language(tree_sitter_python.language())
_SPARED_ALWAYS = frozenset(
    ("float", "list", "List", "int", "bool", "tuple", "str", "dict", "True", "False", "self", "return", "$", "in")
)
_MASK = "<|||>"
_FIRST_RUN = re.compile(r"[A-Za-z0-9]+")


def perturbed_as_released(
    problem: Problem, rule: ReleasedRule, seed: int, could: CouldChange, *, spares_words: bool = True
) -> Outcome:
    """The problem with its docstring changed as in the released files. ``could``: whether the rule finds anything."""
    found = _released_span(problem)
    if found is None:
        return Unchanged("The prompt holds no docstring behind the function's name.")
    prompt, (start, end) = problem.prompt, found
    text = prompt[start:end]
    if _MASK in text:
        return Unchanged(f"The docstring holds {_MASK}, by which the released files spare words.")
    masked, kept = _masked(text, _spared(problem)) if spares_words else (text, [])
    changed = _around_spared(masked, kept, rule, seed) if spares_words else rule(text, seed)
    if changed == text:
        return Unchanged(why_unchanged(could_change=could(masked)))
    return Perturbed(replace(problem, prompt=prompt[:start] + changed + prompt[end:]))


def _released_span(problem: Problem) -> tuple[int, int] | None:
    """From one character behind the quotes to the first ``>>>``, or to the prompt's end with its closing quotes."""
    prompt = problem.prompt
    name = prompt.find(problem.entry_point)
    quotes = next((at for each in ('"""', "'''") if (at := prompt.find(each, name)) >= 0), -1)
    if name < 0 or quotes < 0:
        return None
    start = len(prompt) - len(prompt[quotes + 4 :].lstrip(" \n\t"))
    examples = prompt.find(">>>", name)
    end = len(prompt[: examples if examples >= 0 else None].rstrip(" \n\t"))
    return (start, end) if start < end else None


def _masked(text: str, spared: frozenset[str]) -> tuple[str, list[str]]:
    """Spared words make place for a mask; the text, and these words in their order."""
    words = text.split(" ")
    is_spared = [(run := _FIRST_RUN.search(word)) is not None and run[0] in spared for word in words]
    masked = " ".join(_MASK if each else word for word, each in zip(words, is_spared, strict=True))
    return masked, [word for word, each in zip(words, is_spared, strict=True) if each]


def _around_spared(masked: str, kept: list[str], rule: ReleasedRule, seed: int) -> str:
    """The text changed, in which the spared words are back."""
    pieces = rule(masked, seed).split(_MASK)
    return "".join(piece + word for piece, word in zip(pieces, [*kept, ""], strict=True))


def _spared(problem: Problem) -> frozenset[str]:
    code = (problem.prompt + problem.canonical_solution).encode("utf-8", "surrogatepass")
    return _SPARED_ALWAYS | _identifiers(Parser(_PYTHON).parse(code).root_node)


def _identifiers(root: Node) -> frozenset[str]:
    waiting, found = [root], set()
    while waiting:
        node = waiting.pop()
        if node.type == "identifier" and node.text is not None:
            found.add(node.text.decode("utf-8", "replace"))
        waiting.extend(node.children)
    return frozenset(found)
