"""Data edges of a program dependence graph: where a value comes from."""

import ast
from collections.abc import Iterator

from app.metrics.name_scopes import Variable, bound_name, resolve_names
from app.metrics.variable_flow import FlowWalk, State

Edge = tuple[ast.AST | Variable, ast.AST]


def data_edges(tree: ast.Module) -> Iterator[Edge]:
    """Edges along which values flow, in order of evaluation, perhaps repeated.

    From each definition to every mention that it reaches; from the variable itself to its definitions and to
    mentions that no definition reaches (built-ins, globals from elsewhere); from an assigned value, an
    iterable or a context manager to what it is assigned to.
    """
    yield from _reaching(tree)
    for node in ast.walk(tree):
        yield from _assignments(node)


def _reaching(tree: ast.Module) -> list[Edge]:
    variables = resolve_names(tree)
    updated = {node.target for node in ast.walk(tree) if isinstance(node, ast.AugAssign)}
    edges: list[Edge] = []

    def mention(node: ast.AST, state: State) -> None:
        if not (variable := variables.get(node)):
            return
        defines = bound_name(node) is not None
        reaching = state.get(variable, frozenset())
        if not defines or node in updated:
            edges.extend((definition, node) for definition in reaching)
        if defines or not reaching:
            edges.append((variable, node))
        if defines:
            state[variable] = frozenset([node])

    FlowWalk(mention).walk(*tree.body)
    return edges


def _assignments(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    match node:
        case ast.Assign():
            yield from ((node.value, target) for target in node.targets)
        case ast.AugAssign() | ast.NamedExpr() | ast.AnnAssign(value=ast.expr()):
            if node.value:
                yield node.value, node.target
        case ast.For() | ast.AsyncFor() | ast.comprehension():
            yield node.iter, node.target
        case ast.withitem(optional_vars=ast.expr() as target):
            yield node.context_expr, target
