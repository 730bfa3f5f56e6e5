"""The manual's pages: there for everybody, rendered, and linked to each other."""

import re

import pytest
from fastapi.testclient import TestClient

from app.web.routes.help import FOLDER


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("annotators", "<h1>For annotators</h1>"),
        ("admins", "<h1>For admins</h1>"),
        ("researchers", "<h1>For researchers</h1>"),
        ("models", "<h1>Models that write, and programs that run</h1>"),
        ("recode", "<h1>Robustness: perturbed prompts, after ReCode</h1>"),
        ("sandbox", "<h1>"),
        ("api", "<h1>"),
    ],
)
def test_a_page_of_the_manual(client: TestClient, page: str, words: str) -> None:
    answer = client.get(f"/help/{page}")
    assert answer.status_code == 200
    assert words in answer.text
    assert "<h2>" in answer.text
    assert "{{%PROLIFIC" not in answer.text or page == "admins"


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize("page", ["annotators", "admins", "researchers", "models", "recode", "sandbox", "api"])
def test_pages_link_to_pages_that_there_are(client: TestClient, page: str) -> None:
    links = set(re.findall(r"<main.*</main>", client.get(f"/help/{page}").text, re.DOTALL))
    inner = {link for text in links for link in re.findall(r'href="(/[^"#]*|[^":#/]+\.md[^"]*)"', text)}
    assert inner, "each shows the tabs"
    assert {link: client.get(link).status_code for link in inner} == dict.fromkeys(inner, 200)


GERMAN = {"Accept-Language": "de-CH, en;q=0.5"}


@pytest.mark.sqlite_is_enough
def test_a_page_comes_in_the_reader_s_language_where_it_is_written_in_it(client: TestClient) -> None:
    page = client.get("/help/annotators", headers=GERMAN).text
    assert '<div lang="de" dir="ltr">' in page
    assert "<h1>Für Bewertende</h1>" in page
    assert "nur auf Englisch" not in page
    other = client.get("/help/sandbox", headers=GERMAN).text
    assert '<div lang="en" dir="ltr">' in other
    assert "nur auf Englisch" in other


@pytest.mark.sqlite_is_enough
def test_a_translated_page_says_as_much_as_the_original(client: TestClient) -> None:
    """Whoever adds a section or a key to one adds it to the other."""
    for file in FOLDER.glob("*/*.md"):
        original, translated = (FOLDER / file.name).read_text(), file.read_text()
        for mark in (r"^#+ ", r"^\| ", r"^$", r"^```"):
            assert len(re.findall(mark, translated, re.M)) == len(re.findall(mark, original, re.M)), (file, mark)


@pytest.mark.sqlite_is_enough
def test_no_other_file_is_a_page(client: TestClient) -> None:
    assert client.get("/help/README").status_code in (404, 422)
    assert client.get("/help/..%2f..%2fREADME").status_code in (404, 422)
