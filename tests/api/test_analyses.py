"""An analysis of what isn't there is refused when it is asked for, not when it fails."""

import re

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from app.storage.models import Run, Scoring, Study
from tests.api.conftest import Program
from tests.security.world import World

ADDRESS = "/api/v1/studies/here/analyses"
ASKED = select(func.count()).select_from(Run).where(Run.kind == "analysis")


def _asked(world: World) -> int:
    with world.database.read() as session:
        return session.scalar(ASKED) or 0


@pytest.mark.parametrize(
    ("sent", "field", "told"),
    [
        ({"metrics": ["nope"]}, "metrics", "No such metric in this study: nope."),
        ({"metrics": ["bleu", "nope"]}, "metrics", "No such metric in this study: nope."),
        ({"metrics": []}, "metrics", "Choose at least one metric."),
        ({"systems": ["system-0", "nope"]}, "systems", "No such system in this study: nope."),
        ({"systems": []}, "systems", "Comparing needs at least two systems."),
        ({"systems": ["system-0"]}, "systems", "Comparing needs at least two systems."),
        ({"systems": ["system-0", "system-0"]}, "systems", "Comparing needs at least two systems."),
        ({"question": "nope"}, "question", "The study asks no question called 'nope'."),
    ],
)
def test_names_that_nobody_knows(
    world: World, program: Program, sent: dict[str, object], field: str, told: str
) -> None:
    before = _asked(world)
    answer = program("researcher").post(ADDRESS, json=sent)
    assert answer.status_code == 422, answer.text
    [problem] = answer.json()["problems"]
    assert (problem["field"], problem["message"]) == (field, told)
    assert _asked(world) == before


def test_the_known_ones_are_named(world: World, program: Program) -> None:
    with world.database.write() as session:
        study = session.scalars(select(Study).where(Study.slug == "here")).one()
        session.add(Scoring(study_id=study.id, name="mine", label="Mine", signature="x", imported=True))
    client = program("researcher")
    [problem] = client.post(ADDRESS, json={"metrics": ["nope"]}).json()["problems"]
    of_models = "codebertscore_f1, codebertscore_f3, embedding_cosine"
    assert problem["remedy"] == f"Known: bleu, rouge_l, chrf, meteor, ruby, codebleu, {of_models}, mine."
    [problem] = client.post(ADDRESS, json={"question": "nope"}).json()["problems"]
    assert problem["remedy"] == "Known: helpfulness."
    assert client.post(ADDRESS, json={"metrics": ["mine", "bleu"], "question": "helpfulness"}).status_code == 202


@pytest.fixture
def researcher(world: World) -> TestClient:
    """A researcher's browser."""
    return world.client("researcher")


@pytest.mark.parametrize(
    ("changed", "field", "told"),
    [
        ({"metrics": ["nope"]}, "metrics", "No such metric in this study: nope. Known: bleu"),
        ({"metrics": []}, "metrics", "Choose at least one metric."),
        ({"systems": ["nope", "system-0"]}, "systems", "No such system in this study: nope. Known: system-0"),
        ({"systems": []}, "systems", "Comparing needs at least two systems."),
        ({"question": "nope"}, "question", "The study asks no question called &#39;nope&#39;."),
    ],
)
def test_the_form_says_it_beside_the_field(
    researcher: TestClient, changed: dict[str, object], field: str, told: str
) -> None:
    form = {"systems": ["system-0", "system-1"], "metrics": ["bleu"], "question": "helpfulness"}
    answer = researcher.post("/studies/here/analyses", data=form | changed)
    assert answer.status_code == 422
    beside = re.search(rf'id="error-{field}">([^<]*)<', answer.text)
    assert beside, answer.text
    assert beside[1].startswith(told)
