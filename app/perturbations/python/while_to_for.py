"""A ``while`` loop as a ``for`` loop that does the same.

``while C:`` becomes ``for _ in iter(lambda: C, False):``, which asks the condition before each turn and ends at the
first ``False``; ``bool`` makes other false values one, which comparisons of Python's own types need not. No other
``for`` leaves ``break``, ``continue`` and ``else`` alone, whatever the condition is. A lambda sees the function's
variables as they are.
"""

import ast

from app.perturbations.edits import Edit
from app.perturbations.python.loops import Loop, head
from app.perturbations.python.names import fresh, means_builtin
from app.perturbations.python.source import Source

_OUT_OF_LAMBDA = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)


def as_for(source: Source, loop: Loop) -> list[Edit] | None:
    """The edits; None where the condition means something else within a lambda or could end the loop itself."""
    if not isinstance(loop.node, ast.While) or not means_builtin(source, "iter", "bool"):
        return None
    test = loop.node.test
    if any(_is_bound_to_its_place(node) for node in ast.walk(test)):
        return None
    text = "True" if _is_endless(test) else loop.part(source, "condition")
    asked = text if _is_truth(test) else f"bool({text})"
    return [head(source, loop, f"for {fresh(source, '_')} in iter(lambda: {asked}, False):")]


def _is_bound_to_its_place(node: ast.AST) -> bool:
    """``:=`` and ``yield`` would act elsewhere, ``super`` find no object, and a StopIteration be swallowed."""
    return isinstance(node, _OUT_OF_LAMBDA) or (isinstance(node, ast.Name) and node.id in {"super", "next"})


def _is_endless(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def _is_truth(test: ast.expr) -> bool:
    """Whether its value is certainly True or False."""
    if isinstance(test, ast.BoolOp):
        return all(_is_truth(value) for value in test.values)
    is_not = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    return is_not or isinstance(test, ast.Compare | ast.Constant)
