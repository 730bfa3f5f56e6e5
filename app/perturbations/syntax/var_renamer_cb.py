"""VarRenamerCB: a variable with the name that a masked language model would give it."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from random import Random
from typing import Protocol

from app.perturbations.python.names import taken
from app.perturbations.python.renaming import Renamable
from app.perturbations.python.source import Source
from app.perturbations.registry import register
from app.perturbations.syntax.var_renamer_rule import VarRenamerRule

GAP = "<mask>"
WINDOW = 256  # characters around a gap, as in ReCode


class Guess(Protocol):
    """One token for a gap, as text, and its probability in [0, 1]."""

    @property
    def text(self) -> str:
        """The token, perhaps with the white space before it."""
        ...

    @property
    def probability(self) -> float:
        """How likely the model finds it."""
        ...


FillGaps = Callable[[Sequence[str]], Sequence[Sequence[Guess]]]


@register
class VarRenamerCB(VarRenamerRule):
    """The likeliest new name, its probabilities added up over the variable's places. Source: ReCode, section 3.3.

    fill: for texts with one ``<mask>`` each the most probable tokens, such as ``MaskedModel.fill``; ask for some
    dozens, since the first is often the old name. Without it the rule is not available. At each place that one
    mention alone is masked, in a window of 256 characters; the other mentions keep the old name, which is no
    candidate. (ReCode masks all of a window at once.)
    """

    label = "VarRenamerCB"
    released_name = "VarRenamerCB"
    asks_a_model = True

    def __init__(self, fill: FillGaps | None = None) -> None:
        self._fill = fill

    def missing(self) -> str | None:
        """A masked language model."""
        if self._fill is None:
            return (
                "no masked language model is set, such as CodeBERT's; name one in CODEJURY_MASKED_MODEL, "
                "or import the released files."
            )
        return None

    def new_name(self, source: Source, old: Renamable, draws: Random) -> str | None:
        """See ``VarRenamerRule``."""
        if self._fill is None or GAP.encode() in source.code:
            return None
        scores: dict[str, float] = defaultdict(float)
        for guesses in self._fill([window(source, place, old.name) for place in old.places]):
            for guess in guesses:
                scores[guess.text.strip()] += guess.probability
        names = [name for name in scores if name.isidentifier() and name not in taken(source)]
        return min(names, key=lambda name: (-scores[name], name), default=None)


def window(source: Source, place: int, name: str) -> str:
    """The text around a mention, with a gap in its place."""
    before = source.code[:place].decode("utf-8")
    behind = source.code[place + len(name.encode("utf-8")) :].decode("utf-8")
    return before[-WINDOW // 2 :] + GAP + behind[: WINDOW // 2]
