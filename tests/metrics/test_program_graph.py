"""The dependence graph of worked programs, edge by edge, and what renaming does to it."""

import ast

import pytest

from app.metrics.control_dependence import control_edges
from app.metrics.data_dependence import data_edges
from app.metrics.graph_edit_distance import LabelledGraph, edit_distance
from app.metrics.name_scopes import Variable, resolve_names
from app.metrics.program_graph import count_parts, program_graph
from tests.metrics.programs import HARD_TEXTS, humaneval_programs


def edges(text: str, kind: str) -> set[tuple[str, str]]:
    """Edges of one kind as pairs of source text; a variable is written with its name between bars."""
    tree = ast.parse(text)
    found = data_edges(tree) if kind == "data" else (edge for n in ast.walk(tree) for edge in control_edges(n))
    return {(_written(source), _written(target)) for source, target in found}


def _written(node: ast.AST | Variable) -> str:
    if isinstance(node, Variable):
        return f"|{node.name}|"
    text = ast.unparse(node)
    return f"{text}@{node.lineno}" if isinstance(node, ast.Name) else text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("if a:\n  b\nelse:\n  c", {("a@1", "b"), ("a@1", "c")}),
        ("while a:\n  b", {("a@1", "b")}),
        ("for x in y:\n  z", {("y@1", "z")}),
        ("a if b else c", {("b@1", "a@1"), ("b@1", "c@1")}),
        ("a and b and c", {("a@1", "b@1"), ("a@1", "c@1")}),
        ("[a for b in c if d]", {("c@1", "a@1"), ("d@1", "a@1")}),
        ("if a:\n  raise b\nc", {("a@1", "raise b"), ("a@1", "c")}),
        ("if a:\n  def f():\n    return b\nc", {("a@1", "def f():\n    return b")}),
        ("match a:\n  case 1 if b:\n    c", {("a@1", "c"), ("b@2", "c")}),
        ("a = b\nc", set()),
    ],
)
def test_control_edges(text: str, expected: set[tuple[str, str]]) -> None:
    assert {(source, target.removesuffix("@2").removesuffix("@3")) for source, target in edges(text, "control")} == {
        (source, target) for source, target in expected
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1\nx", {("1", "x@1"), ("|x|", "x@1"), ("x@1", "x@2")}),
        ("x = 1\nx = 2\nx", {("1", "x@1"), ("2", "x@2"), ("|x|", "x@1"), ("|x|", "x@2"), ("x@2", "x@3")}),
        (
            "x = 1\nif c:\n  x = 2\nx",
            {
                ("1", "x@1"),
                ("2", "x@3"),
                ("|x|", "x@1"),
                ("|x|", "x@3"),
                ("|c|", "c@2"),
                ("x@1", "x@4"),
                ("x@3", "x@4"),
            },
        ),
        ("x = 1\nx += 2", {("1", "x@1"), ("2", "x@2"), ("|x|", "x@1"), ("|x|", "x@2"), ("x@1", "x@2")}),
        (
            "while x:\n  x = y",
            {("|x|", "x@1"), ("|y|", "y@2"), ("y@2", "x@2"), ("|x|", "x@2"), ("x@2", "x@1")},
        ),
        ("def f(a):\n  return a", {("|f|", "def f(a):\n    return a"), ("|a|", "a"), ("a", "a@2")}),
        ("import a.b\na", {("|a|", "a.b"), ("a.b", "a@2")}),
        ("with a as b:\n  b", {("|a|", "a@1"), ("a@1", "b@1"), ("|b|", "b@1"), ("b@1", "b@2")}),
    ],
)
def test_data_edges(text: str, expected: set[tuple[str, str]]) -> None:
    assert edges(text, "data") == expected


def test_whole_graph_of_a_small_program() -> None:
    assert program_graph(ast.parse("x = f(1)  # note")) == LabelledGraph(
        ("Assign", "Name", "Call", "Name", "Constant int 0x1", "variable f", "variable x"),
        (
            (0, 1, "syntax"),
            (0, 2, "syntax"),
            (2, 1, "data"),
            (2, 3, "syntax"),
            (2, 4, "syntax"),
            (5, 3, "data"),
            (6, 1, "data"),
        ),
    )


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("x\ndef f():\n  x", {"x": {0}}),
        ("x = 1\ndef f():\n  x = 2\n  x", {"x": {0, 1}}),
        ("def f():\n  global x\n  x = 1", {"x": {0}}),
        ("def f():\n  x = 1\n  def g():\n    nonlocal x\n    x = 2", {"x": {1}}),
        ("class C:\n  x = 1\n  def f(self):\n    x", {"x": {0, 1}}),
        ("[x for x in x]", {"x": {0, 1}}),
        ("def f():\n  [y := 1 for z in w]\n  y", {"y": {1}}),
        ("lambda x=x: x", {"x": {0, 1}}),
    ],
)
def test_scopes(text: str, blocks: dict[str, set[int]]) -> None:
    found: dict[str, set[int]] = {}
    for variable in resolve_names(ast.parse(text)).values():
        found.setdefault(variable.name, set()).add(variable.block)
    assert {name: found[name] for name in blocks} == blocks


class _Rename(ast.NodeTransformer):
    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg("renamed_" + node.arg if node.arg == "numbers" else node.arg, node.annotation)

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name("renamed_" + node.id if node.id == "numbers" else node.id, node.ctx)


def test_renaming_a_variable_costs_one_edit_however_often_it_is_used() -> None:
    renamed = 0
    for text in humaneval_programs():
        tree = ast.parse(text)
        graph, other = program_graph(tree), program_graph(_Rename().visit(ast.parse(text)))
        if "numbers" in text and graph != other:
            variables = sum(label == "variable numbers" for label in graph.labels)
            assert edit_distance(graph, other) == variables
            renamed += 1
    assert renamed >= 5


def test_layout_comments_and_quotes_leave_no_trace() -> None:
    one = "def f(a):\n    # why\n    return (a + 'x')\n"
    other = 'def f( a ) :\n\n  return a + "x"'
    assert program_graph(ast.parse(one)) == program_graph(ast.parse(other))


def test_types_of_constants_count() -> None:
    labels = {program_graph(ast.parse(text)).labels[1] for text in ("1", "1.0", "True", "'1'", "b'1'", "1j", "0x1")}
    assert len(labels) == 6


@pytest.mark.parametrize("name", HARD_TEXTS)
def test_graphs_are_simple(name: str) -> None:
    """No edge from a node to itself, none twice, every end a node; parts and variables are all the nodes."""
    try:
        tree = ast.parse(HARD_TEXTS[name])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    if sum(1 for _ in ast.walk(tree)) > 5_000:
        return
    graph = program_graph(tree)
    assert len(set(graph.edges)) == len(graph.edges)
    assert all(a != b and max(a, b) < len(graph.labels) for a, b, _ in graph.edges)
    variables = sum(label.startswith("variable ") for label in graph.labels)
    assert len(graph.labels) == count_parts(tree) + variables
