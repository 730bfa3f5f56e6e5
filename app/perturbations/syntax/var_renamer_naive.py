"""VarRenamerNaive: a variable called VAR_0."""

from itertools import count
from random import Random

from app.perturbations.protocol import Mode
from app.perturbations.python.names import taken
from app.perturbations.python.renaming import Renamable
from app.perturbations.python.source import Source
from app.perturbations.registry import register
from app.perturbations.syntax.var_renamer_rule import VarRenamerRule


@register
class VarRenamerNaive(VarRenamerRule):
    """``VAR_0``, or the first free one of ``VAR_1``, ``VAR_2``, … Source: ReCode, section 3.3."""

    label = "VarRenamerNaive"
    released_name = "VarRenamerNaive"
    modes = frozenset(Mode)

    def new_name(self, source: Source, old: Renamable, draws: Random) -> str:
        """See ``VarRenamerRule``."""
        return next(name for number in count() if (name := f"VAR_{number}") not in taken(source))
