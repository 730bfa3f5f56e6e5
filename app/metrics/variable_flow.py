"""Where control can go between two mentions of a variable, from the syntax tree.

A walk in order of evaluation that keeps, for each variable, the mentions that may have been the last.
Branches start from the same state and their ends are joined; a loop's body is walked twice, so that its end
meets its start.
"""

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence

from app.metrics.name_scopes import block_parts

State = dict[object, frozenset[ast.AST]]
MAX_LOOPS = 4  # nested deeper, a body is walked once: each loop around it doubles the work
Mention = Callable[[ast.AST, State], None]


class FlowWalk:
    """Calls ``mention(node, state)`` for each node after its operands; it reads and updates the state."""

    def __init__(self, mention: Mention) -> None:
        self._mention = mention
        self._loops = 0
        self.state: State = {}

    def walk(self, *nodes: ast.AST | None) -> None:
        """Walk nodes one after the other."""
        for node in nodes:
            if node is not None:
                self._visit(node)

    def _visit(self, node: ast.AST) -> None:
        match node:
            case ast.If():
                self.walk(node.test)
                self._branches([node.body, node.orelse])
            case ast.IfExp():
                self.walk(node.test)
                self._branches([[node.body], [node.orelse]])
            case ast.For() | ast.AsyncFor():
                self.walk(node.iter, node.target)
                self._loop(node.body, node.orelse)
            case ast.While():
                self._loop([node.test, *node.body], node.orelse)
            case ast.Try() | ast.TryStar():
                self._try(node)
            case ast.Match():
                self.walk(node.subject)
                self._branches([[], *([case] for case in node.cases)])
            case _:
                self.walk(*_operands(node))
        self._mention(node, self.state)

    def _branches(self, ways: Iterable[Sequence[ast.AST]]) -> None:
        start, ends = self.state, []
        for way in ways:
            self.state = dict(start)
            self.walk(*way)
            ends.append(self.state)
        self.state = _join(ends)

    def _loop(self, body: Sequence[ast.AST], orelse: list[ast.stmt]) -> None:
        start = dict(self.state)
        self._loops += 1
        self.walk(*body)
        if self._loops <= MAX_LOOPS:
            self.walk(*body)
        self._loops -= 1
        self.state = _join([start, self.state])
        self.walk(*orelse)

    def _try(self, node: ast.Try | ast.TryStar) -> None:
        start = dict(self.state)
        self.walk(*node.body)
        done = dict(self.state)
        self.state = _join([start, done])
        self._branches([[handler] for handler in node.handlers] or [[]])
        caught = self.state
        self.state = done
        self.walk(*node.orelse)
        self.state = _join([self.state, caught])
        self.walk(*node.finalbody)


def _operands(node: ast.AST) -> Iterable[ast.AST | None]:
    """Children in order of evaluation: a value before what it is assigned to."""
    match node:
        case ast.Assign():
            return [node.value, *node.targets]
        case ast.AnnAssign():
            return [node.annotation, node.value, node.target]
        case ast.NamedExpr():
            return [node.value, node.target]
    parts = block_parts(node)
    return [*parts[0], *parts[1]] if parts else ast.iter_child_nodes(node)


def _join(states: Iterable[Mapping[object, frozenset[ast.AST]]]) -> State:
    joined: State = {}
    for state in states:
        for variable, nodes in state.items():
            joined[variable] = joined.get(variable, frozenset()) | nodes
    return joined
