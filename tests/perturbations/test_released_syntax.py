"""As released, rules of syntax choose what the released files chose; their text went through a formatter."""

import ast

import pytest

from app.perturbations import Mode, PerturbationError, Perturbed, find
from tests.perturbations.human_eval import half, halves, released


def tree(text: str) -> str:
    """The syntax tree, docstrings aside: the formatter indented them anew."""
    found = ast.parse(text)
    for node in ast.walk(found):
        match node:
            case ast.FunctionDef(body=[ast.Expr(value=ast.Constant(value=str())), *_]):
                node.body.pop(0)
    return ast.dump(found)


def equal_and_different(name: str) -> tuple[int, list[str]]:
    """Of the problems that the rule changes: how many are the released programs, and which are not."""
    rule = find(name)
    outcomes = rule.perturb_all(halves(), 0, Mode.RELEASED)
    rows = released("natgen", str(rule.released_name))
    changed = [(each.problem, row) for each, row in zip(outcomes, rows, strict=True) if isinstance(each, Perturbed)]
    split = [(problem, row) for problem, row in changed if row["partial"] is not None]
    different = [
        problem.key
        for problem, row in split
        if tree(problem.prompt + problem.canonical_solution) != tree(row["prompt"] + row["canonical_solution"])
    ]
    return len(split) - len(different), different


def test_operands_are_swapped_where_they_were() -> None:
    equal, different = equal_and_different("syntax/OperandSwap")
    assert (equal, different) == (58, ["HumanEval/107"])  # whose first comparison the script left


def test_the_naive_name_goes_to_the_most_frequent_variable() -> None:
    equal, different = equal_and_different("syntax/VarRenamerNaive")
    assert equal == 93
    assert len(different) == 33  # ties, which a hash's order decided, and names of several variables


def test_the_first_for_is_changed_and_a_while_is_not() -> None:
    first = find("syntax/ForWhileSwitch").perturb(half(3), 0, Mode.RELEASED)
    assert isinstance(first, Perturbed)
    assert "while index < len(operations):" in first.problem.prompt
    assert not isinstance(find("syntax/ForWhileSwitch").perturb(half(13), 0, Mode.RELEASED), Perturbed)


@pytest.mark.parametrize("label", ["DeadCodeInserter", "DeadCodeInserterLast", "VarRenamerRN"])
def test_what_hung_on_chance_is_imported_instead(label: str) -> None:
    with pytest.raises(PerturbationError, match="import the released files instead"):
        find(f"syntax/{label}").perturb(half(0), 0, Mode.RELEASED)
