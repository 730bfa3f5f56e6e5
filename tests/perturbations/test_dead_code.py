"""DeadCodeInserter: what may be copied, where it stands, and that it never runs."""

import ast
import re
import time
from typing import Any

import pytest

from app.perturbations import Outcome, Perturbed, find
from tests.perturbations.changes import code, perturbed, problem, reason
from tests.perturbations.human_eval import halves

BOTH = ("syntax/DeadCodeInserter", "syntax/DeadCodeInserterLast")
HEADS = (
    r"while False:",
    r"if False:",
    r"for (_i_\d) in range\(0\):",
    r"(_i_\d) = 0\n *(while|if) \1 [<>] \1:",
)
WORK = 'def work(n):\n    """Work."""\n    x = n\n    y = x\n    if y:\n'


@pytest.mark.parametrize("seed", range(30))
def test_each_block_is_one_of_the_paper_s(seed: int) -> None:
    prompt, rest = code(BOTH[0], WORK, "        return x\n", seed=seed)
    assert rest == "        return x\n"
    assert any(re.search(rf"\n    {head}\n        (x = n|y = x)\n    ", prompt) for head in HEADS), prompt
    assert without_dead_blocks(prompt + rest) == ast.dump(ast.parse(WORK + rest))


def test_every_kind_of_block_comes() -> None:
    prompts = {code(BOTH[0], WORK, "        return x\n", seed=seed)[0] for seed in range(60)}
    assert all(any(re.search(head, prompt) for prompt in prompts) for head in HEADS)
    assert len({prompt.index("x = n\n") for prompt in prompts}) > 1  # the places differ, too


def test_the_last_place_is_before_the_last_visible_statement() -> None:
    for seed in range(10):
        prompt, _ = code(BOTH[1], WORK, "        return x\n", seed=seed)
        assert prompt.endswith("    if y:\n")
        assert prompt.startswith('def work(n):\n    """Work."""\n    x = n\n    y = x\n    ')


def test_nothing_hidden_is_copied() -> None:
    hidden = "        return n + 31\n"
    assert all("31" not in code(BOTH[0], WORK, hidden, seed=seed)[0] for seed in range(30))
    only = problem("def work(n):\n    if n:\n", hidden)
    assert reason(BOTH[0], only) == "No whole statement of the visible code can be copied."


def test_variables_that_are_not_yet_set_are_not_read() -> None:
    for seed in range(30):
        prompt, _ = code(BOTH[0], WORK, "        return x\n", seed=seed)
        assert "y = x" not in prompt.split("x = n\n")[0]


def test_break_and_continue_stand_in_a_loop() -> None:
    lines = (
        "def work(xs):\n    for x in xs:\n        if x:\n            continue\n        if not x:\n            break\n"
    )
    for seed in range(40):
        made = perturbed(BOTH[0], problem(lines, "        print(x)\n    return xs\n"), seed)
        compile(made.prompt + made.canonical_solution, "changed", "exec")


def test_no_local_name_becomes_another_function_s() -> None:
    lines = "def work(n):\n    def inner():\n        return n\n    n = n + 1\n    m = n\n"
    for seed in range(40):
        prompt, rest = code(BOTH[0], lines, "    return inner() + m\n", seed=seed)
        names: dict[str, object] = {}
        exec(prompt + rest, names)
        assert names["work"](1) == 4  # type: ignore[operator]


@pytest.mark.parametrize("statement", ["global n", "def f(): pass", 'x = """a\n  b"""', "pass"])
def test_what_could_not_stand_twice_is_not_copied(statement: str) -> None:
    given = problem(f"def work():\n    {statement}\n    if 1:\n", "        return 1 + 2 + 3 + 4 + 5 + 6\n")
    assert reason(BOTH[0], given) == "No whole statement of the visible code can be copied."


def test_no_name_is_used_before_it_is_declared_nonlocal() -> None:
    lines = "def work(a):\n    def f():\n        import re\n        nonlocal a\n        b = a\n        if b:\n"
    made = {code(BOTH[0], lines, "            return b\n    return f()\n", seed=seed)[0] for seed in range(40)}
    assert all("import re\n        nonlocal a\n" in prompt for prompt in made)


@pytest.mark.parametrize("before", ["elif n:\n        n = 2\n", "else:\n        n = 2\n"])
def test_no_block_stands_between_the_branches_of_an_if(before: str) -> None:
    lines = f"def work(n):\n    n = 1\n    if n:\n        n = 3\n    {before}"
    for seed in range(20):
        made = perturbed(BOTH[0], problem(lines, "    return n\n"), seed)
        ast.parse(made.prompt + made.canonical_solution)


@pytest.mark.parametrize("name", BOTH)
def test_all_that_is_added_to_human_eval_is_dead(name: str) -> None:
    for given in halves():
        outcome: Outcome = find(name).perturb(given, 0)
        if not isinstance(outcome, Perturbed):
            continue
        assert outcome.problem.canonical_solution == given.canonical_solution
        assert without_dead_blocks(outcome.problem.prompt + given.canonical_solution) == ast.dump(
            ast.parse(given.prompt + given.canonical_solution)
        )


def without_dead_blocks(text: str) -> str:
    """The tree without blocks whose head says that they never run, and without their counters."""

    class Remover(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> Any:
            if isinstance(node, ast.If | ast.While | ast.For) and _is_dead(node):
                return None
            if isinstance(node, ast.Assign) and ast.unparse(node).startswith("_i_"):
                return None
            return super().visit(node)

    return ast.dump(Remover().visit(ast.parse(text)))


def _is_dead(node: ast.If | ast.While | ast.For) -> bool:
    if isinstance(node, ast.For):
        return ast.unparse(node.iter) == "range(0)"
    test = ast.unparse(node.test)
    return test == "False" or re.fullmatch(r"(_i_\d) [<>] \1", test) is not None


def test_a_long_function_takes_seconds_and_no_minutes() -> None:
    lines = "".join(f"    for i{n} in range(n):\n        x{n} = i{n} < n\n" for n in range(150))
    begun = time.process_time()
    code(BOTH[0], f'def work(n):\n    """Work."""\n{lines}', "    return n\n")
    assert time.process_time() - begun < 20  # 1 s; it was 100 s when each place looked at each statement anew
