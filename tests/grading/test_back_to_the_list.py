"""An answer that was opened from the list of one's own leads back to that very list, and nowhere else."""

import html

import pytest
from fastapi.testclient import TestClient

from tests.grading.test_pages import current_id, hidden, press

pytestmark = pytest.mark.sqlite_is_enough


@pytest.mark.parametrize("listed", ["?answer=helpfulness%3A2&state=graded&text=%C3%A9+%26+%2F%2F", "?before=7"])
def test_an_answer_opened_from_a_list_leads_back_to_that_very_list(annotator_client: TestClient, listed: str) -> None:
    first = annotator_client.get("/grade").text
    press(annotator_client, first, value="2")
    address = "/grade/answers" + listed
    assert annotator_client.get(address).status_code == 200
    page = annotator_client.get(f"/grade/{current_id(first)}", params={"from": address}).text
    assert f'data-return="{html.escape(address)}"' in page, "for the script"
    back_to = html.unescape(hidden(page, "back_to"))
    form = {"submission_id": hidden(page, "submission_id"), "revision": hidden(page, "revision"), "value": "1"}
    answer = annotator_client.post(
        f"/grade/{current_id(first)}", data=form | {"back_to": back_to}, follow_redirects=False
    )
    assert answer.headers["location"] == address


def test_the_list_links_to_its_answers_with_its_filters(annotator_client: TestClient) -> None:
    first = annotator_client.get("/grade").text
    press(annotator_client, first, value="2")
    page = annotator_client.get("/grade/answers?state=graded").text
    assert f'href="/grade/{current_id(first)}?from=/grade/answers%3Fstate%3Dgraded"' in page


@pytest.mark.parametrize(
    "elsewhere",
    [
        "//evil.example",
        "https://evil.example/grade/answers",
        "/grade/answers//evil.example",
        "/grade/answers@evil.example",
        "/grade/answers?x=1\r\nSet-Cookie: a=b",
        "/grade/answers?x=1\n",
        "/grade/answers?" + "x" * 8000,
        "javascript:alert(1)",
    ],
)
def test_an_answer_leads_back_nowhere_else(annotator_client: TestClient, elsewhere: str) -> None:
    page = annotator_client.get("/grade").text
    assert annotator_client.get(f"/grade/{current_id(page)}", params={"from": elsewhere}).status_code == 422
    form = {"submission_id": hidden(page, "submission_id"), "revision": hidden(page, "revision"), "value": "1"}
    posted = annotator_client.post(f"/grade/{current_id(page)}", data=form | {"back_to": elsewhere})
    assert posted.status_code == 422
