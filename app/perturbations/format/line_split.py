"""Line Split: the longest line of code, broken in its middle."""

from itertools import pairwise
from random import Random

from app.perturbations.edits import Edit
from app.perturbations.format.released_text import QUOTES, leading_space
from app.perturbations.format.rule import FormatRule
from app.perturbations.protocol import Mode, Outcome, Unchanged
from app.perturbations.python.edits import changed
from app.perturbations.python.source import Source
from app.perturbations.python.tokens import Token, tokens
from app.perturbations.registry import register


@register
class LineSplit(FormatRule):
    """The longest line of the visible code goes on behind a backslash. Source: ReCode, section 3.4.

    Split before the middle one of its words, where words end at white space that lies outside strings and comments:
    there Python allows it anywhere. The released files' script wrote double-quoted strings back wrongly, so that
    seven of HumanEval's prompts are broken; here these strings stay whole in both modes.
    """

    label = "LineSplit"
    released_name = "split_lines"

    def change(self, source: Source, draws: Random, mode: Mode) -> Outcome:
        """See ``PythonRule``."""
        gaps = _gaps(source)
        if not gaps:
            return Unchanged("No line of the visible code has white space to be split at.")
        line = max(gaps, key=lambda start: _length(source.text(start, source.line_end(start))))
        start, end = gaps[line][(len(gaps[line]) + 1) // 2 - 1]
        return changed(source, [Edit(start, end, f" \\\n{source.indent(line)}    ")])

    def released(self, prompt: str, entry_point: str) -> str:
        """See ``FormatRule``."""
        lines = prompt.split("\n")
        kept = _released_docstrings(lines)
        splittable = [
            number
            for number, line in enumerate(lines)
            if number not in kept and "#" not in line and entry_point not in line and " " in line.strip()
        ]
        if not splittable:
            return prompt
        longest = max(splittable, key=lambda number: _length(lines[number]))
        lines[longest] = _released_halves(lines[longest])
        return "\n".join(lines)


def _length(line: str) -> int:
    """Characters that are no spaces."""
    return len(line.replace(" ", ""))


def _released_docstrings(lines: list[str]) -> set[int]:
    """Lines that the script took for docstrings: each with triple quotes begins or ends one."""
    kept, is_inside = set(), False
    for number, line in enumerate(lines):
        has_quotes = any(quotes in line for quotes in QUOTES)
        if has_quotes or is_inside:
            kept.add(number)
        is_inside = is_inside != has_quotes
    return kept


def _released_halves(line: str) -> str:
    words = line.lstrip().split(" ")
    middle = len(line.split()) // 2
    return f"{leading_space(line)}{' '.join(words[:middle])}  \\\n  {' '.join(words[middle:])}"


def _gaps(source: Source) -> dict[int, list[tuple[int, int]]]:
    """For each visible line of the function's code the white space between its tokens, from where to where."""
    inside = [token for token in tokens(source) if source.body_start <= token.start < source.split]
    gaps: dict[int, list[tuple[int, int]]] = {}
    for left, right in pairwise(inside):
        if _may_part(source, left, right):
            gaps.setdefault(source.line_start(left.end), []).append((left.end, right.start))
    return gaps


def _may_part(source: Source, left: Token, right: Token) -> bool:
    between = source.code[left.end : right.start]
    is_visible = source.line_end(right.end) <= source.split
    return bool(between) and not between.strip(b" \t") and right.kind != "comment" and is_visible
