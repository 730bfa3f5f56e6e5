"""Which variable each name of a program means: Python's rules of scope, from the syntax tree alone.

``symtable`` would say the same, but since Python 3.12 it no longer lists the blocks of comprehensions.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from app.metrics.python_syntax import all_parameters

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Variable(NamedTuple):
    """A name in the block that binds it, 0 for the module: what nothing binds belongs to the module."""

    block: int
    name: str


@dataclass(eq=False)
class _Block:
    number: int
    parent: "_Block | None"
    owner: ast.AST
    bound: set[str] = field(default_factory=set)
    global_names: set[str] = field(default_factory=set)
    outer_names: set[str] = field(default_factory=set)


def resolve_names(tree: ast.Module) -> dict[ast.AST, Variable]:
    """The variable of every node that names one: names, parameters, definitions, imports, captures."""
    resolver = _Resolver()
    resolver.enter(tree, None, tree.body)
    return {node: resolver.variable(block, name) for node, name, block in resolver.found}


def bound_name(node: ast.AST) -> str | None:
    """The variable that a node binds by its own text; None for any other node."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            return name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.ExceptHandler(name=handled):
            return handled
        case ast.MatchAs(name=captured) | ast.MatchStar(name=captured) | ast.MatchMapping(rest=captured):
            return captured
        case ast.alias(name=module, asname=renamed):
            return renamed or module.partition(".")[0]
    return None


def names_by_block(tree: ast.Module) -> tuple[dict[ast.AST, Variable], dict[ast.AST, int]]:
    """As ``resolve_names``, but a name belongs to the block that mentions it, whichever block binds it.

    Also returns the number of the block that each node opens.
    """
    resolver = _Resolver()
    resolver.enter(tree, None, tree.body)
    names = {node: Variable(block.number, name) for node, name, block in resolver.found}
    return names, {block.owner: block.number for block in resolver.blocks}


class _Resolver:
    """First finds all names and what each block binds; only then can a name be looked up."""

    def __init__(self) -> None:
        self.blocks: list[_Block] = []
        self.found: list[tuple[ast.AST, str, _Block]] = []

    def enter(self, owner: ast.AST, parent: _Block | None, inside: Iterable[ast.AST]) -> None:
        block = _Block(len(self.blocks), parent, owner)
        self.blocks.append(block)
        for node in inside:
            self.visit(node, block)

    def visit(self, node: ast.AST, block: _Block) -> None:
        self._note(node, block)
        if isinstance(node, ast.NamedExpr):
            self._note_walrus(node, block)
        elif parts := block_parts(node):
            for child in parts[0]:
                self.visit(child, block)
            self.enter(node, block, parts[1])
        elif not isinstance(node, ast.arg):  # the block around the function has seen the annotation
            for child in ast.iter_child_nodes(node):
                self.visit(child, block)

    def _note(self, node: ast.AST, block: _Block) -> None:
        if isinstance(node, ast.Global):
            block.global_names.update(node.names)
        elif isinstance(node, ast.Nonlocal):
            block.outer_names.update(node.names)
        elif name := bound_name(node):
            block.bound.add(name)
            self.found.append((node, name, block))
        elif isinstance(node, ast.Name):
            self.found.append((node, node.id, block))

    def _note_walrus(self, node: ast.NamedExpr, block: _Block) -> None:
        """``:=`` in a comprehension binds in the block around it."""
        target_block = block
        while isinstance(target_block.owner, _COMPREHENSIONS) and target_block.parent:
            target_block = target_block.parent
        self.visit(node.value, block)
        self._note(node.target, target_block)

    def variable(self, block: _Block, name: str) -> Variable:
        if name in block.global_names:
            return Variable(0, name)
        if name in block.bound and name not in block.outer_names:
            return Variable(block.number, name)
        outer = block.parent
        while outer and (isinstance(outer.owner, ast.ClassDef) or not _binds(outer, name)):
            outer = outer.parent
        return Variable(outer.number if outer else 0, name)


def _binds(block: _Block, name: str) -> bool:
    return name in block.bound and name not in block.global_names | block.outer_names


def block_parts(node: ast.AST) -> tuple[list[ast.AST], list[ast.AST]] | None:
    """For a node that opens a block: what belongs to the block around it, and what to the new one."""
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *node.keywords], list(node.body)
    if isinstance(node, _FUNCTIONS):
        return _outside_function(node), [*all_parameters(node.args), *_body(node)]
    if isinstance(node, _COMPREHENSIONS):
        parts = list(_comprehension_parts(node))
        first = node.generators[0].iter  # the first iterable is evaluated outside
        return [first], [part for part in parts if part is not first]
    return None


def _outside_function(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[ast.AST]:
    annotations = [parameter.annotation for parameter in all_parameters(node.args) if parameter.annotation]
    defaults = [default for default in [*node.args.defaults, *node.args.kw_defaults] if default]
    if isinstance(node, ast.Lambda):
        return [*defaults]
    return [*node.decorator_list, *defaults, *annotations, *([node.returns] if node.returns else [])]


def _body(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[ast.AST]:
    return [node.body] if isinstance(node, ast.Lambda) else list(node.body)


def _comprehension_parts(node: Comprehension) -> Iterator[ast.AST]:
    """In order of evaluation: the iterations and conditions before the element."""
    for generator in node.generators:
        yield from (generator.iter, generator.target, *generator.ifs)
    yield from (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
