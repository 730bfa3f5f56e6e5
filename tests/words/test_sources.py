"""Messages in Python stand where the extractor finds them."""

import ast
from collections.abc import Iterator

import pytest

from app.charts.reasons import REASONS
from app.config import PROJECT_ROOT
from app.statistics.advice import FEWEST_PAIRS
from app.statistics.consensus import NoConsensus
from app.statistics.correlation import FEWEST_SYSTEMS

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
    ours = {*NoConsensus, f"fewer than {FEWEST_SYSTEMS} systems", f"fewer than {FEWEST_PAIRS} pairs of systems"}
    assert ours <= {reason.replace("%%", "%") for reason in REASONS}
