"""NewlineAfterDoc: an empty line between the docstring and the code."""

from random import Random

from app.perturbations.edits import Edit
from app.perturbations.format.released_text import entry_docstring
from app.perturbations.format.rule import FormatRule
from app.perturbations.protocol import Mode, Outcome, Unchanged
from app.perturbations.python.edits import changed
from app.perturbations.python.source import Source
from app.perturbations.registry import register


@register
class NewlineAfterDoc(FormatRule):
    """One line break more behind the docstring's line. Source: ReCode, section 3.4."""

    label = "NewlineAfterDoc"
    released_name = "new_line_afterdoc"

    def change(self, source: Source, draws: Random, mode: Mode) -> Outcome:
        """See ``PythonRule``."""
        if source.docstring is None:
            return Unchanged("The function has no docstring.")
        place = source.line_end(source.end(source.docstring))
        if place > source.split:
            return Unchanged("The docstring does not end in the visible part.")
        return changed(source, [Edit(place, place, "\n")])

    def released(self, prompt: str, entry_point: str) -> str:
        """See ``FormatRule``."""
        span = entry_docstring(prompt, entry_point)
        return f"{prompt[: span.end]}\n{prompt[span.end :]}" if span else prompt
