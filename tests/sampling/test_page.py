"""The page: choose, look, make; it works without JavaScript, and its address holds the choice."""

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from app.services.questionnaires.instruments import add_instrument
from app.services.questionnaires.ready_made import NATURALNESS, SIMILARITY
from app.storage.engine import Database
from app.storage.models import Item, Problem, Variant
from tests.factories import make_study
from tests.imports.helpers import Importer

SAMPLE = "/studies/a-study/sample"
CHOICE = {"instrument": "naturalness", "seed": "7", "unchanged": "2", "changed": "3", "by": "transformation"}


@pytest.fixture
def perturbed(database: Database) -> None:
    """A study of four problems with changed prompts."""
    with database.write() as session:
        study = make_study(session, problems=4, systems=1)
        add_instrument(session, study, NATURALNESS)
        add_instrument(session, study, SIMILARITY)
        for problem in session.scalars(select(Problem)).all():
            for name in ("Tense <b>", "Typos"):
                session.add(Variant(problem_id=problem.id, transformation=name, text=f"{name} {problem.intent}"))


def test_choose_look_make(admin: TestClient, database: Database, perturbed: None) -> None:
    first = admin.get(SAMPLE, params={"instrument": "naturalness"})
    assert "Unchanged prompts" in first.text
    assert "Tense &lt;b&gt;" in first.text
    looked = admin.get(SAMPLE, params=CHOICE)
    assert "5 items are drawn: 5 new, 0 there already." in looked.text
    made = admin.post(SAMPLE, data=CHOICE)
    assert "5 items were made." in made.text
    with database.read() as session:
        assert session.scalar(select(func.count()).where(Item.stratum != "")) == 5
    assert "5 items are drawn: 0 new, 5 there already." in admin.get(SAMPLE, params=CHOICE).text


def test_changed_prompts_without_items_lead_to_a_sample(admin: TestClient, importer: Importer) -> None:
    assert "Changed prompts" in admin.get("/import").text
    importer.good("problem,original,changed,transformation\np,Do it,DO IT,Case\n", "variants")
    desk = admin.get("/studies/study/desk").text
    assert "Changed prompts are there" in desk
    assert 'href="/studies/study/sample"' in desk
    admin.post("/studies/study/sample", data={"instrument": "naturalness", "seed": "1"})
    assert "Changed prompts are there" not in admin.get("/studies/study/desk").text


def test_where_there_are_fewer_the_page_says_so(admin: TestClient, perturbed: None) -> None:
    page = admin.get(SAMPLE, params=CHOICE | {"unchanged": "9"}).text
    assert "7 items are drawn" in page
    assert "You asked for 9 unchanged prompts; the study holds 4 different ones." in page
    assert "You asked for" not in admin.get(SAMPLE, params=CHOICE).text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": "-1"}, "Seed: enter a whole number from 0 to 9,223,372,036,854,775,807."),
        ({"seed": str(2**63)}, "Seed: enter a whole number from 0 to 9,223,372,036,854,775,807."),
        ({"changed": "many"}, "Changed prompts: enter a whole number from 0 to 1,000,000, or nothing for all."),
        ({"changed": "-1"}, "Changed prompts: enter a whole number from 0"),
        ({"by": "colour"}, "is none of the choices"),
        ({"transformations": "Unknown"}, "The study has no transformation called &#39;Unknown&#39;."),
        ({"instrument": "helpfulness", "systems": "gpt-9"}, "The study has no system called &#39;gpt-9&#39;."),
        ({"instrument": "taste"}, "no instrument called"),
        ({"instrument": "helpfulness", "by": "score"}, "Strata by score need a metric"),
        ({"instrument": "helpfulness", "by": "score", "metric": "bleu"}, "no scores of"),
    ],
)
def test_what_is_wrong_is_said_and_the_choice_stays(
    admin: TestClient, perturbed: None, change: dict[str, str], words: str
) -> None:
    answer = admin.get(SAMPLE, params=CHOICE | change)
    assert answer.status_code in (404, 422)
    assert words in answer.text
    assert "Input should" not in answer.text
