"""Messages in Python stand where the extractor finds them."""

import ast
from collections.abc import Iterator

import pytest

from app.charts.glossary import PAGES, terms_of
from app.charts.reasons import reason_in_words
from app.config import PROJECT_ROOT
from app.statistics import agreement, precision, ranking_stability, survey
from app.statistics.advice import FEWEST_PAIRS
from app.statistics.consensus import NoConsensus
from app.statistics.correlation import FEWEST_SYSTEMS
from app.words import LANGUAGES, speaking

TRANSLATES = {"gettext", "ngettext", "pgettext", "N_"}


def lost(source: str) -> Iterator[int]:
    """Lines with a message that is put together, or that stands inside an f-string."""
    tree = ast.parse(source)
    in_f_strings = [
        each for part in ast.walk(tree) if isinstance(part, ast.FormattedValue) for each in ast.walk(part)
    ]
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in TRANSLATES):
            continue
        is_put_together = any(isinstance(each, ast.JoinedStr | ast.BinOp) for each in node.args[:2])
        is_hidden = node in in_f_strings and isinstance(node.args[0], ast.Constant)
        if is_put_together or is_hidden:
            yield node.lineno


def test_no_message_is_lost() -> None:
    found = {
        str(path.relative_to(PROJECT_ROOT)): lines
        for path in (PROJECT_ROOT / "app").rglob("*.py")
        if (lines := list(lost(path.read_text())))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('gettext("Hello %(name)s", name=f"{a}")', []),
        ('gettext(WORDS[name] + "")', [1]),
        ('gettext(f"Hello {name}")', [1]),
        ("f\"{gettext('Hello')}!\"", [1]),
        ('f"{gettext(HELLO)}!"', []),
    ],
)
def test_the_lint_finds_what_it_looks_for(source: str, lines: list[int]) -> None:
    assert list(lost(source)) == lines


def test_reasons_of_an_analysis_are_known() -> None:
    written = [
        *NoConsensus,
        f"fewer than {FEWEST_SYSTEMS} systems",
        f"fewer than {FEWEST_PAIRS} pairs of systems",
        agreement.NO_PAIRS,
        agreement.ONE_LABEL,
        precision.ASSUMPTIONS,
        precision.NO_PAIRS,
        precision.SAME_ITEMS,
        f"system 7: {precision.TOO_FEW}",
        ranking_stability.ALL_EQUAL,
        ranking_stability.TOO_FEW_SYSTEMS,
        survey.NO_GRADE,
    ]
    assert [reason_in_words(reason) for reason in written] == written
    with speaking(LANGUAGES["de"]):
        assert [reason for reason in written if reason_in_words(reason) == reason] == []


def test_every_term_is_explained_in_the_reader_s_language() -> None:
    english = {page: terms_of(page) for page in PAGES}
    with speaking(LANGUAGES["de"]):
        for page, terms in english.items():
            for before, after in zip(terms, terms_of(page), strict=True):
                assert before[2] != after[2]
