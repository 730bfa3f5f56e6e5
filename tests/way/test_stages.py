"""The way as a machine: whatever comes, a person stands at a stage that there is, and only ever moves as told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import Conflict
from app.services.way.stages import ENDINGS, MOVES, ORDER, Course, first, present, step

courses = st.builds(Course, st.booleans(), st.booleans(), st.booleans(), st.booleans())
events = st.lists(st.sampled_from(sorted(MOVES)), max_size=40)


@given(courses, events)
def test_nobody_stands_where_the_study_has_nothing(course: Course, sent: list[str]) -> None:
    stage = first(course)
    for event in sent:
        try:
            stage = step(stage, event, course)
        except Conflict:
            continue
        assert course.has(stage)
        assert stage in (*ORDER, *ENDINGS)


@given(courses)
def test_the_usual_events_lead_through_every_stage_once(course: Course) -> None:
    usual = {"consent": "agreed", "profile": "answered", "instructions": "read", "practice": "passed"}
    usual |= {"grading": "finished", "closing": "answered"}
    stages = [first(course)]
    while stages[-1] != "done":
        stages.append(step(stages[-1], usual[stages[-1]], course))
    assert stages == [stage for stage in ORDER if course.has(stage)]


@given(courses, st.sampled_from(["failed", "declined"]), st.sampled_from(sorted(MOVES)))
def test_nothing_leads_on_from_failed_and_declined(course: Course, stage: str, event: str) -> None:
    with pytest.raises(Conflict):
        step(stage, event, course)


@given(courses, st.sampled_from(ORDER))
def test_a_dropped_stage_is_passed_over(course: Course, stage: str) -> None:
    here = present(stage, course)
    assert course.has(here)
    assert ORDER.index(here) >= ORDER.index(stage)
    assert present(here, course) == here


def test_a_consent_can_be_refused_at_any_stage_before_the_end() -> None:
    course = Course(consent=True, practice=True)
    for stage in ("consent", "instructions", "practice", "grading"):
        assert step(stage, "refused", course) == "declined"
    with pytest.raises(Conflict):
        step("done", "refused", course)
