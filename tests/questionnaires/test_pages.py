"""The editor's pages as plain forms: what is typed stays, what is saved stands, what annotators read shows."""

import re

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.services import studies
from app.services.questionnaires.instruments import instruments_of
from app.storage.engine import Database
from app.storage.models import FormVersion, GradeEvent, Item, Problem, Question, Study
from tests.questionnaires.pages import fields_of
from tests.security.world import World

HERE = "/studies/here/questionnaire"


def preview_of(page: str) -> str:
    return page.split('id="preview"')[1].split("</aside>", maxsplit=1)[0]


def ask(world: World, **where: object) -> list[Question]:
    with world.database.read() as session:
        study = session.scalars(select(Study).where(Study.slug == "here")).one()
        mine = select(Question).where(Question.study_id == study.id).filter_by(**where)
        return list(session.scalars(mine.order_by(Question.instrument_id, Question.position)))


def test_the_preview_shows_a_real_item_where_there_is_one(admin: TestClient, world: World) -> None:
    with world.database.read() as session:
        study = session.scalars(select(Study).where(Study.slug == "here")).one()
        instrument = instruments_of(session, study.id)[0]
        mine = select(Item).where(Item.instrument_id == instrument.id, Item.role == "main")
        item = session.scalars(mine.order_by(Item.is_reference, Item.shuffle)).first()
        assert item
        intent = session.get_one(Problem, item.problem_id).intent
    address = f"{HERE}/instruments/{instrument.id}"
    before = world.rows()
    page = admin.get(address).text
    for shown in (preview_of(page), preview_of(admin.post(address, data=fields_of(page) | {"do": "preview"}).text)):
        assert re.sub(r"<[^>]*>", "", shown).count(item.text.strip()) == 1
        assert f">{intent}</p>" in shown
        assert "Here stands the item." not in shown
    assert world.rows() == before
    added = admin.post(f"{HERE}/instruments", data={"instrument": "naturalness"})
    assert "Here stands the item." in preview_of(added.text)


def test_an_instrument_is_made_rearranged_and_saved(admin: TestClient, world: World) -> None:
    page = admin.post(f"{HERE}/instruments", data={"instrument": "own-prompt"})
    address = page.url.path
    form = fields_of(page.text) | {
        "title": "Ours",
        "questions.0.text": "Would *you* write <this>?",
        "questions.0.name": "",
    }
    form |= {"new_question": "labels", "grades_per_item": "4"}
    form = fields_of(admin.post(address, data=form | {"do": "add-question"}).text)
    form |= {"questions.1.text": "What is odd?", "questions.1.scale.choices.0.name": "words"}
    form |= {"questions.1.scale.choices.1.name": "grammar", "questions.1.help": "Choose **all**."}
    form |= {"questions.0.scale.choices.0.label": "", "questions.0.scale.choices.0.description": "Said of nothing"}
    form = fields_of(admin.post(address, data=form | {"do": "questions.1.scale.choices.add"}).text)
    assert form["questions.1.scale.choices.2.name"] == ""
    form = fields_of(admin.post(address, data=form | {"do": "questions.1.scale.choices.2.remove"}).text)
    form = fields_of(admin.post(address, data=form | {"do": "questions.1.scale.choices.1.up"}).text)
    shown = admin.post(address, data=form | {"do": "questions.1.up"}).text
    form = fields_of(shown)
    assert form["questions.0.text"] == "What is odd?"
    assert "Would <em>you</em> write &lt;this&gt;?" in preview_of(shown)
    assert "<strong>all</strong>" in preview_of(shown)
    assert "Said of nothing" in preview_of(shown)
    assert [each.name for each in ask(world)] == ["helpfulness", "own-prompt"], "nothing is stored before it is saved"
    saved = admin.post(address, data=form | {"do": "save"})
    assert saved.url.path == address
    assert "Saved" in saved.text
    first, second = ask(world)[1:]
    assert (first.kind, first.required, first.name) == ("labels", False, "what-is-odd")
    assert [each["name"] for each in first.scale["choices"]] == ["grammar", "words"]
    assert (second.name, second.text) == ("would-you-write-this", "Would *you* write <this>?")
    assert fields_of(saved.text)["grades_per_item"] == "4"


