"""The manual's pages: there for everybody, rendered, and linked to each other."""

import re

import pytest
from fastapi.testclient import TestClient


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


@pytest.mark.sqlite_is_enough
def test_no_other_file_is_a_page(client: TestClient) -> None:
    assert client.get("/help/README").status_code in (404, 422)
    assert client.get("/help/..%2f..%2fREADME").status_code in (404, 422)
