"""A Python program as a dependence graph: what it consists of, what decides, and where values flow.

Nodes are the statements, expressions and smaller parts (keyword arguments, handlers, patterns) of the syntax
tree, labelled with their kind and their own text: attribute, operator, constant, module. A variable's name is
no such text: each variable is one node of its own, labelled with its name, however often it is mentioned.

Edges are of three kinds: *syntax* from each part to the parts in it, *control* (control_dependence.py), and
*data* (data_dependence.py). Parallel edges of different kinds stay apart.

To rename a variable throughout therefore changes one label, however often it is used: an edit distance of 1.
Layout, comments, brackets and quotes leave no trace. Names of attributes and keyword arguments are labels of
each mention.
"""

import ast

from app.metrics.control_dependence import control_edges
from app.metrics.data_dependence import data_edges
from app.metrics.graph_edit_distance import LabelledGraph
from app.metrics.name_scopes import Variable

Edge = tuple[int, int, str]
_UNSEEN = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)


def program_graph(tree: ast.Module) -> LabelledGraph:
    """The dependence graph of a program; a text without statements has an empty one."""
    return _Builder(tree).graph()


def count_parts(tree: ast.Module) -> int:
    """How many nodes of the graph come from the syntax tree, without building the graph."""
    left_out = (*_UNSEEN, ast.arguments, ast.Module)
    return sum(not isinstance(node, left_out) for node in ast.walk(tree))


class _Builder:
    def __init__(self, tree: ast.Module) -> None:
        self._labels: list[str] = []
        self._numbers: dict[ast.AST | Variable, int] = {}
        self._edges: set[Edge] = set()
        for statement in tree.body:
            self._add_part(statement)
        for node in [tree, *self._parts()]:
            for source, target in control_edges(node):
                self._connect(source, target, "control")
        for origin, target in data_edges(tree):
            self._connect(origin, target, "data")

    def graph(self) -> LabelledGraph:
        return LabelledGraph(tuple(self._labels), tuple(sorted(self._edges)))

    def _parts(self) -> list[ast.AST]:
        return [node for node in self._numbers if isinstance(node, ast.AST)]

    def _add_part(self, node: ast.AST) -> None:
        self._number(node, part_label(node))
        for child in _parts_in(node):
            self._add_part(child)
            self._connect(node, child, "syntax")

    def _number(self, node: ast.AST | Variable, label: str) -> int:
        self._numbers[node] = len(self._labels)
        self._labels.append(label)
        return self._numbers[node]

    def _connect(self, source: ast.AST | Variable, target: ast.AST, kind: str) -> None:
        if isinstance(source, Variable) and source not in self._numbers:
            self._number(source, f"variable {source.name}")
        if source is not target:
            self._edges.add((self._numbers[source], self._numbers[target], kind))


def _parts_in(node: ast.AST) -> list[ast.AST]:
    """Children that are parts; the parameters of a function are parts of the function."""
    parts: list[ast.AST] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.arguments):
            parts += ast.iter_child_nodes(child)
        elif not isinstance(child, _UNSEEN):
            parts.append(child)
    return parts


def part_label(node: ast.AST) -> str:
    """Kind of a part and its own text, names of variables left out."""
    return " ".join([type(node).__name__, *_own_text(node)])


def _own_text(node: ast.AST) -> list[str]:
    texts: list[str] = []
    match node:
        case ast.Constant() | ast.MatchSingleton():
            texts = [constant_label(node.value)]
        case ast.Attribute(attr=name) | ast.alias(name=name) | ast.keyword(arg=str(name)):
            texts = [name]
        case ast.BinOp() | ast.UnaryOp() | ast.BoolOp() | ast.AugAssign():
            texts = [type(node.op).__name__]
        case ast.Compare():
            texts = [type(operator).__name__ for operator in node.ops]
        case ast.ImportFrom():
            texts = ["." * node.level + (node.module or "")]
        case ast.FormattedValue():
            texts = [str(node.conversion)]
        case ast.MatchClass():
            texts = node.kwd_attrs
        case ast.comprehension(is_async=1):
            texts = ["async"]
    return texts


def constant_label(value: object) -> str:
    """Type and value; whole numbers in hexadecimal, which Python prints at any length."""
    text = hex(value) if isinstance(value, int) else repr(value)
    return f"{type(value).__name__} {text}"
