"""Which variable of which function each name of a program means."""

import ast
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from app.metrics.name_scopes import Variable, names_by_block, resolve_names
from app.perturbations.python.source import Positioned, Source

_RUN_AT_ONCE = (ast.ListComp, ast.SetComp, ast.DictComp)


@dataclass(frozen=True, eq=False)
class Scopes:
    """mentions: each variable's names in the tree, whatever kind of node; owners: what opens each block.

    blocks: the number of the block in which a name stands.
    """

    variables: dict[Positioned, Variable]
    mentions: dict[Variable, tuple[Positioned, ...]]
    owners: dict[int, ast.AST]
    blocks: dict[Positioned, int]

    def is_captured(self, variable: Variable) -> bool:
        """Whether a function, lambda, generator or class within the variable's own block mentions it."""
        around = {self.blocks[node] for node in self.mentions[variable]} - {variable.block}
        return any(not isinstance(self.owners[number], _RUN_AT_ONCE) for number in around)


@lru_cache(maxsize=256)
def scopes(source: Source) -> Scopes:
    """The program's."""
    variables = cast("dict[Positioned, Variable]", resolve_names(source.tree))
    by_block, opened = names_by_block(source.tree)
    mentions: dict[Variable, list[Positioned]] = {}
    for node, variable in variables.items():
        mentions.setdefault(variable, []).append(node)
    return Scopes(
        variables,
        {variable: tuple(nodes) for variable, nodes in mentions.items()},
        {number: owner for owner, number in opened.items()},
        {node: variable.block for node, variable in cast("dict[Positioned, Variable]", by_block).items()},
    )


def is_read(node: ast.AST) -> bool:
    """Whether a mention only reads its variable; ``x += 1`` and ``del x`` count as setting it."""
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
