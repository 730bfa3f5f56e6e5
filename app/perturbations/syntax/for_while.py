"""For-While Switch: a loop of the other kind."""

import ast
from collections import deque
from random import Random

from app.perturbations.edits import Edit
from app.perturbations.protocol import Mode, Outcome, Unchanged
from app.perturbations.python.edits import changed
from app.perturbations.python.for_to_while import as_while
from app.perturbations.python.loops import Loop, loops
from app.perturbations.python.names import reads_its_names
from app.perturbations.python.source import Source
from app.perturbations.python.while_to_for import as_for
from app.perturbations.registry import register
from app.perturbations.syntax.rule import SyntaxRule


@register
class ForWhileSwitch(SyntaxRule):
    """A ``for`` becomes a ``while`` or the other way round. Source: ReCode, section 3.3.

    By the paper a loop whose head is visible, by chance. As released the first ``for`` of the whole function, in
    breadth-first order; that script knew no way from ``while`` to ``for``, and the loops that it wrote could run
    for ever (``continue``) or fail (what has no index): the new loops here are the same in both modes.
    """

    label = "ForWhileSwitch"
    released_name = "ForWhileTransformer"
    is_random = True
    modes = frozenset(Mode)

    def change(self, source: Source, draws: Random, mode: Mode) -> Outcome:
        """See ``PythonRule``."""
        if reads_its_names(source):
            return Unchanged("The program reads the names of its variables, and a new loop has more of them.")
        if mode is Mode.RELEASED:
            choices = [edits for loop in _first_for(source) if (edits := as_while(source, loop))]
        else:
            choices = [edits for loop in loops(source) if (edits := _switched(source, loop))]
        if not choices:
            return Unchanged("No loop in the visible code can be one of the other kind.")
        return changed(source, draws.choice(choices))


def _switched(source: Source, loop: Loop) -> list[Edit] | None:
    if loop.colon > source.split:
        return None
    return as_while(source, loop) or as_for(source, loop)


def _first_for(source: Source) -> list[Loop]:
    """The first ``for`` in breadth-first order, if there is any."""
    known = {loop.node: loop for loop in loops(source)}
    level: deque[ast.AST] = deque([source.function])
    while level:
        node = level.popleft()
        if isinstance(node, ast.For):
            return [known[node]] if node in known else []
        level.extend(ast.iter_child_nodes(node))
    return []
