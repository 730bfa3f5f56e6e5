"""Tab-Indent: tabs where spaces indent, or spaces where tabs do."""

import ast
import io
import tokenize
from random import Random

from app.perturbations.edits import Edit
from app.perturbations.format.released_text import leading_space
from app.perturbations.format.rule import FormatRule
from app.perturbations.protocol import Mode, Outcome, Perturbed, Unchanged
from app.perturbations.python.edits import changed
from app.perturbations.python.same import is_same_program
from app.perturbations.python.source import Source, is_bare_string
from app.perturbations.python.tokens import strings
from app.perturbations.registry import register

SPACES = "    "
_BLOCKS = {tokenize.INDENT: 1, tokenize.DEDENT: -1}
_NO_STATEMENT = frozenset({tokenize.NL, tokenize.COMMENT})


@register
class TabIndent(FormatRule):
    """The unit of indentation becomes a tab, or four spaces where it is a tab. Source: ReCode, section 3.4.

    Docstrings are indented anew, other strings are not. The solution's other half changes with the prompt, else the
    two don't fit: in the released files it was left, and no program of theirs can be read.
    """

    label = "TabIndent"
    released_name = "tab_indent"

    def change(self, source: Source, draws: Random, mode: Mode) -> Outcome:
        """See ``PythonRule``."""
        first = source.start(source.function.body[0])
        if not source.begins_line(first):
            return Unchanged("The function's body shares a line with its head.")
        outcome = changed(source, _edits(source, source.indent(first)))
        if isinstance(outcome, Perturbed) and not is_same_program(source, outcome.problem):
            return Unchanged("The program's indentation hangs together with its lines' ends or with strings.")
        return outcome

    def released(self, prompt: str, entry_point: str) -> str:
        """See ``FormatRule``."""
        lines = prompt.split("\n")
        head = prompt[: max(prompt.find(entry_point), 0)].count("\n")
        unit = next((leading_space(line) for line in lines[head + 1 :] if line.strip()), "")
        if not unit:
            return prompt
        return "\n".join(_indented_anew(line, unit, other_unit(unit)) if line.strip() else line for line in lines)


def other_unit(unit: str) -> str:
    """What indents instead."""
    return SPACES if "\t" in unit else "\t"


def _edits(source: Source, unit: str) -> list[Edit]:
    kept, levels, other = _lines_in_strings(source), _levels(source), other_unit(unit)
    edits = []
    for number, start in enumerate(source.lines, start=1):
        line = source.text(start, source.line_end(start))
        space = leading_space(line)
        if line.strip() and start not in kept and space:
            anew = other * levels[number] if number in levels else space.replace(unit, other)
            edits.append(Edit(start, start + len(space), anew))
    return edits


def _levels(source: Source) -> dict[int, int]:
    """How deep the block of each line is that begins a statement: blocks may be indented unevenly."""
    levels: dict[int, int] = {}
    level, begins = 0, True
    for token in tokenize.generate_tokens(io.StringIO(source.code.decode("utf-8")).readline):
        if token.type in _BLOCKS:
            level += _BLOCKS[token.type]
        elif token.type not in _NO_STATEMENT:
            if begins:
                levels[token.start[0]] = level
            begins = token.type == tokenize.NEWLINE
    return levels


def _lines_in_strings(source: Source) -> set[int]:
    """Where lines begin within a string that is data, and no docstring."""
    bare = {source.start(node) for node in ast.walk(source.tree) if is_bare_string(node)}
    data = [token for token in strings(source) if token.start not in bare]
    return {line for line in source.lines for token in data if token.start < line < token.end}


def _indented_anew(line: str, unit: str, other: str) -> str:
    space = leading_space(line)
    return space.replace(unit, other) + line.removeprefix(space)
