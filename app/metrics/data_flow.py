"""Data-flow part of CodeBLEU: how often the i-th variable of a program is used again.

Written from the description of the published implementation, which compares neither names nor which variable
flows into which. A variable is a name in one block (a name used in a comprehension and around it is two), or
a chain of one or two attributes of a name. Two mentions that can follow each other are one edge.
"""

import ast
from collections.abc import Sequence

from app.metrics.name_scopes import Variable, names_by_block
from app.metrics.published_slips import missed_mentions
from app.metrics.python_syntax import parse_python, repeats_an_argument
from app.metrics.variable_flow import FlowWalk, State

LONGEST_CHAIN = 2
Symbol = tuple[Variable, tuple[str, ...]]


def reuse_counts(text: str, *, as_published: bool = False) -> tuple[int, ...] | None:
    """Edges of each variable, in order of first mention; None for a text that doesn't parse or compile.

    ``as_published`` repeats two slips of the published implementation: see published_slips.
    """
    tree = parse_python(text)
    if tree is None or repeats_an_argument(tree):
        return None
    names, blocks = names_by_block(tree)
    symbols = _mentions(tree, names)
    missed = missed_mentions(tree, names, blocks) if as_published else frozenset()
    edges: dict[Symbol, set[tuple[ast.AST, ast.AST]]] = {symbol: set() for symbol in symbols.values()}

    def mention(node: ast.AST, state: State) -> None:
        if node not in missed and (symbol := symbols.get(node)):
            edges[symbol].update((earlier, node) for earlier in state.get(symbol, ()) if earlier is not node)
            state[symbol] = frozenset([node])

    FlowWalk(mention).walk(*tree.body)
    return tuple(len(pairs) for pairs in edges.values())


def reuse_recall(reference: Sequence[int] | None, output: Sequence[int] | None) -> float | None:
    """Share of the reference's edges that the output has, variable by variable; in [0, 1].

    0 for an output that doesn't parse. None where there is nothing to compare with: a reference that doesn't
    parse, or that mentions nothing twice.
    """
    if reference is None:
        return None
    if output is None:
        return 0.0
    edges = sum(reference)
    return sum(map(min, reference, output)) / edges if edges else None


def _mentions(tree: ast.Module, names: dict[ast.AST, Variable]) -> dict[ast.AST, Symbol]:
    """The symbol of every node that mentions one, in order of the text; imports don't count as mentions."""
    symbols: dict[ast.AST, Symbol] = {
        node: (name, ()) for node, name in names.items() if not isinstance(node, ast.alias)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (chain := _chain(node, names)):
            symbols[node] = chain
    return dict(sorted(symbols.items(), key=lambda item: _place(item[0])))


def _chain(node: ast.Attribute, names: dict[ast.AST, Variable]) -> Symbol | None:
    attributes: list[str] = []
    base: ast.expr = node
    while isinstance(base, ast.Attribute) and len(attributes) < LONGEST_CHAIN:
        attributes.insert(0, base.attr)
        base = base.value
    return (names[base], tuple(attributes)) if isinstance(base, ast.Name) else None


def _place(node: ast.AST) -> tuple[int, int]:
    """Where the name stands: a chain and what ``as`` binds at the end of the node, all else at its start."""
    if isinstance(node, ast.Attribute | ast.ExceptHandler | ast.MatchAs | ast.MatchStar | ast.MatchMapping):
        return getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0)
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
