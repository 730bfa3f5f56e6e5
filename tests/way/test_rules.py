"""Active time and breaks, right answers, and who an address says that comes: pure rules, by worked cases."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InvalidInput
from app.services.study_options import Limits
from app.services.way.endings import fill, is_mturk
from app.services.way.expected import all_right, check_expected, in_words, is_right, read_marked
from app.services.way.visitors import MTURK, NO_ASSIGNMENT, PROLIFIC, Visitor, read_visitor
from app.services.way.work import Work, active_time, break_until
from app.storage.models import Question

NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)


def at(*minutes: float) -> list[datetime]:
    return [NOON + timedelta(minutes=minute) for minute in minutes]


def test_active_time_caps_a_thought_and_leaves_an_absence_out() -> None:
    # 1 + 2 minutes of work, 20 minutes of which 5 count, an absence of 40, 1 minute.
    assert active_time(at(0, 1, 3, 23, 63, 64)) == timedelta(minutes=1 + 2 + 5 + 0 + 1)
    assert active_time([]) == active_time(at(5)) == timedelta()


def test_a_break_is_due_after_so_much_work_and_ends_by_itself() -> None:
    limits = Limits(pause_after=10, pause=5)
    worked = at(*range(11))
    assert break_until(worked, limits, worked[-1]) == NOON + timedelta(minutes=15)
    assert break_until(worked, limits, NOON + timedelta(minutes=15)) is None
    assert break_until(at(*range(10)), limits, NOON + timedelta(minutes=9)) is None
    rested = [*at(*range(8)), *at(*range(13, 17))]  # a gap of six minutes was a break already
    assert break_until(rested, limits, rested[-1]) is None
    assert break_until(worked, Limits(), worked[-1]) is None


@given(st.lists(st.integers(0, 4000), max_size=40), st.integers(1, 60), st.integers(1, 30), st.integers(0, 6000))
def test_a_break_never_outlasts_its_length(gaps: list[int], after: int, pause: int, later: int) -> None:
    times = [NOON]
    for gap in gaps:
        times.append(times[-1] + timedelta(seconds=gap))
    now = times[-1] + timedelta(seconds=later)
    until = break_until(times, Limits(pause_after=after, pause=pause), now)
    assert until is None or now < until <= now + timedelta(minutes=pause)


def test_limits_are_reached() -> None:
    work = Work(items=10, active=timedelta(minutes=30), break_until=None)
    assert not work.has_reached(Limits())
    assert work.has_reached(Limits(items=10))
    assert not work.has_reached(Limits(items=11))
    assert work.has_reached(Limits(minutes=30))
    assert not work.has_reached(Limits(items=11, minutes=31))


def question(kind: str, **scale: object) -> Question:
    return Question(name="q", text="How?", kind=kind, scale=scale, required=True, help="")


CHOICE = question("choice", choices=[{"value": value} for value in (0, 0.5, 1)])
NUMBER = question("number", low=0, high=100, step=1)
LABELS = question("labels", choices=[{"name": name} for name in "abc"])


@pytest.mark.parametrize(
    ("asked", "marked", "right", "wrong"),
    [
        (CHOICE, ["0"], [0], [0.5, 1, None]),
        (CHOICE, ["0.5", "1"], [0.5, 1], [0]),
        (NUMBER, ["40", "60"], [40, 51, 60], [39, 61]),
        (NUMBER, ["-5", "5"], [0], [6]),
        (NUMBER, ["7", ""], [7], [8]),
        (LABELS, ["a", "c"], [["a", "c"], ["c", "a"]], [["a"], ["a", "b", "c"], []]),
    ],
)
def test_what_an_admin_marks_is_what_counts(asked: Question, marked: list[str], right: list, wrong: list) -> None:  # type: ignore[type-arg]
    accepted = read_marked(asked, marked)
    assert all(is_right(asked, accepted, each) for each in right)
    assert not any(is_right(asked, accepted, each) for each in wrong)
    assert in_words(accepted)


@pytest.mark.parametrize(
    ("asked", "answers"),
    [
        (CHOICE, {"q": 3}),
        (CHOICE, {"other": 1}),
        (CHOICE, {}),
        (CHOICE, {"q": {"least": 0, "most": 1}}),
        (NUMBER, {"q": {"least": 0, "most": 101}}),
        (NUMBER, {"q": {"least": 60, "most": 40}}),
        (LABELS, {"q": ["d"]}),
        (question("comment"), {"q": "x"}),
    ],
)
def test_right_answers_that_nobody_can_give_are_refused(asked: Question, answers: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        check_expected([asked], answers)


def test_nothing_marked_means_that_any_answer_is_right() -> None:
    assert [read_marked(each, ["", " "]) for each in (CHOICE, NUMBER, LABELS)] == [None, None, None]


def test_questions_without_a_right_answer_do_not_count() -> None:
    other = question("comment")
    other.name = "why"
    assert all_right([CHOICE, other], {"answers": {"q": 1}}, {"q": 1, "why": "because"})
    assert not all_right([CHOICE, other], {"answers": {"q": 1}}, {"why": "because"})


PERSON = "5f1c0e2b9d3a4c0012345678"
FROM_PROLIFIC = [("PROLIFIC_PID", PERSON), ("STUDY_ID", "s1"), ("SESSION_ID", "x1")]
FROM_MTURK = [("workerId", "A1"), ("assignmentId", "B2"), ("hitId", "C3"), ("turkSubmitTo", "https://www.mturk.com")]


def test_platforms_say_who_comes() -> None:
    assert read_visitor("prolific", FROM_PROLIFIC, "id") == Visitor(
        "prolific", PERSON, {"STUDY_ID": "s1", "SESSION_ID": "x1"}
    )
    mturk = read_visitor("mturk", FROM_MTURK, "id")
    assert (mturk.external_id, mturk.crowd["assignmentId"], mturk.is_preview) == ("A1", "B2", False)
    assert read_visitor("id", [("who", "anna-ü@x.org")], "who").external_id == "anna-ü@x.org"
    assert read_visitor("link", [("utm_source", "mail")], "id") == Visitor()


def test_a_preview_of_mechanical_turk_names_nobody() -> None:
    looks = [("assignmentId", NO_ASSIGNMENT), ("hitId", "C3"), ("workerId", "A1")]
    assert read_visitor("mturk", looks, "id") == Visitor("mturk", is_preview=True)


@pytest.mark.parametrize(
    ("source", "parameters", "says"),
    [
        ("prolific", [], "PROLIFIC_PID is missing"),
        ("prolific", FROM_PROLIFIC[:2], "SESSION_ID is missing"),
        ("prolific", [*FROM_PROLIFIC, ("x", "1")], "doesn’t belong there: x"),
        ("prolific", [*FROM_PROLIFIC, FROM_PROLIFIC[0]], "twice"),
        ("prolific", [("PROLIFIC_PID", "{{%PROLIFIC_PID%}}"), *FROM_PROLIFIC[1:]], "didn’t fill in PROLIFIC_PID"),
        ("prolific", [("PROLIFIC_PID", "a" * 101), *FROM_PROLIFIC[1:]], "PROLIFIC_PID isn’t one"),
        ("prolific", [("PROLIFIC_PID", "a b"), *FROM_PROLIFIC[1:]], "PROLIFIC_PID isn’t one"),
        ("mturk", FROM_MTURK[:3], "turkSubmitTo"),
        ("mturk", [*FROM_MTURK[:3], ("turkSubmitTo", "https://mturk.com.evil.org")], "turkSubmitTo"),
        ("id", [("id", "")], "id is missing"),
        ("id", [("id", "x" * 201)], "longer than 200"),
        ("id", [("id", "a\u200bb")], "can’t be seen"),
        ("id", [("id", "a\x00b")], "can’t be seen"),
        ("link", FROM_PROLIFIC, "isn’t made for people who come from a platform"),
    ],
)
def test_odd_addresses_are_refused_in_words(source: str, parameters: list[tuple[str, str]], says: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_visitor(source, parameters, "id")
    assert says in refused.value.message


@given(st.sampled_from(["link", "id", "prolific", "mturk"]), st.data())
def test_no_address_breaks_anything(source: str, data: st.DataObject) -> None:
    names = st.sampled_from([*PROLIFIC, *MTURK, "id"]) | st.text(max_size=5)
    parameters = data.draw(st.lists(st.tuples(names, st.text(max_size=300)), max_size=6))
    try:
        visitor = read_visitor(source, parameters, "id")
    except InvalidInput:
        return
    assert visitor.external_id is None or 1 <= len(visitor.external_id) <= 200


@pytest.mark.parametrize(
    "address",
    ["http://www.mturk.com", "https://mturk.com.x.org", "https://x@evil.org/.mturk.com", "https://www.mturk.com:8443",
     "https://evil.org/?www.mturk.com", "javascript:alert(1)//.mturk.com", "https://[", "https://www.mturk.com@evil.org",
     "https://www.mturk.com/elsewhere", "https://notmturk.com", ""],
)  # fmt: skip
def test_only_mechanical_turk_is_submitted_to(address: str) -> None:
    assert not is_mturk(address)


def test_mechanical_turk_and_its_sandbox_are_known() -> None:
    assert is_mturk("https://www.mturk.com")
    assert is_mturk("https://workersandbox.mturk.com/")


def test_addresses_are_filled_in_safely() -> None:
    filled = fill("https://x.org/?c={code}&w={worker_id}", code="A&B", worker_id="ü/#")
    assert filled == "https://x.org/?c=A%26B&w=%C3%BC%2F%23"
