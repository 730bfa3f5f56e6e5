"""The lenient tokeniser: worked cases on every Python, ``tokenize`` itself where that does the same."""

import io
import sys
import tokenize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.metrics.python_tokens import python_tokens
from tests.conala import problems
from tests.metrics.programs import HARD_TEXTS, humaneval_programs

CASES = {
    "": [],
    "x = 1": ["x", "=", "1", ""],
    "x = 1\n": ["x", "=", "1", "\n"],
    "# only": ["# only", ""],
    "if a:\n  b\nc": ["if", "a", ":", "\n", "  ", "b", "\n", "", "c", ""],
    "f(\n1)": ["f", "(", "\n", "1", ")", ""],
    "a \\\n+ b": ["a", "+", "b", ""],
    "`x`": ["`", "x", "`", ""],
    "f( 'abc": None,
    "f 'abc": ["f", " ", "'", "abc", ""],
    "x)": None,
    "'''a": None,
    "rb'\\'' 0x_1F 1_0.5e-3j x!=y ...": ["rb'\\''", "0x_1F", "1_0.5e-3j", "x", "!=", "y", "...", ""],
    "f'{a + 1}'": ["f'{a + 1}'", ""],
    "if a:\n    b\n  c": None,
}


@pytest.mark.parametrize(("text", "tokens"), CASES.items())
def test_worked_cases(text: str, tokens: list[str] | None) -> None:
    assert python_tokens(text) == tokens


def standard_tokens(text: str) -> list[str] | None:
    try:
        found = [token.string for token in tokenize.tokenize(io.BytesIO(text.encode()).readline)]
    except (tokenize.TokenError, IndentationError):
        return None
    return found[1:-1]


def test_agrees_with_the_standard_library_on_humaneval() -> None:
    """From 3.12 on, f-strings come in pieces and a blank NL is an empty string: those are left out there."""
    strict = sys.version_info >= (3, 12)
    for program in humaneval_programs():
        if not (strict and ("f'" in program or 'f"' in program)):
            assert _visible(python_tokens(program)) == _visible(standard_tokens(program)), program


def _visible(tokens: list[str] | None) -> list[str] | None:
    return None if tokens is None else [token for token in tokens if token.strip()]


def test_agrees_with_the_lenient_standard_library_on_conala() -> None:
    """Every text of the study, broken ones too, where Python still has that tokeniser; else known totals."""
    texts = {text for problem in problems() for text in (*problem.references, *problem.outputs.values())}
    ours = {text: python_tokens(text) for text in texts}
    assert sum(tokens is None for tokens in ours.values()) == 98
    if sys.version_info < (3, 12):
        assert ours == {text: standard_tokens(text) for text in texts}


@given(st.text(alphabet="ab1 .=\n\t\\'\"`()[]#:é", max_size=40))
def test_visible_characters_survive(text: str) -> None:
    """Tokens hold every character of the text in order, white space and joined lines aside."""
    tokens = python_tokens(text)
    if tokens is not None:
        kept = "".join(" ".join(tokens).replace("\\\n", "").split())
        assert kept == "".join(text.replace("\\\n", "").split())
        if sys.version_info < (3, 12):
            assert tokens == standard_tokens(text)


@pytest.mark.parametrize("text", ["'" + "\\'" * 100_000, "x" + " " * 200_000 + "`", "'''" + "line\n" * 100_000])
def test_takes_linear_time(text: str) -> None:
    """Each takes minutes when every quote, blank or line is looked at again and again."""
    tokens = python_tokens(text)
    assert tokens is None or "".join(tokens) == text


@pytest.mark.parametrize("name", HARD_TEXTS)
def test_never_raises(name: str) -> None:
    python_tokens(HARD_TEXTS[name])
