"""DeadCodeInserter: a block that never runs, by chance anywhere, or next to the place where the model goes on."""

from random import Random

from app.perturbations.edits import Edit
from app.perturbations.protocol import Mode, Outcome, Unchanged
from app.perturbations.python.dead_blocks import Copied, block, choices
from app.perturbations.python.edits import changed
from app.perturbations.python.names import reads_its_names
from app.perturbations.python.source import Source
from app.perturbations.python.statements import Placed
from app.perturbations.registry import register
from app.perturbations.syntax.rule import SyntaxRule


@register
class DeadCodeInserter(SyntaxRule):
    """A loop without turns or a condition that never holds, around a copy of a visible statement.

    It stands before a visible statement, both by chance. Source: ReCode, section 3.3. The released script copied
    hidden statements, too, and so gave half of its prompts a line of the answer; and it put dead code before imports.
    """

    label = "DeadCodeInserter"
    released_name = "DeadCodeInserter"
    is_random = True

    def change(self, source: Source, draws: Random, mode: Mode) -> Outcome:
        """See ``PythonRule``."""
        if reads_its_names(source):
            return Unchanged("The program reads the names of its variables, and a dead loop may add one.")
        if not choices(source):
            return Unchanged("No whole statement of the visible code can be copied.")
        place, found = self.choose(choices(source), draws)
        start = source.line_start(source.start(place.node))
        lines = block(source, draws.choice(found), source.indent(start), draws)
        return changed(source, [Edit(start, start, "".join(f"{line}\n" for line in lines))])

    def choose(self, found: tuple[tuple[Placed, list[Copied]], ...], draws: Random) -> tuple[Placed, list[Copied]]:
        """Before which statement the block goes."""
        return draws.choice(found)


@register
class DeadCodeInserterLast(DeadCodeInserter):
    """As ``DeadCodeInserter``, but always before the last visible statement that it can stand before."""

    label = "DeadCodeInserterLast"
    released_name = "DeadCodeInserterLast"

    def choose(self, found: tuple[tuple[Placed, list[Copied]], ...], draws: Random) -> tuple[Placed, list[Copied]]:
        """See ``DeadCodeInserter``."""
        return found[-1]
