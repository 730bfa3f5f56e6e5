"""What is said of each annotator: cases worked by hand, and what must hold whatever the grades are."""

import math
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.statistics import annotator_quality as quality
from app.statistics.annotator_quality import Measure

# task, worker, label: on t1 two say 4 and one 2; on t2 1 and 3; t3 is ann's alone.
ROWS = [("t1", "ann", 4), ("t1", "bob", 4), ("t1", "cy", 2), ("t2", "ann", 1), ("t2", "bob", 3), ("t3", "ann", 0)]


def likeness(rows: list[tuple[str, str, float]]) -> dict[str, quality.Likeness]:
    tasks, workers, labels = zip(*rows, strict=True) if rows else ((), (), ())
    return quality.likeness_to_others(tasks, workers, labels)


def test_the_others_by_hand() -> None:
    found = likeness(ROWS)
    # ann, t1: the others say 4 and 2, mean 3, and 4 is one of two that are equally frequent; t2: 3.
    assert found["ann"] == quality.Likeness(Measure(0.25, 2), Measure(1.5, 2))
    assert found["bob"] == quality.Likeness(Measure(0.25, 2), Measure(1.5, 2))
    assert found["cy"] == quality.Likeness(Measure(0.0, 1), Measure(2.0, 1))


def test_leading_needs_the_others_and_not_oneself() -> None:
    rows = [("t", "a", 1.0), ("t", "b", 1.0), ("t", "c", 1.0), ("t", "d", 0.0), ("t", "e", 0.0)]
    found = likeness(rows)
    assert found["a"].equal.value == 0.5, "without a, 1 and 0 stand two to two"
    assert found["d"].equal.value == 0.0, "without d, 1 leads by three to one"


def test_who_shares_no_item_gets_a_reason() -> None:
    found = likeness([("t1", "ann", 1), ("t2", "bob", 2)])
    assert found["ann"].equal == Measure(None, 0, quality.NO_OTHERS)
    assert likeness([]) == {}


grade_rows = st.dictionaries(
    st.tuples(st.sampled_from("tuvwx"), st.sampled_from("abcd")), st.sampled_from([0.0, 0.5, 1.0, 4.0]), min_size=1
)


@given(grade_rows)
def test_the_others_as_a_plain_loop_has_it(grades: dict[tuple[str, str], float]) -> None:
    rows = [(task, worker, label) for (task, worker), label in grades.items()]
    found = likeness(rows)
    for worker in {worker for _, worker in grades}:
        equal, difference = [], []
        for (task, who), label in grades.items():
            others = [grades[key] for key in grades if key[0] == task and key[1] != who]
            if who != worker or not others:
                continue
            most = max(others.count(each) for each in others)
            modes = {each for each in others if others.count(each) == most}
            equal.append(1 / len(modes) if label in modes else 0.0)
            difference.append(abs(label - sum(others) / len(others)))
        assert found[worker].equal.items == len(equal)
        if equal:
            assert found[worker].equal.value == pytest.approx(sum(equal) / len(equal), abs=1e-6)
            assert found[worker].difference.value == pytest.approx(sum(difference) / len(difference), abs=1e-6)
        else:
            assert found[worker].equal.reason


def test_habits_by_hand() -> None:
    found = quality.habits([3, 3, 1, 1, 1, 3, 4, 3])
    assert found.longest_run == Measure(3.0, 8)
    assert found.modal_share == Measure(0.5, 8)
    # 4 of 8, 3 of 8, 1 of 8
    assert found.entropy.value == pytest.approx(0.5 + 3 / 8 * math.log2(8 / 3) + 3 / 8, abs=1e-6)
    always = quality.habits([2] * 5)
    assert (always.longest_run.value, always.modal_share.value, always.entropy.value) == (5, 1, 0)
    assert quality.habits([2]).entropy == Measure(None, 1, quality.ONE_ANSWER)
    assert quality.habits([]).entropy == Measure(None, 0, quality.NO_GRADES)


@given(st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=2))
def test_habits_hold_together(answers: list[float]) -> None:
    found = quality.habits(answers)
    assert found.longest_run.value == max(len(list(run)) for _, run in groupby(answers))
    assert found.modal_share.value is not None
    assert found.entropy.value is not None
    assert found.longest_run.value <= round(found.modal_share.value * len(answers))
    assert 0 <= found.entropy.value <= math.log2(3) + 1e-6
    assert (found.entropy.value == 0) == (len(set(answers)) == 1)


def test_repeats_checks_times_and_references() -> None:
    assert quality.likeness_of_pairs([4, 2, 1], [4, 3, 3]) == quality.Likeness(Measure(0.333333, 3), Measure(1.0, 3))
    assert quality.likeness_of_pairs([], []).equal == Measure(None, 0, quality.NO_REPEATS)
    assert quality.share_passed(3, 4) == Measure(0.75, 4)
    assert quality.share_passed(0, 0) == Measure(None, 0, quality.NO_CHECKS)
    assert quality.median_seconds([1000, 9000, 2000, math.nan]) == Measure(2.0, 3)
    assert quality.median_seconds([]) == Measure(None, 0, quality.NO_TIMES)
    assert quality.mean_of_references([4, 3]) == Measure(3.5, 2)
    assert quality.mean_of_references([]) == Measure(None, 0, quality.NO_REFERENCES)


def test_skills_rank_a_careful_one_above_a_guesser() -> None:
    rows = []
    for number in range(60):
        truth = float(number % 5)
        rows += [(f"t{number}", who, truth) for who in ("ann", "bob", "cy")]
        rows.append((f"t{number}", "guess", float((number * 3 + number // 7) % 5)))
    rows.append(("own", "alone", 3.0))
    found = quality.skills(*zip(*rows, strict=True))
    assert found["ann"].value is not None
    assert found["guess"].value is not None
    assert found["ann"].value > found["guess"].value
    assert found["ann"].items == 60
    assert found["alone"] == Measure(None, 1, quality.NO_OTHERS)


def test_skills_say_why_there_are_none() -> None:
    found = quality.skills(["t1", "t2"], ["ann", "ann"], [1.0, 2.0])
    assert found["ann"].value is None
    assert "Only one annotator" in (found["ann"].reason or "")
