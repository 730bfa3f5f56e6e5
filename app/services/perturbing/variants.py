"""What a transformation made of a nominal row, as a row of its own: changed or not, and what is odd about it."""

import ast
import re
import warnings
from dataclasses import dataclass
from typing import Any

from app.perturbations import Form, Outcome, Perturbed, Problem
from app.services.perturbing.recipes import Piece
from app.storage.models import BenchmarkProblem

HALF_MARK = " · half"
LONGEST_KEY = 120  # of a problem, so that a transformation and its seed find room behind it
SAME_PROMPT = "The prompt stays the same."

# What is odd about a row: prompt and canonical solution are no Python, the prompt doesn't define the function that is
# tested, or solution or tests call it by the name that it had.
UNPARSABLE, UNDEFINED, OLD_NAME = "unparsable", "undefined", "old_name"


@dataclass(frozen=True, slots=True)
class Origin:
    """A nominal row, whole or half, as transformations see it. Draws go by the problem's key, which both share.
    ``is_solved``: whether it brings a canonical solution; what is made of one that doesn't brings none either."""

    id: int
    problem: Problem
    helpers: str
    is_solved: bool


def origin_of(row: BenchmarkProblem, language: str) -> Origin:
    """The nominal row."""
    problem = Problem(
        key=row.key.removesuffix(HALF_MARK) if row.form == Form.HALF else row.key,
        prompt=row.prompt,
        entry_point=row.entry_point or "",
        canonical_solution=row.canonical_solution or "",
        tests=row.tests,
        form=Form(row.form),
        language=language,
    )
    return Origin(row.id, problem, row.helpers, row.canonical_solution is not None)


def variant_row(origin: Origin, piece: Piece, outcome: Outcome, *, alias: bool) -> dict[str, Any]:
    """The columns that tell of the outcome. A prompt that stays the same is unchanged, whatever else changed: a model
    is asked the same. ``alias``: a renamed function may also be called by its old name, as released tests do."""
    before = origin.problem
    now = outcome.problem if isinstance(outcome, Perturbed) else before
    same = SAME_PROMPT if now.prompt == before.prompt else None
    odd = oddities(before, now) if same is None and before.language == "python" else []
    renamed = alias and OLD_NAME in odd
    return {
        "key": key_of(before.key, piece),
        "prompt": now.prompt,
        "entry_point": now.entry_point or None,
        "canonical_solution": now.canonical_solution if origin.is_solved else None,
        "tests": now.tests,
        "partial": None,
        "helpers": origin.helpers,
        "origin_id": origin.id,
        "transformation": piece.transformation,
        "category": str(piece.category),
        "perturbation_seed": piece.seed,
        "form": str(piece.form),
        "unchanged": same if isinstance(outcome, Perturbed) else outcome.reason,
        "oddity": " ".join(odd) or None,
        "code_after": f"\n\n{before.entry_point} = {now.entry_point}\n" if renamed else "",
    }


def key_of(task: str, piece: Piece) -> str:
    """The key of what a transformation made of that problem with a seed."""
    return f"{task} · {piece.label}"


def key_of_copy(problem: str, transformation: str, seed: int) -> str:
    """The same of a study's copy, whose problem may be half of one."""
    return f"{problem.removesuffix(HALF_MARK)} · {transformation} · {seed}"


def oddities(before: Problem, now: Problem) -> list[str]:
    """What is odd about a changed problem, in words of this file."""
    found = []
    solved = _parsed(now.prompt + now.canonical_solution)
    if solved is None:
        found.append(UNPARSABLE)
    if not re.search(rf"^\s*(?:async\s+def|def|class)\s+{re.escape(now.entry_point)}\b", now.prompt, re.MULTILINE):
        found.append(UNDEFINED)
    if now.entry_point != before.entry_point and any(
        _names(tree, before.entry_point) for tree in (solved, _parsed(now.tests)) if tree is not None
    ):
        found.append(OLD_NAME)
    return found


def _parsed(source: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _names(tree: ast.Module, name: str) -> bool:
    """Whether the program reads that name."""
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree))
