"""Doc2Comments: the docstring as comments."""

import re
from random import Random

from app.perturbations.edits import Edit
from app.perturbations.format.released_text import entry_docstring, leading_space
from app.perturbations.format.rule import FormatRule
from app.perturbations.protocol import Mode, Outcome, Unchanged
from app.perturbations.python.edits import changed
from app.perturbations.python.source import Source
from app.perturbations.python.tokens import strings
from app.perturbations.registry import register

_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_QUOTED = re.compile(r"""[rRuU]?(?P<quotes>'{3}|"{3}|'|")(?P<text>.*)(?P=quotes)""", re.DOTALL)


@register
class Doc2Comments(FormatRule):
    """Each line of the docstring becomes a comment, examples too. Source: ReCode, section 3.4.

    A function whose body was its docstring alone gets a ``pass``. The released files leave lines that begin further
    left than the docstring as they are, which can break the program; by the paper's rules they become comments, too.
    """

    label = "Doc2Comments"
    released_name = "doc2comments"

    def change(self, source: Source, draws: Random, mode: Mode) -> Outcome:
        """See ``PythonRule``."""
        docstring = source.docstring
        if docstring is None:
            return Unchanged("The function has no docstring.")
        start, end = source.start(docstring), source.end(docstring)
        if reason := _hindrance(source, start, end):
            return Unchanged(reason)
        quoted = _QUOTED.fullmatch(source.text(start, end))
        comments = comment_lines(quoted["text"], source.indent(start)) if quoted else []
        if not comments:
            return Unchanged("The docstring is empty.")
        if len(source.function.body) == 1:
            comments.append(f"{source.indent(start)}pass")
        return changed(source, [Edit(source.line_start(start), end, "\n".join(comments))])

    def released(self, prompt: str, entry_point: str) -> str:
        """See ``FormatRule``."""
        span = entry_docstring(prompt, entry_point)
        if span is None:
            return prompt
        line = prompt.rfind("\n", 0, span.start) + 1
        comments = _released_comments(prompt[span.start + 3 : span.end - 3], prompt[line : span.start])
        return prompt[:line] + "\n".join(comments) + prompt[span.end :]


def _hindrance(source: Source, start: int, end: int) -> str | None:
    """Why a docstring from start to end can't become comments."""
    if end > source.split:
        return "The docstring does not end in the visible part."
    if not source.begins_line(start) or source.code[end : source.line_end(end)].strip():
        return "The docstring shares a line with other code."
    if not any((token.start, token.end) == (start, end) for token in strings(source)):
        return "The docstring is put together from several strings."
    if "__doc__" in source.code.decode("utf-8") + source.problem.tests:
        return "The program or its tests read the docstring."
    return None


def comment_lines(text: str, indent: str) -> list[str]:
    """A docstring's text as comments: without the indentation that all lines share, and without outer empty lines."""
    first, *others = _LINE_BREAK.split(text)
    lines = [first.lstrip(), *others]
    bare = [line.removeprefix(indent) if line.startswith(indent) else line.lstrip() for line in lines]
    while bare and not bare[-1].strip():
        bare.pop()
    while bare and not bare[0].strip():
        bare.pop(0)
    return [f"{indent}# {line.rstrip()}".rstrip(" ") for line in bare]


def _released_comments(text: str, indent: str) -> list[str]:
    first, *inner = text.split("\n")
    comments = [f"{indent}# {first.lstrip()}"] if first.strip() else []
    for number, line in enumerate(inner, start=1):
        if number == len(inner) and not line.strip():
            continue  # the closing quotes alone
        if len(leading_space(line)) >= len(indent) and line.startswith(indent):
            comments.append(f"{indent}# {line.removeprefix(indent)}" + ("" if line.strip() else " "))
        else:
            comments.append(line)
    return comments