def test_what_is_wrong_is_named_and_what_was_typed_stays(admin: TestClient, world: World) -> None:
    address = f"{HERE}/instruments/2"
    form = fields_of(admin.get(address).text)
    form |= {
        "questions.0.text": "Typed",
        "questions.0.scale.choices.3.key": "s",
        "questions.0.scale.choices.4.value": "3",
    }
    page = admin.post(address, data=form | {"do": "save"})
    assert page.status_code == 422
    assert fields_of(page.text) == form
    assert re.search(r'<a href="#questions\.0\.scale\.choices\.3\.key">Question 1, answer 4, key</a>', page.text)
    assert re.search(r'<a href="#questions\.0\.scale\.choices\.4\.value">Question 1, answer 5, value</a>', page.text)
    assert "can’t be shown yet" in preview_of(page.text)
    assert ask(world)[0].text != "Typed"


def test_two_admins_do_not_overwrite_each_other_unawares(admin: TestClient, world: World) -> None:
    address = f"{HERE}/instruments/2"
    mine = theirs = fields_of(admin.get(address).text)
    assert admin.post(address, data=theirs | {"questions.0.text": "Theirs", "do": "save"}).status_code == 200
    again = admin.post(address, data=mine | {"questions.0.text": "Mine", "do": "preview"}).text
    refused = admin.post(address, data=fields_of(again) | {"do": "save"})
    assert refused.status_code == 422
    assert "while you were editing it" in refused.text
    assert ask(world)[0].text == "Theirs"
    assert admin.post(address, data=fields_of(refused.text) | {"do": "save"}).status_code == 200
    assert ask(world)[0].text == "Mine"


@pytest.mark.sqlite_is_enough
def test_a_study_begins_with_the_instruments_that_were_chosen(admin: TestClient, database: Database) -> None:
    offered = admin.get("/studies/new").text
    assert re.search(r'name="ask-helpfulness"[^>]* checked', offered)
    assert len(re.findall(r'type="checkbox"[^>]* checked', offered)) == 1
    assert "What is wrong with it? Choose all that apply." in offered
    asked = {"ask-free-labels": "yes", "ask-code-summary": "yes", "ask-own-output": "yes", "ask-own-pair": "yes"}
    page = admin.post("/studies/new", data={"title": "Several", "grades_per_item": "2"} | asked)
    assert page.url.path == "/studies/several/questionnaire"
    with database.read() as session:
        study = session.scalars(select(Study).where(Study.slug == "several")).one()
        names = [each.name for each in instruments_of(session, study.id)]
    assert names == ["code-summary", "free-labels", "own-output", "own-pair"]


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize(
    "form",
    [
        {"questions": "text"},
        {"questions.0": "text", "questions.0.text": "more"},
        {"questions.0.scale": "text"},
        {"questions.x.text": "text"},
        {"questions.0.id": "1' OR 1"},
        {"do": "questions.99.up"},
        {"do": "questions.0.explode"},
        {"do": "title.0.remove"},
        {"do": "."},
        {"title": "\0"},
        {"Title!": "x"},
    ],
)
def test_whatever_is_sent_is_answered_and_changes_nothing(
    admin: TestClient, world: World, form: dict[str, str]
) -> None:
    before = world.rows()["questions"]
    for deed in ("save", "preview"):
        answer = admin.post(f"{HERE}/instruments/2", data={"do": deed, "title": "T"} | form)
        assert answer.status_code in (200, 422)
    assert world.rows()["questions"] == before


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize("kind", ["consent", "profile", "closing"])
def test_a_form_begins_with_our_text_and_is_saved_changed_and_dropped(
    admin: TestClient, database: Database, kind: str
) -> None:
    address = f"/studies/elsewhere/questionnaire/forms/{kind}"
    empty = admin.get(address).text
    assert "Begin with the starting text" in empty
    ready = admin.post(address, data=fields_of(empty) | {"do": "ready"}).text
    assert "Nothing is stored before you save" in ready
    form = fields_of(ready)
    assert admin.post(address, data=form | {"do": "save"}).url.path == "/studies/elsewhere/questionnaire"
    assert fields_of(admin.get(address).text).items() >= {k: v for k, v in form.items() if k != "state"}.items()
    dropped = admin.post(address, data=fields_of(admin.get(address).text) | {"do": "drop"})
    assert "asked no more" in dropped.text
    versions = admin.get("/studies/elsewhere/questionnaire/versions").text
    assert "asks nothing" in versions
    with database.read() as session:
        mine = session.scalars(select(FormVersion).where(FormVersion.kind == kind).order_by(FormVersion.id)).all()
    latest = admin.get(f"/studies/elsewhere/questionnaire/versions/{mine[-1].id}").text
    assert "the form was dropped" in latest
    assert '<li class="removed">' in latest
    assert admin.get(f"/studies/here/questionnaire/versions/{mine[-1].id}").status_code == 404


