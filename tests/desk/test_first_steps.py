"""What the desk says while there is nothing to grade yet."""

from fastapi.testclient import TestClient

from app.storage.engine import Database
from tests.dashboards.study import sign_in
from tests.imports.conftest import importer
from tests.imports.helpers import Importer

__all__ = ["importer"]
TABLE = "problem,original,changed,transformation,seed\nh1,Return the sum,Retrun the sum,butter fingers,1\n"


def test_changed_prompts_lead_to_the_page_that_draws(
    client: TestClient, importer: Importer, database: Database
) -> None:
    importer.good(TABLE, "variants", title="Changed prompts")
    importer.good(
        "problem,original,changed,transformation\nh1,Return the sum,Sum,short\n", "variants", study="changed-prompts"
    )
    sign_in(client, database, "admin")
    desk = client.get("/studies/changed-prompts/desk").text
    assert "It has no material" not in desk
    assert '<a href="/studies/changed-prompts/sample">draw a sample</a>' in desk
    assert client.get("/studies/changed-prompts/sample").status_code == 200


def test_what_nobody_is_asked_is_said_before_opening(
    client: TestClient, importer: Importer, database: Database
) -> None:
    """Prompts are drawn for one of two instruments: the other one is no finished one."""
    importer.good(TABLE, "variants", title="Changed prompts")
    sign_in(client, database, "admin")
    assert "nobody is asked it" not in client.get("/studies/changed-prompts/desk").text, "nothing is drawn at all yet"
    drawn = {"instrument": "naturalness", "source": "prompts", "seed": "1", "unchanged": "", "changed": "1"}
    assert client.post("/studies/changed-prompts/sample", data=drawn).status_code == 200
    desk = client.get("/studies/changed-prompts/desk").text
    assert "none: every item has its grades" not in desk
    assert "there is nothing to grade, so nobody is asked it." in desk
    assert '<a href="/studies/changed-prompts/sample">draw what it asks about</a>' in desk
    log = client.get("/studies/changed-prompts/desk/log").text
    assert "Drew a sample for naturalness: 2 new items." in log
    assert [said in log for said in ("Seed: 1.", "Unchanged prompts: all.", "Changed prompts: 1.")] == [True] * 3


def test_the_log_tells_an_import_in_words(client: TestClient, importer: Importer, database: Database) -> None:
    importer.good(TABLE, "variants", title="Changed prompts")
    sign_in(client, database, "admin")
    log = client.get("/studies/changed-prompts/desk/log").text
    assert "Imported the file “" in log
    assert "1 problem was added." in log
    assert "sha256" not in log.lower()
