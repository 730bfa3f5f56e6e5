"""A ``for`` loop as a ``while`` loop that does the same, whatever its body does.

Four forms, the first that is sound is taken:

1. over ``range``, where nobody can tell that the variable ends one step further: the variable itself is counted up
   or down at the body's end;
2. over any other ``range``: by an index into it, which is counted up before the body, so that ``continue`` does no
   harm;
3. over what is certainly a list, tuple or string: by an index, which is just what Python's own iterators do, even
   while the sequence changes;
4. over anything else: by the iterator itself, which ends the loop in its own place, since it never yields itself.

``break`` and ``else`` mean the same in both kinds of loops. The iterated expression is evaluated once, before.
A range is taken to be one of whole numbers, and no longer than a list can be.
"""

import ast

from app.perturbations.edits import Edit
from app.perturbations.python.loops import Loop, at_body_end, at_body_start, head, own_continue
from app.perturbations.python.names import declared_elsewhere, fresh, means_builtin
from app.perturbations.python.scopes import is_read, scopes
from app.perturbations.python.source import Function, Source

_LISTS = (ast.List, ast.ListComp, ast.Tuple, ast.JoinedStr)
_MAKE_SEQUENCES = frozenset({"list", "sorted", "tuple", "str"})
_SEQUENCE_TYPES = frozenset({"list", "List", "str", "tuple", "Tuple"})


def as_while(source: Source, loop: Loop) -> list[Edit] | None:
    """The edits; None where a name that they need (``len``, ``iter``, ``next``) means something else."""
    node = loop.node
    if not isinstance(node, ast.For) or not means_builtin(source, "range", "len", "iter", "next"):
        return None
    match node.iter:
        case ast.Call(func=ast.Name(id="range")) as called:
            return _counted(source, loop, node, called) or _indexed(source, loop, is_name=False)
    if _is_constant_name(source, loop, node.iter):
        return _indexed(source, loop, is_name=True)
    return _indexed(source, loop, is_name=False) if _is_sequence(source, loop, node.iter) else _iterated(source, loop)


def _counted(source: Source, loop: Loop, node: ast.For, called: ast.Call) -> list[Edit] | None:
    """Form 1."""
    step, texts = _step(called), [source.text(source.start(each), source.end(each)) for each in called.args]
    if step is None or called.keywords or own_continue(loop) or any("\n" in text for text in texts):
        return None
    if not isinstance(node.target, ast.Name) or not _ends_with_loop(source, loop, node, node.target):
        return None
    name, first, stop = node.target.id, *(["0", *texts][-2:] if len(texts) < 3 else texts[:2])
    before = [f"{name} = {first}"]
    if not _is_fixed(source, loop, called.args[min(len(texts), 2) - 1]):
        before, stop = [*before, f"{fresh(source, 'stop')} = {stop}"], fresh(source, "stop")
    sign, more = ("<", "+=") if step > 0 else (">", "-=")
    return [
        head(source, loop, *before, f"while {name} {sign} {stop}:"),
        at_body_end(source, loop, f"{name} {more} {abs(step)}"),
    ]


def _indexed(source: Source, loop: Loop, *, is_name: bool) -> list[Edit]:
    """Forms 2 and 3."""
    index, values = fresh(source, "index"), loop.part(source, "right")
    items = values if is_name else fresh(source, "items")
    before = [] if is_name else [f"{items} = {values}"]
    return [
        head(source, loop, *before, f"{index} = 0", f"while {index} < len({items}):"),
        at_body_start(source, loop, f"{loop.part(source, 'left')} = {items}[{index}]", f"{index} += 1"),
    ]


def _iterated(source: Source, loop: Loop) -> list[Edit]:
    """Form 4."""
    iterator, item = fresh(source, "iterator"), fresh(source, "item")
    condition = f"({item} := next({iterator}, {iterator})) is not {iterator}"
    return [
        head(source, loop, f"{iterator} = iter({loop.part(source, 'right')})", f"while {condition}:"),
        at_body_start(source, loop, f"{loop.part(source, 'left')} = {item}"),
    ]


def _step(called: ast.Call) -> int | None:
    match called.args:
        case [ast.Starred(), *_] | [_, ast.Starred(), *_]:
            return None
        case [_] | [_, _]:
            return 1
        case [_, _, ast.Constant(value=int(step))] if step > 0:
            return step
        case [_, _, ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(step)))] if step > 0:
            return -step
    return None


def _ends_with_loop(source: Source, loop: Loop, node: ast.For, target: ast.Name) -> bool:
    """Whether only the loop's body reads the variable and only its head sets it, other loops over it aside."""
    found = scopes(source)
    variable = found.variables[target]
    if target.id in declared_elsewhere(source) or found.is_captured(variable):
        return False
    mentions = set(found.mentions[variable])
    inside = {part for statement in node.body for part in ast.walk(statement)} & mentions
    if found.owners[variable.block] is not loop.scope or any(not is_read(mention) for mention in inside):
        return False
    return mentions <= inside | {target} | _in_other_loops(loop.scope, node, target.id)


def _in_other_loops(scope: Function, own: ast.For, name: str) -> set[ast.AST]:
    """All that stands in loops that set the name anew before they read it, and don't hold this one."""
    found: set[ast.AST] = set()
    for node in ast.walk(scope):
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name) and node.target.id == name:
            inside = {part for statement in node.body for part in ast.walk(statement)}
            found |= set() if own in inside or node is own else inside | {node.target}
    return found


def _is_fixed(source: Source, loop: Loop, node: ast.expr) -> bool:
    """Whether an end of a range can be read again in each turn: numbers, and variables that the loop leaves alone."""
    match node:
        case ast.Constant(value=int()) | ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int())):
            return True
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv()):
            return _is_fixed(source, loop, node.left) and _is_fixed(source, loop, node.right)
        case ast.Name(id=name):
            variable = scopes(source).variables[node]
            inside = set(ast.walk(loop.node)) & set(scopes(source).mentions[variable])
            is_own = scopes(source).owners[variable.block] is loop.scope and name not in declared_elsewhere(source)
            return is_own and all(is_read(mention) for mention in inside)
    return False


def _is_constant_name(source: Source, loop: Loop, node: ast.expr) -> bool:
    """Whether it is a parameter that is said to be a list, tuple or string, and never becomes anything else."""
    if not isinstance(node, ast.Name) or node.id in declared_elsewhere(source):
        return False
    mentions = scopes(source).mentions[scopes(source).variables[node]]
    parameters = [mention for mention in mentions if isinstance(mention, ast.arg)]
    return all(is_read(mention) or mention in parameters for mention in mentions) and any(
        _names_sequence(parameter.annotation) for parameter in parameters if parameter in _own_parameters(loop.scope)
    )


def _own_parameters(scope: Function) -> list[ast.arg]:
    """Without ``*args`` and ``**kwargs``, whose annotations mean their items."""
    return [*scope.args.posonlyargs, *scope.args.args, *scope.args.kwonlyargs]


def _names_sequence(annotation: ast.expr | None) -> bool:
    if isinstance(annotation, ast.Subscript):
        annotation = annotation.value
    return isinstance(annotation, ast.Name) and annotation.id in _SEQUENCE_TYPES


def _is_sequence(source: Source, loop: Loop, node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=str()):
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in _MAKE_SEQUENCES and means_builtin(source, name)
        case ast.Subscript(value=value, slice=ast.Slice()):
            return _is_constant_name(source, loop, value)
    return isinstance(node, _LISTS)