@pytest.mark.sqlite_is_enough
def test_questions_about_the_person_are_added_and_refused_in_place(admin: TestClient) -> None:
    address = f"{HERE}/forms/profile"
    form = fields_of(admin.get(address).text) | {"new_field": "choice"}
    form = fields_of(admin.post(address, data=form | {"do": "add-field"}).text) | {"new_field": "scale"}
    form = fields_of(admin.post(address, data=form | {"do": "add-field"}).text)
    form |= {
        "fields.0.label": "How old?",
        "fields.0.options": "young\n\nold",
        "fields.1.label": "",
        "fields.1.most": "99",
    }
    page = admin.post(address, data=form | {"do": "save"})
    assert page.status_code == 422
    assert '<a href="#fields.1.label">Question 2, what is asked</a>' in page.text
    assert "How old?" in preview_of(page.text)
    assert "can’t be shown yet" in preview_of(page.text)
    form = fields_of(page.text) | {"fields.1.label": "How sure?", "fields.1.most": "5"}
    assert admin.post(address, data=form | {"do": "save"}).status_code == 200
    again = fields_of(admin.get(address).text)
    assert (again["fields.0.name"], again["fields.0.options"], again["fields.1.name"]) == (
        "how-old",
        "young\nold",
        "how-sure",
    )


@pytest.mark.sqlite_is_enough
def test_the_versions_of_an_open_study_show_what_was_read(admin: TestClient, database: Database) -> None:
    with database.write() as session:
        study = session.scalars(select(Study).where(Study.slug == "here")).one()
        study.state = "draft"
        studies.change_state(session, study, "open")
    address = f"{HERE}/instruments/2"
    form = fields_of(admin.get(address).text) | {"questions.0.help": "Be *kind*.", "instructions": "# Read this"}
    assert "Saved as a new version" in admin.post(address, data=form | {"do": "save"}).text
    assert "Version 2 stands" in admin.get(HERE).text
    listed = admin.get(f"{HERE}/versions").text
    latest, first = re.findall(r"/versions/(\d+)\">Questionnaire, version", listed)
    shown = admin.get(f"{HERE}/versions/{latest}").text
    assert "<ins>Be *kind*.</ins>" in shown
    assert "<em>kind</em>" in shown
    assert "<del>" not in shown
    assert "<del>Be *kind*.</del>" in admin.get(f"{HERE}/versions/{first}?since={latest}").text


@pytest.mark.sqlite_is_enough
def test_a_grade_given_on_the_page_knows_the_version_it_answered(admin: TestClient, world: World) -> None:
    with world.database.write() as session:
        study = session.scalars(select(Study).where(Study.slug == "here")).one()
        study.state = "draft"
        studies.change_state(session, study, "open")
    annotator, item = world.client("annotator"), world.address("/grade/{item}")

    def answers(page: str, value: int, revision: int) -> None:
        form = {
            "submission_id": f"submission-{revision}",
            "revision": str(revision),
            "answer-helpfulness": str(value),
        }
        [shown] = set(re.findall(r'name="version" value="(\d+)"', page))
        assert annotator.post(item, data=form | {"version": shown}).status_code == 303

    before = annotator.get(item).text
    answers(before, 3, 0)
    address = f"{HERE}/instruments/2"
    form = fields_of(admin.get(address).text) | {"questions.0.text": "How far does it help you?", "do": "save"}
    assert admin.post(address, data=form).status_code == 200
    after = annotator.get(item).text
    assert "How far does it help you?" in after
    answers(before, 1, 1)  # sent late, from the page that showed the earlier words
    answers(after, 2, 2)
    with world.database.read() as session:
        numbers = {each.id: each.number for each in session.scalars(select(FormVersion))}
        sent = select(GradeEvent).where(GradeEvent.submission_id.like("submission-%")).order_by(GradeEvent.id)
        events = [(each.value, numbers[each.questionnaire_id or 0]) for each in session.scalars(sent)]
    assert events == [(3, 1), (1, 1), (2, 2)]
