"""A problem whose function bears another name, everywhere where its name means the function."""

import ast
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import replace

from app.metrics.name_scopes import Variable, resolve_names
from app.perturbations.edits import Edit, apply
from app.perturbations.mentions import calls_in_string, is_f_string, mentions, uses_in_f_string
from app.perturbations.name_parts import why_not
from app.perturbations.programs import Program, read_program
from app.perturbations.protocol import Outcome, Perturbed, Problem, Unchanged

NO_FUNCTION = "The program does not define its entry point as a function of its own."


def renamed(problem: Problem, new: str) -> Outcome:
    """The problem with its entry point called ``new``: signature, calls, docstrings, comments, and the tests.

    Unchanged where the text is no program, does not define the function at its top, or the name is not free.
    """
    if new == problem.entry_point:
        return Unchanged("The name stays what it was.")
    program, tests = read_program(problem.prompt + problem.canonical_solution), read_program(problem.tests)
    if program is None or tests is None:
        return Unchanged(f"The {'tests do' if program else 'program does'} not parse.")
    if not _defines(program, problem.entry_point):
        return Unchanged(NO_FUNCTION)
    if (reason := why_not(new, problem)) is not None:
        return Unchanged(reason)
    return Perturbed(_rewritten(problem, program, tests, new))


def _rewritten(problem: Problem, program: Program, tests: Program, new: str) -> Problem:
    old, border = problem.entry_point, len(problem.prompt)
    edits = list(_edits(program, old, new))
    behind = [Edit(each.start - border, each.end - border, each.text) for each in edits if each.start >= border]
    return replace(
        problem,
        prompt=apply(problem.prompt, (each for each in edits if each.start < border)),
        canonical_solution=apply(problem.canonical_solution, behind),
        tests=apply(problem.tests, _edits(tests, old, new)),
        entry_point=new,
    )


def _defines(program: Program, name: str) -> bool:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    is_spelled_so = any(token.text == name for token in program.tokens)  # Python takes ﬁ for fi
    return is_spelled_so and any(isinstance(each, kinds) and each.name == name for each in program.tree.body)


def _edits(program: Program, old: str, new: str) -> Iterator[Edit]:
    """Changes of one text: its names by Python's scopes, its comments and strings by what they say."""
    named = _places(program, old)
    read_by_people = {program.start(node.value) for node in ast.walk(program.tree) if isinstance(node, ast.Expr)}
    for token in program.tokens:
        if token.kind == tokenize.NAME and token.start in named:
            yield Edit(token.start, token.end, new)
        elif token.kind == tokenize.COMMENT or (token.kind == tokenize.STRING and token.start in read_by_people):
            yield from _moved(mentions(token.text, old, new), token.start)
        elif token.kind == tokenize.STRING and not is_f_string(token.text):
            yield from _moved(calls_in_string(token.text, old, new), token.start)
        elif token.kind == tokenize.STRING and _is_meant_in_f_strings(program, old):
            yield from _moved(uses_in_f_string(token.text, old, new), token.start)


def _is_meant_in_f_strings(program: Program, name: str) -> bool:
    """Whether no f-string takes the name for something else: as one token it doesn't tell one from another."""
    variables = resolve_names(program.tree)
    formatted = (node for node in ast.walk(program.tree) if isinstance(node, ast.JoinedStr))
    inside = (part for node in formatted for part in ast.walk(node) if isinstance(part, ast.Name) and part.id == name)
    return all(variables[each] == Variable(0, name) for each in inside)


def _places(program: Program, name: str) -> set[int]:
    """Where the name is the module's: its definition, and each use that no inner scope takes for itself."""
    found: set[int] = set()
    for node, variable in resolve_names(program.tree).items():
        if variable != Variable(0, name):
            continue
        if isinstance(node, ast.Name):
            found.add(program.start(node))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(_first_name(program, name, program.start(node)))
    for node in ast.walk(program.tree):
        if isinstance(node, ast.Global) and name in node.names:
            found.add(_first_name(program, name, program.start(node)))
    return found


def _first_name(program: Program, name: str, start: int) -> int:
    """The name's first token from there on; -1 where it is spelled otherwise."""
    return next((each.start for each in program.tokens if each.start >= start and each.text == name), -1)


def _moved(edits: Iterable[Edit], by: int) -> Iterator[Edit]:
    return (Edit(each.start + by, each.end + by, each.text) for each in edits)
