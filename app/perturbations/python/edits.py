"""Changes to a program's text at single places, counted in bytes; all around them stays as it is."""

from collections.abc import Sequence
from dataclasses import replace

from app.perturbations.edits import Edit
from app.perturbations.protocol import Outcome, Perturbed, Unchanged
from app.perturbations.python.source import Source, is_program


def changed(source: Source, edits: Sequence[Edit]) -> Outcome:
    """The problem with all edits made, each in the half that it lies in; they must not overlap.

    Unchanged where the prompt would stay as it is, an edit would reach across its end, or no program would be left.
    """
    if any(edit.start < source.split < edit.end for edit in edits):
        return Unchanged("The change would reach across the place where the visible part ends.")
    visible = [edit for edit in edits if edit.end <= source.split]
    hidden = [edit for edit in edits if edit.end > source.split]
    prompt = _made(source.code, 0, source.split, visible)
    rest = _made(source.code, source.split, len(source.code), hidden)
    if prompt == source.problem.prompt:
        return Unchanged("The change would fall into the hidden half of the solution.")
    if not is_program(prompt + rest):
        return Unchanged("The changed text would be no Python program.")
    return Perturbed(replace(source.problem, prompt=prompt, canonical_solution=rest))


def _made(code: bytes, start: int, end: int, edits: Sequence[Edit]) -> str:
    parts, place = [], start
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        parts += [code[place : edit.start], edit.text.encode("utf-8")]
        place = edit.end
    return b"".join([*parts, code[place:end]]).decode("utf-8")
