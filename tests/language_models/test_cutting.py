"""The rules that cut completions, on the traps that each of them was made for or falls into."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.language_models.cutting import RULES, cut

PROMPT = 'from typing import List\n\n\ndef total(numbers: List[int]) -> int:\n    """Add them up."""\n'
BODY = "    return sum(numbers)\n"


def runs(prompt: str, completion: str, call: str) -> object:
    """What the call gives after the program that prompt and completion are."""
    scope: dict[str, object] = {}
    exec(compile(prompt + completion, "answer", "exec"), scope)
    return eval(call, scope)


@pytest.mark.parametrize("rule", RULES)
def test_an_answer_that_simply_goes_on_is_left_as_it_is(rule: str) -> None:
    assert cut(rule, BODY, PROMPT, "total") == BODY


@pytest.mark.parametrize("stop", ["\nclass A:\n    pass", "\ndef g():\n    pass", "\n# next", "\nif True:\n    g()"])
@pytest.mark.parametrize("rule", ["humaneval", "function"])
def test_what_comes_after_the_answer_is_cut(rule: str, stop: str) -> None:
    assert cut(rule, f"{BODY}{stop}", PROMPT, "total").rstrip() == BODY.rstrip()
    assert cut(rule, f"{BODY}\nprint(total([1]))\n", PROMPT, "total").rstrip() == BODY.rstrip()


def test_a_helper_after_the_answer_is_kept_if_it_is_used() -> None:
    written = (
        "    return add(numbers)\n\n\ndef unused():\n    return 1\n\n\ndef add(them):\n    return START + sum(them)\n"
        "\n\nSTART = 5\nassert total([1]) == 7\n"
    )
    kept = cut("function", written, PROMPT, "total")
    assert runs(PROMPT, kept, "total([1, 2])") == 8
    assert "unused" not in kept
    assert "assert" not in kept
    assert "def add" not in cut("humaneval", written, PROMPT, "total")


def test_an_import_and_a_class_after_the_answer_are_kept_if_they_are_used() -> None:
    written = (
        "    return math.floor(Sum(numbers).value)\n\n\nimport math\nimport os\n\n\n"
        "class Sum:\n    def __init__(self, them):\n        self.value = sum(them)\n"
    )
    kept = cut("function", written, PROMPT, "total")
    assert runs(PROMPT, kept, "total([1, 2])") == 3
    assert "import os" not in kept


def test_a_later_definition_of_the_same_name_is_not_kept() -> None:
    written = f"{BODY}\n\ndef total(numbers):\n    return -1\n"
    assert runs(PROMPT, cut("function", written, PROMPT, "total"), "total([1, 2])") == 3


def test_a_docstring_that_holds_def_is_no_end_to_whole_functions() -> None:
    written = '    """Like this:\ndef total(numbers):\n    ...\n    """\n    return sum(numbers)\n\n\nprint(1)\n'
    kept = cut("function", written, PROMPT, "total")
    assert runs(PROMPT, kept, "total([1, 2])") == 3
    assert "print" not in kept
    assert "return sum" not in cut(
        "humaneval", written, PROMPT, "total"
    )  # as with the harness that it is named after


@pytest.mark.parametrize("rule", ["humaneval", "function", "fenced"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_chat_answer_that_repeats_the_prompt_in_a_fence(rule: str, newline: str) -> None:
    written = f"```python\n{PROMPT}{BODY}```\n\nThis adds the numbers up.\n".replace("\n", newline)
    kept = cut(rule, written, PROMPT.replace("\n", newline), "total")
    assert "```" not in kept
    assert "This adds" not in kept
    assert runs(PROMPT, kept, "total([1, 2])") == 3
    assert kept.count("def") == 0


@pytest.mark.parametrize("rule", ["function", "fenced"])
def test_a_chat_answer_that_talks_first_and_writes_its_own_function(rule: str) -> None:
    written = "Here it is:\n\n```python\ndef total(values):\n    return 1 + sum(values)\n```\nEnjoy!\n"
    for prompt in (PROMPT, PROMPT.rstrip()):
        kept = cut(rule, written, prompt, "total")
        assert runs(prompt, kept, "total([1, 2])") == 4
        assert "Enjoy" not in kept


def test_an_answer_that_goes_on_and_then_closes_a_fence() -> None:
    written = f"{BODY}```\n\nThis function adds.\n\n```python\nprint(total([1]))\n```\n"
    for rule in ("humaneval", "function"):
        assert cut(rule, written, PROMPT, "total") == BODY.rstrip("\n") + "\n" * (rule == "function")


def test_a_fence_in_a_docstring_closes_nothing() -> None:
    code = 'def total(numbers):\n    """Use:\n    ```\n    total([1])\n    ```\n    """\n    return sum(numbers)\n'
    assert cut("fenced", f"Sure.\n```py\n{code}```\n", "", "total") == code


def test_a_fence_that_is_never_closed_reaches_to_the_end() -> None:
    assert cut("fenced", "```\nx = 1\ny = ", "", None) == "x = 1\ny = "


def test_windows_line_ends_stay_but_for_the_last() -> None:
    assert (
        cut("humaneval", "    x = 1\r\n    return x\r\n\r\ndef g():\r\n    pass\r\n")
        == "    x = 1\r\n    return x\r\n"
    )
    kept = cut("function", "    x = 1\r\n    return x\r\n\r\ndef g():\r\n    pass\r\n", PROMPT, "total")
    assert kept.rstrip() == "    x = 1\r\n    return x"


def test_prose_after_a_body_is_cut() -> None:
    kept = cut("function", f"{BODY}\nThis function returns the sum of all numbers.\n", PROMPT, "total")
    assert kept.rstrip() == BODY.rstrip()


def test_an_answer_that_the_token_limit_cut_stays_as_it_is() -> None:
    assert cut("function", "    return sum(numb", PROMPT, "total") == "    return sum(numb"
    assert cut("function", "    x = [1,\n", PROMPT, "total") == "    x = [1,\n"


def test_a_helper_before_the_answer_is_kept() -> None:
    written = "```python\ndef half(x):\n    return x / 2\n\n\ndef total(numbers):\n    return half(sum(numbers))\n```"
    assert runs(PROMPT, cut("function", written, PROMPT, "total"), "total([1, 3])") == 2


def test_an_empty_completion_stays_empty() -> None:
    assert {cut(rule, "", PROMPT, "total") for rule in RULES} == {""}


def test_an_unknown_rule_names_the_known() -> None:
    with pytest.raises(ValueError, match=r"no rule 'human'.*humaneval, function, fenced, none"):
        cut("human", BODY)


@pytest.mark.parametrize("unit", ["x = 1\n", "def f():\n", "```\n", "(", "\n    ", '"""', "# a\n"])
@pytest.mark.parametrize("rule", RULES)
def test_a_megabyte_is_cut(rule: str, unit: str) -> None:
    assert isinstance(cut(rule, unit * (1_000_000 // len(unit)), PROMPT, "total"), str)


@given(
    st.lists(
        st.sampled_from(["def f(x):\n", "    return 1\n", "```\n", '"""', "\r\n", "é", "\ud800", "f(", "  ", "#"])
    )
)
def test_every_rule_gives_a_text_that_holds_only_what_was_written(pieces: list[str]) -> None:
    written = "".join(pieces)
    for rule in RULES:
        kept = cut(rule, written, "def f(x):\n", "f")
        assert set(kept) <= set(written) | {"\n"}
        assert len(kept) <= len(written) + 3 * written.count("\n") + 2
