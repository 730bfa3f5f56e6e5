"""Consent, questions about the annotator, closing questions: kept in versions, answered in words."""

import pytest
from sqlalchemy import select

from app.errors import InvalidInput
from app.services.questionnaires.form_content import parse_form
from app.services.questionnaires.forms import NOTHING, check_answers, current_form, form_of, publish_form
from app.storage.engine import Database
from app.storage.models import AuditEvent, FormVersion
from tests.factories import make_study

CONSENT = {"text": "# Taking part\n\nYou may stop at any time."}
PROFILE = {
    "intro": "A few questions about you.",
    "fields": [
        {"name": "years", "label": "Years of programming", "kind": "number", "least": 0, "most": 70},
        {"name": "languages", "label": "Languages", "kind": "text", "required": False, "most": 10},
        {"name": "age", "label": "Age", "kind": "choice", "options": ["18–29", "30 or more"]},
        {"name": "ease", "label": "How easy?", "kind": "scale", "least": 1, "most": 5, "options": ["Hard", "Easy"]},
    ],
}


def test_a_changed_form_is_a_new_version_and_an_empty_one_asks_nothing(database: Database) -> None:
    with database.write() as session:
        study = make_study(session)
        assert current_form(session, study, "consent") is None
        assert publish_form(session, "test", study, "consent", NOTHING) is None
        publish_form(session, "test", study, "consent", CONSENT)
        publish_form(session, "test", study, "consent", CONSENT)
        publish_form(session, "test", study, "consent", CONSENT | {"agree": "Yes"})
        publish_form(session, "test", study, "profile", PROFILE)
    with database.write() as session:
        now = current_form(session, study, "consent")
        assert now is not None
        assert (now.number, now.form.agree) == (2, "Yes")
        publish_form(session, "test", study, "consent", NOTHING)
        assert current_form(session, study, "consent") is None
        assert current_form(session, study, "profile") is not None
    with database.read() as session:
        versions = list(session.scalars(select(FormVersion).where(FormVersion.kind == "consent")))
        assert [form_of(each) is None for each in sorted(versions, key=lambda each: each.number)] == [
            False,
            False,
            True,
        ]
        events = session.execute(select(AuditEvent.action, AuditEvent.details).order_by(AuditEvent.id)).all()
        assert [tuple(each) for each in events if "consent" in each[0]] == [
            ("consent changed", {"changes": {"version": {"before": None, "after": 1}}}),
            ("consent changed", {"changes": {"version": {"before": 1, "after": 2}}}),
            ("consent dropped", {"changes": {"version": {"before": 2, "after": 3}}}),
        ]


def test_answers_are_stored_as_what_they_are() -> None:
    sent = {
        "answer-years": " 2.5 ",
        "answer-age": "18–29",
        "answer-ease": "5",
        "answer-languages": " ",
        "ticket": "t",
    }
    answers = check_answers(parse_form("profile", PROFILE), sent | {"ticket": "t"})
    assert answers == {"years": 2.5, "age": "18–29", "ease": 5}
    assert isinstance(answers["ease"], int)
    consent = parse_form("consent", CONSENT)
    assert check_answers(consent, {"answer": "agree"}) == {"agreed": True}
    assert check_answers(consent, {"answer": "decline"}) == {"agreed": False}
    with pytest.raises(InvalidInput, match="one of the two"):
        check_answers(consent, {"answer": ""})


@pytest.mark.parametrize(
    ("sent", "field", "words"),
    [
        ({"answer-years": ""}, "answer-years", "needs an answer"),
        ({"answer-years": "many"}, "answer-years", "Enter a number"),
        ({"answer-years": "nan"}, "answer-years", "Enter a number"),
        ({"answer-years": "-1"}, "answer-years", "least is 0"),
        ({"answer-years": "71"}, "answer-years", "most is 70"),
        ({"answer-age": "17"}, "answer-age", "one of the answers"),
        ({"answer-ease": "2.5"}, "answer-ease", "one of the points"),
        ({"answer-ease": "6"}, "answer-ease", "one of the points"),
        ({"answer-languages": "Python, Java"}, "answer-languages", "at most 10"),
        ({"answer-languages": "a\0b"}, "answer-languages", "NUL"),
    ],
)
def test_an_answer_that_does_not_fit_is_named_by_its_field(sent: dict[str, str], field: str, words: str) -> None:
    good = {"answer-years": "3", "answer-age": "18–29", "answer-ease": "5"}
    with pytest.raises(InvalidInput) as refused:
        check_answers(parse_form("profile", PROFILE), good | sent)
    assert [(each.field, words in each.message) for each in refused.value.problems] == [(field, True)]


@pytest.mark.parametrize(
    ("kind", "content", "place"),
    [
        ("consent", {"text": ""}, "text"),
        ("profile", {"fields": []}, "fields"),
        ("profile", {"fields": [{"name": "a", "label": "A"}, {"name": "b", "label": ""}]}, "fields.1.label"),
        ("profile", {"fields": [{"name": "a", "label": "A", "kind": "choice", "options": ["one"]}]}, "fields.0"),
        ("profile", {"fields": [{"name": "a", "label": "A", "kind": "choice", "options": ["x", "x"]}]}, "fields.0"),
        ("profile", {"fields": [{"name": "a", "label": "A", "kind": "number", "least": 2, "most": 1}]}, "fields.0"),
        ("closing", {"fields": [{"name": "a", "label": "A", "kind": "scale"}]}, "fields.0"),
        ("closing", {"fields": [{"name": "a", "label": "A", "kind": "scale", "least": 0, "most": 11}]}, "fields.0"),
        ("closing", {"fields": [{"name": "a", "label": "A"}, {"name": "a", "label": "B"}]}, None),
    ],
)
def test_a_form_that_can_not_be_asked_is_refused(kind: str, content: dict[str, object], place: str | None) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_form(kind, content)
    assert [each.field for each in refused.value.problems] == [place]


def test_the_words_of_a_scale_stand_at_its_points() -> None:
    def words(options: list[str]) -> list[str]:
        field = {"name": "a", "label": "A", "kind": "scale", "least": 0, "most": 2, "options": options}
        form = parse_form("closing", {"fields": [field]})
        return [form.fields[0].words_at(point) for point in form.fields[0].points]

    assert words([]) == ["", "", ""]
    assert words(["low", "high"]) == ["low", "", "high"]
    assert words(["a", "b", "c"]) == ["a", "b", "c"]
