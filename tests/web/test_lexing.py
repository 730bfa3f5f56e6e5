"""Pygments' rules in one go give what Pygments gives, token for token."""

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pygments.lexer import RegexLexer
from pygments.lexers import get_all_lexers
from pygments.token import Token

from app.errors import InvalidInput
from app.services.code_languages import OFFERED, PLAIN, known_language, lexer_of
from app.web.lexing import _states_of, tokens_of

HOUSE = Path(__file__).parents[2]
# Of several kinds: no language reads all of them well, and what is wrong must be cut up alike, too.
FILES = (
    "app/web/lexing.py",
    "static/css/base.css",
    "templates/grading/grade.html",
    "docker-compose.yml",
    "Makefile",
    "README.md",
)
HARD = (
    'f"{x!r:>{width}} {{" rb\'\\n\' """open\nif 1: # ende',
    "/* never closed\n int main() { return '\\''; } // \\\n still",
    '`a ${b} \\` $(c "$d") <<EOF\nx\nEOF\n#if 0\n#endif',
    "\n\n \t é ß \u2028 \x00 ¬ 0x1F 1e-9 .5 ::= <- -> => |> @a #b $c %d ~e ^f",
    "",
    "\n",
)
TEXTS = [*(Path(HOUSE, file).read_text()[:1500] for file in FILES), *HARD]
LANGUAGES = sorted(aliases[0] for _, aliases, _, _ in get_all_lexers(plugins=False) if aliases)
COLOURED = [name for name in LANGUAGES if lexer_of(name) is not None]


@cache
def known(language: str) -> RegexLexer:
    lexer = lexer_of(language)
    assert lexer is not None
    return lexer


@pytest.mark.parametrize("language", COLOURED)
def test_every_language_is_cut_up_as_pygments_does(language: str) -> None:
    lexer = known(language)
    for text in TEXTS:
        assert list(tokens_of(lexer, text)) == list(lexer.get_tokens_unprocessed(text))


SIGNS = """ ' " \"\"\" // /* */ # \\ ( ) { } [ ] < > ; : , . @ $ ` = + - * & | ! ? % <?php ?> <<EOF #if f' r' é """
WORDS = "def class return import if else 0x1f 1.5e3 name Name self EOF"
PIECES = st.sampled_from([*SIGNS.split(), *WORDS.split(), "if ", "class ", "\n", " ", "\t", "\u2028"])


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([name for name in OFFERED if name != PLAIN]), st.lists(PIECES, max_size=40).map("".join))
def test_whatever_is_written_is_cut_up_as_pygments_does(language: str, text: str) -> None:
    lexer = known(language)
    assert list(tokens_of(lexer, text)) == list(lexer.get_tokens_unprocessed(text))


def test_a_state_of_python_is_one_pattern() -> None:
    """Otherwise all of this would be for nothing."""
    lexer = known("python")
    assert len(lexer._tokens["root"]) > 50  # type: ignore[attr-defined]
    assert len(_states_of(lexer)["root"]) == 1


def test_rules_that_refer_to_their_groups_stand_alone() -> None:
    class Quoted(RegexLexer):
        tokens = {  # noqa: RUF012 - as Pygments wants it
            "root": [
                (r"[a-c]", Token.Letter),
                (r"(?i)KEY", Token.Key),
                (r"(['\"]).*?\1", Token.Quoted),
                (r"[(]", Token.Open, "#push"),
                (r"\)", Token.Close, "#pop"),
                (r"=", Token.Same),
            ]
        }

    lexer = Quoted()
    text = 'a\'b"c\'key(Key))="a"\n)z'
    assert list(tokens_of(lexer, text)) == list(lexer.get_tokens_unprocessed(text))
    assert [len(each.rules) for each in _states_of(lexer)["root"]] == [2, 1, 3]


@pytest.mark.parametrize("language", ["smithy", "xquery"])
def test_what_pygments_is_not_fit_for_is_not_coloured(language: str) -> None:
    assert lexer_of(language) is None
    with pytest.raises(InvalidInput, match="no language that is highlighted here"):
        known_language(language)
