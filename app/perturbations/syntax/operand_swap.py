"""OperandSwap: a comparison from right to left."""

from random import Random

from app.perturbations.protocol import Mode, Outcome, Unchanged
from app.perturbations.python.comparisons import Comparison, comparisons, is_swappable, swapped
from app.perturbations.python.edits import changed
from app.perturbations.python.source import Source
from app.perturbations.registry import register
from app.perturbations.syntax.rule import SyntaxRule


@register
class OperandSwap(SyntaxRule):
    """One comparison by <, >, <=, >=, == or != is turned round: ``a < b`` becomes ``b > a``. Source: ReCode, 3.3.

    By the paper one in the visible code, by chance, whose operands may be evaluated in either order. As released the
    first one of the whole function, in breadth-first order, whatever its operands do.
    """

    label = "OperandSwap"
    released_name = "OperandSwap"
    is_random = True
    modes = frozenset(Mode)

    def change(self, source: Source, draws: Random, mode: Mode) -> Outcome:
        """See ``PythonRule``."""
        found = comparisons(source)
        if mode is Mode.RELEASED:
            return _change_one(source, found[0]) if found else Unchanged("The function compares nothing.")
        visible = [each for each in found if each.end <= source.split and is_swappable(source, each)]
        if not visible:
            return Unchanged("No comparison in the visible code can be turned round.")
        return _change_one(source, draws.choice(visible))


def _change_one(source: Source, comparison: Comparison) -> Outcome:
    return changed(source, swapped(source, comparison))
