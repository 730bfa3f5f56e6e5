"""The code tokeniser against its definition, step by step, and by hand."""

import re

import pytest
from hypothesis import given

from app.metrics.code_tokenizer import code_tokens
from tests.metrics.strategies import text


@pytest.mark.parametrize(
    ("code", "tokens"),
    [
        ("", []),
        (" \t\r\n", []),
        ("myList['a']", ["my", "List", "[", "`", "a", "`", "]"]),
        ('"é"', ["`", "é", "`"]),
        ("aBcD_eF2G", ["a", "Bc", "D_e", "F2G"]),
        ("HTTPServer", ["HTTPServer"]),
        ("a**b", ["a", "*", "*", "b"]),
        ("x\u00a0=\u20031", ["x", "=", "1"]),
    ],
)
def test_by_hand(code: str, tokens: list[str]) -> None:
    assert code_tokens(code) == tokens


@given(text)
def test_equals_the_published_steps(code: str) -> None:
    spaced = re.sub(r"([^A-Za-z0-9_])", r" \1 ", code)
    split = re.sub(r"([a-z])([A-Z])", r"\1 \2", spaced)
    quoted = re.sub(r"\s+", " ", split).replace('"', "`").replace("'", "`")
    assert code_tokens(code) == [token for token in quoted.split(" ") if token]
