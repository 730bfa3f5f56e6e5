"""Syntactic part of CodeBLEU: how many of the reference's subtrees the output has, by tree-sitter-python."""

from collections import Counter
from importlib.metadata import version

import tree_sitter_python
from tree_sitter import Language, Node, Parser

from app.metrics.python_syntax import MAX_CHARACTERS

GRAMMAR_VERSION = version("tree-sitter-python")
_LANGUAGE = Language(tree_sitter_python.language())
Shape = tuple[str, tuple[int, ...]]
# Published scores rest on a grammar before 0.21. There a string was two quotes with its escapes between them,
# and "not in" was two words of the comparison; these differences are undone.
_SAME_AS = {"string_start": '"', "string_end": '"'}
_DISSOLVED = {"string_content", "not in", "is not"}


class SubtreeShapes:
    """Counts subtree shapes (node types and order of children; text ignored); equal shapes get equal numbers.

    Every node roots a subtree, anonymous and ERROR nodes too. Trees are compared through the numbers, so
    only counts from one and the same instance can be compared.
    """

    def __init__(self) -> None:
        self._parser = Parser(_LANGUAGE)
        self._numbers: dict[Shape, int] = {}

    def count(self, text: str) -> Counter[int]:
        """How often each shape occurs in a text, or in the first MAX_CHARACTERS of a huge one."""
        tree = self._parser.parse(text[:MAX_CHARACTERS].encode("utf-8", "surrogatepass"))
        counts: Counter[int] = Counter()
        numbered: list[list[int]] = [[]]
        pending: list[tuple[Node, bool]] = [(tree.root_node, False)]
        while pending:
            node, children_done = pending.pop()
            if children_done:
                number = self._number(node.type, numbered.pop())
                counts[number] += 1
                numbered[-1].append(number)
                continue
            if node.type not in _DISSOLVED:
                pending.append((node, True))
                numbered.append([])
            pending.extend((child, False) for child in reversed(_children(node)))
        return counts

    def _number(self, kind: str, children: list[int]) -> int:
        shape = (_SAME_AS.get(kind, kind), tuple(children))
        return self._numbers.setdefault(shape, len(self._numbers))


def _children(node: Node) -> list[Node]:
    if node.type == "escape_sequence":
        return []
    if node.type == "string_content":
        return [child for child in node.children if child.type == "escape_sequence"]
    return node.children


def subtree_recall(reference: Counter[int], output: Counter[int]) -> float:
    """Share of the reference's subtrees found in the output, each at most as often as it occurs there.

    In [0, 1]. Ren et al. 2020, equation 3, with clipped counts.
    """
    return sum((reference & output).values()) / sum(reference.values())
