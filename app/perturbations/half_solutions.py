"""Half a solution in the prompt: the problems that rules of syntax and format change.

Their nominal form is the same block in the same formatting, so that a perturbed prompt differs from it by the
perturbation alone. Source: ReCode (Wang et al., 2022).
"""

import re
from dataclasses import replace

from app.perturbations.protocol import Form, Problem


def half_solution(problem: Problem) -> Problem:
    """The problem with the first ⌊k/2⌋ of its solution's k lines moved into the prompt.

    A solution of one line stays hidden. Prompt and solution together are the text that they were. A problem that
    has half a solution already is returned as it is.
    """
    if problem.form is Form.HALF:
        return problem
    lines = _lines(problem.canonical_solution)
    half = len(lines) // 2
    return replace(
        problem,
        prompt=problem.prompt + "".join(lines[:half]),
        canonical_solution="".join(lines[half:]),
        form=Form.HALF,
    )


def has_half(solution: str) -> bool:
    """Whether there is a first half that a prompt could show: a solution of one line has none."""
    return len(_lines(solution)) > 1


def _lines(text: str) -> list[str]:
    """Lines with their ends; a form feed or the like within a line ends none."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)
