"""Lists a page at a time."""

import pytest

from app.services.runs import enqueue
from app.storage.engine import Database
from tests.api.conftest import Program

RUNS = "/api/v1/runs"


def _more(database: Database, number: int) -> list[str]:
    with database.write() as session:
        return [enqueue(session, "export", {"form": "csv"}).public_id for _ in range(number)]


def test_pages_hold_each_row_once_whatever_comes_meanwhile(database: Database, program: Program) -> None:
    made, client = _more(database, 7), program("researcher")
    seen, cursor = [], None
    while True:
        query = {"limit": "3", "kind": "export"} | ({"cursor": cursor} if cursor else {})
        page = client.get(RUNS, params=query).json()
        seen += [run["run"] for run in page["items"]]
        assert len(page["items"]) <= 3
        _more(database, 1)
        cursor = page["next"]
        if cursor is None:
            break
    assert seen == made[::-1]


def test_a_full_last_page_has_no_next(database: Database, program: Program) -> None:
    _more(database, 3)
    page = program("researcher").get(RUNS, params={"limit": "3", "kind": "export"}).json()
    assert len(page["items"]) == 3
    assert page["next"] is None


def test_a_cursor_leads_on_in_its_own_list_only(database: Database, program: Program) -> None:
    _more(database, 3)
    client, outputs = program("admin"), "/api/v1/studies/here/outputs"
    cursor = client.get(RUNS, params={"limit": "1"}).json()["next"]
    assert client.get(RUNS, params={"cursor": cursor}).status_code == 200
    assert client.get(RUNS, params={"cursor": cursor, "kind": "export"}).status_code == 200
    for address in (outputs, "/api/v1/studies", "/api/v1/log", "/api/v1/studies/here/items"):
        refused = client.get(address, params={"cursor": cursor})
        assert refused.status_code == 422, address
        [problem] = refused.json()["problems"]
        assert problem["field"] == "cursor"
        assert problem["message"].startswith("This is no cursor of ours")
    cursor = client.get(outputs, params={"limit": "1"}).json()["next"]
    assert client.get(outputs, params={"cursor": cursor}).json()["items"]
    assert client.get("/api/v1/studies/elsewhere/outputs", params={"cursor": cursor}).status_code == 422


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize(
    "query",
    [{"cursor": each} for each in ("x", "%00", "YWZ0ZXI6MA", "YWZ0ZXI6OTk5OTk5OTk5OTk", "ä", "")]
    + [{"limit": each} for each in ("0", "201", "x")],
)
def test_a_cursor_or_limit_that_is_none(program: Program, query: dict[str, str]) -> None:
    answer = program("researcher").get(RUNS, params=query)
    assert answer.status_code == 422
    assert answer.json()["problems"][0]["field"] in query
