"""What the data flow behind the published CodeBLEU scores misses. Only the variant "published" repeats it.

Found by comparing with the published scores; both slips change one of the 2,360 CoNaLa scores each, by 0.4.

1. Where an attribute is assigned to (``df.index = …``), the mention of the name before the dot has no edges.
2. Symbol tables of a block's comprehensions are taken in the order of the text, but Python makes them in the order of
   evaluation: a comprehension inside another one's first iterable comes first. The two (of the same kind) then look
   their names up in each other's table, and the mention of a name that isn't there has no edges.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping

from app.metrics.name_scopes import Comprehension, Variable, block_parts


def missed_mentions(
    tree: ast.Module, names: Mapping[ast.AST, Variable], blocks: Mapping[ast.AST, int]
) -> frozenset[ast.AST]:
    """The nodes that mention a name without ever being the end of an edge."""
    return frozenset(_assigned_bases(tree)) | frozenset(_looked_up_elsewhere(tree, names, blocks))


def _assigned_bases(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            base: ast.expr = node
            while isinstance(base, ast.Attribute):
                base = base.value
            yield base


def _looked_up_elsewhere(
    tree: ast.Module, names: Mapping[ast.AST, Variable], blocks: Mapping[ast.AST, int]
) -> Iterator[ast.AST]:
    tables: dict[int, set[str]] = defaultdict(set)
    for variable in names.values():
        tables[variable.block].add(variable.name)
    table_used = {blocks[used_by]: blocks[owner] for used_by, owner in _exchanged_tables(tree) if owner in blocks}
    for node, variable in names.items():
        if variable.block in table_used and variable.name not in tables[table_used[variable.block]]:
            yield node


def _exchanged_tables(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Pairs (comprehension, the one whose table it is given)."""
    for node in ast.walk(tree):
        if isinstance(node, Comprehension):
            inner = list(_comprehensions_evaluated_first(node))
            by_text, by_evaluation = [node, *inner], [*inner, node]
            if inner:
                yield from zip(by_text, by_evaluation, strict=True)


def _comprehensions_evaluated_first(node: Comprehension) -> Iterator[Comprehension]:
    """Those of the same kind and block inside the first iterable, which is evaluated before the comprehension."""
    waiting: list[ast.AST] = [node.generators[0].iter]
    while waiting:
        found = waiting.pop()
        if isinstance(found, type(node)):
            yield found
        parts = block_parts(found)
        waiting.extend(parts[0] if parts else ast.iter_child_nodes(found))
