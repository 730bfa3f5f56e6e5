"""VarRenamerRN: a variable with a name of random letters and digits."""

from random import Random
from string import ascii_letters, digits

from app.perturbations.python.names import taken
from app.perturbations.python.renaming import Renamable
from app.perturbations.python.source import Source
from app.perturbations.registry import register
from app.perturbations.syntax.var_renamer_rule import VarRenamerRule

TRIES = 100


@register
class VarRenamerRN(VarRenamerRule):
    """A letter, then letters and digits alike, as long as the old name. Source: ReCode, section 3.3.

    The released names hold more digits than letters, and hang on ties that a hash's order decided: import them.
    """

    label = "VarRenamerRN"
    released_name = "VarRenamerRN"
    is_random = True

    def new_name(self, source: Source, old: Renamable, draws: Random) -> str | None:
        """See ``VarRenamerRule``."""
        drawn = (_drawn(len(old.name), draws) for _ in range(TRIES))
        return next((name for name in drawn if name not in taken(source)), None)


def _drawn(length: int, draws: Random) -> str:
    return draws.choice(ascii_letters) + "".join(draws.choices(ascii_letters + digits, k=length - 1))
