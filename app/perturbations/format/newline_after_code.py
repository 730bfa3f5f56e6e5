"""NewlineAfterCode: an empty line at the prompt's end."""

from random import Random

from app.perturbations.edits import Edit
from app.perturbations.format.rule import FormatRule
from app.perturbations.protocol import Mode, Outcome, Unchanged
from app.perturbations.python.edits import changed
from app.perturbations.python.source import Source
from app.perturbations.python.tokens import is_blank_line_allowed
from app.perturbations.registry import register


@register
class NewlineAfterCode(FormatRule):
    """One line break more behind the visible code. Source: ReCode, section 3.4."""

    label = "NewlineAfterCode"
    released_name = "new_line_aftercode"

    def change(self, source: Source, draws: Random, mode: Mode) -> Outcome:
        """See ``PythonRule``."""
        if not source.code[: source.split].endswith(b"\n"):
            return Unchanged("The prompt ends in the middle of a line.")
        if not is_blank_line_allowed(source, source.split):
            return Unchanged("The prompt ends in a string or behind a backslash, where no empty line may stand.")
        return changed(source, [Edit(source.split, source.split, "\n")])

    def released(self, prompt: str, entry_point: str) -> str:
        """See ``FormatRule``."""
        return prompt + "\n"
