"""What the three rules that rename a variable have in common: which one."""

from abc import abstractmethod
from random import Random

from app.perturbations.protocol import Mode, Outcome, Unchanged
from app.perturbations.python.names import reads_its_names
from app.perturbations.python.renaming import Renamable, most_frequent, renamed
from app.perturbations.python.source import Source
from app.perturbations.syntax.rule import SyntaxRule


class VarRenamerRule(SyntaxRule):
    """The variable that stands most often in the visible code gets another name wherever it is meant.

    Parameters count, as in the paper; imported names, functions, types and names of the module do not. The docstring
    still says the old name, as in the paper. As released the whole function is counted, where ties hung on a hash's
    order; here the first of equals is taken.
    """

    def change(self, source: Source, draws: Random, mode: Mode) -> Outcome:
        """See ``PythonRule``."""
        if reads_its_names(source):
            return Unchanged("The program reads the names of its variables.")
        old = most_frequent(source, visible_only=mode is Mode.PAPER)
        if old is None:
            return Unchanged("No variable in the visible code may get another name.")
        new = self.new_name(source, old, draws)
        return renamed(source, old, new) if new else Unchanged(f"There is no new name for {old.name}.")

    @abstractmethod
    def new_name(self, source: Source, old: Renamable, draws: Random) -> str | None:
        """A name that stands nowhere in the program or its tests."""
