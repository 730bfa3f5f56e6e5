"""Dashboards in a second language: words and numbers in it, files and stored analyses the same as ever."""

import re

import pytest
from fastapi.testclient import TestClient

from app.storage.engine import Database
from tests.dashboards.study import SLUG

pytestmark = pytest.mark.sqlite_is_enough

GERMAN = {"Accept-Language": "de"}
FILES = ("analysis.json", "tables/scores.csv", "tables/agreement.tex", "tables/agreement-of-annotators.tex")


def test_pages_are_in_german_with_german_numbers(researcher: TestClient, analysed: Database) -> None:
    page = researcher.get(f"/studies/{SLUG}/systems", headers=GERMAN).text
    assert "Werte der Systeme, in Punkten" in page
    assert "Die Rangfolge nach Menschen und nach jeder Metrik" in page
    shown = re.findall(r'<td class="num[^"]*" data-sort="(\d+\.\d+)">(\d+,\d+)', page)
    assert len(shown) > 10
    assert all(f"{float(value):.2f}" == text.replace(",", ".") for value, text in shown)
    assert '"separators":",."' in page


@pytest.mark.parametrize("path", ["", "/significance", "/agreement", "/points", "/compare"])
def test_every_page_has_its_sentences(path: str, researcher: TestClient, analysed: Database) -> None:
    page = researcher.get(f"/studies/{SLUG}{path}", headers=GERMAN).text
    english = re.compile(r"\b(the|people|pairs|from|with)\b")
    for text in re.findall(r'<(?:p class="(?:lede|reading|table-caption)"|h2)[^>]*>(.*?)</(?:p|h2)>', page):
        assert not english.search(re.sub(r"<[^>]+>|weak|strong|middle", "", text)), text


@pytest.mark.parametrize("path", FILES)
def test_files_are_the_same_in_every_language(path: str, researcher: TestClient, analysed: Database) -> None:
    german, plain = (researcher.get(f"/studies/{SLUG}/{path}", headers=headers) for headers in (GERMAN, {}))
    assert german.status_code == 200
    assert german.content == plain.content
