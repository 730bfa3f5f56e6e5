"""Control edges of a program dependence graph: what decides whether something is evaluated at all."""

import ast
from collections.abc import Iterable, Iterator, Sequence

Edge = tuple[ast.AST, ast.AST]
_LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_OWN_CONTROL = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def control_edges(node: ast.AST) -> Iterator[Edge]:
    """Edges from the deciding expressions of one node to what they decide (Ferrante et al. 1987).

    A test decides its branches; an iterable its loop's body; a comprehension's iterables and conditions its
    element; a match's subject and a case's guard the case's body; the first operand of ``and`` and ``or`` the
    others. A test with a branch that leaves the block decides the statements after it, too. Exceptions that
    nobody raises by name decide nothing.
    """
    match node:
        case ast.If() | ast.While():
            yield from _each(node.test, [*node.body, *node.orelse])
        case ast.IfExp():
            yield from _each(node.test, [node.body, node.orelse])
        case ast.For() | ast.AsyncFor():
            yield from _each(node.iter, node.body)
        case ast.Match():
            for case in node.cases:
                yield from _each(node.subject, case.body)
        case ast.match_case(guard=ast.expr() as guard):
            yield from _each(guard, node.body)
        case ast.BoolOp():
            yield from _each(node.values[0], node.values[1:])
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            yield from _comprehension(node)
    for block in _blocks(node):
        yield from _after_leaving(block)


def _each(source: ast.AST, targets: Iterable[ast.AST]) -> Iterator[Edge]:
    return ((source, target) for target in targets)


def _comprehension(node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Iterator[Edge]:
    elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    for generator in node.generators:
        for source in (generator.iter, *generator.ifs):
            yield from _each(source, elements)


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for _, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield value


def _after_leaving(block: Sequence[ast.stmt]) -> Iterator[Edge]:
    for place, statement in enumerate(block):
        if isinstance(statement, ast.If) and any(map(_leaves, [*statement.body, *statement.orelse])):
            yield from _each(statement.test, block[place + 1 :])


def _leaves(node: ast.AST) -> bool:
    """Whether a return, raise, break or continue is in it, though not in a function of its own."""
    if isinstance(node, _OWN_CONTROL):
        return False
    return isinstance(node, _LEAVES) or any(map(_leaves, ast.iter_child_nodes(node)))
