"""Changes of single characters by the paper's probabilities."""

from random import Random

import pytest

from app.perturbations.characters import butter_fingers, swap_characters, upper_case
from app.perturbations.docstring.whitespace import spaced
from app.perturbations.qwerty import NEIGHBOURS, RELEASED_NEIGHBOURS

LETTERS = "abcdefghijklmnopqrstuvwxyz"
LONG = LETTERS * 4000


def assert_share(count: int, of: int, probability: float) -> None:
    """Within five standard deviations of what a binomial count would be."""
    assert abs(count - of * probability) < 5 * (of * probability * (1 - probability)) ** 0.5


def test_every_key_has_neighbours_that_are_other_letters() -> None:
    assert sorted(NEIGHBOURS) == list(LETTERS)
    assert all(near and key not in near and near.isalpha() for key, near in NEIGHBOURS.items())
    assert NEIGHBOURS["p"] == "iklo"
    assert RELEASED_NEIGHBOURS["p"] == "plo['ik"


def test_five_letters_of_a_hundred_are_mistyped() -> None:
    typed = butter_fingers(LONG, [True] * len(LONG), Random(1))
    wrong = [(key, hit) for key, hit in zip(LONG, typed, strict=True) if key != hit]
    assert_share(len(wrong), len(LONG), 0.05)
    assert all(hit in NEIGHBOURS[key] for key, hit in wrong)


def test_capitals_are_mistyped_as_capitals() -> None:
    assert butter_fingers("A" * 1000, [True] * 1000, Random(1)).isupper()


def test_35_of_a_hundred_small_letters_become_capitals() -> None:
    changed = upper_case(LONG + "ß" + LETTERS.upper(), [True] * (len(LONG) + 27), Random(1))
    assert_share(sum(map(str.isupper, changed)) - 26, len(LONG), 0.35)
    assert changed.lower() == LONG + "ß" + LETTERS


def test_five_pairs_of_a_hundred_change_places() -> None:
    changed = swap_characters(LONG, [True] * len(LONG), Random(1))
    moved = sum(a != b for a, b in zip(LONG, changed, strict=True)) // 2
    assert_share(moved, len(LONG) - 1 - moved, 0.05)
    assert sorted(changed) == sorted(LONG)
    assert changed != LONG


@pytest.mark.parametrize("rule", [butter_fingers, upper_case, swap_characters])
def test_what_is_not_free_stays_and_draws_nothing(rule) -> None:  # type: ignore[no-untyped-def]
    free = [each not in "xyz" for each in LONG]
    changed = rule(LONG, free, Random(1))
    assert all(old == new for old, new, may in zip(LONG, changed, free, strict=True) if not may)
    shorter = "".join(each for each in LONG if each not in "xyz")
    if rule is not swap_characters:
        kept = "".join(new for new, may in zip(changed, free, strict=True) if may)
        assert kept == rule(shorter, [True] * len(shorter), Random(1))
    assert rule("", [], Random(1)) == ""


def test_spaces_come_and_go_as_often_as_the_paper_says() -> None:
    pairs = 50_000
    changed = spaced("a " * pairs + "a", [True] * (2 * pairs + 1), Random(1))
    gaps = [len(each) for each in changed.split("a")[1:-1]]
    assert len(gaps) == pairs
    assert_share(gaps.count(0), pairs, 0.05 * 0.9)  # gone, and none added to the letter before
    assert_share(gaps.count(2), pairs, 0.95 * 0.1)  # added to the letter before, and not gone
    assert set(gaps) == {0, 1, 2}


def test_lines_and_indentation_stay_and_so_do_gaps_beside_what_is_protected() -> None:
    text = "the list  is\n      a list"
    free = [True] * 4 + [False] * 4 + [True] * (len(text) - 12) + [False] * 4
    for seed in range(200):
        lines = spaced(text, free, Random(seed)).split("\n")
        assert [each.count("list") for each in lines] == [1, 1]
        assert lines[0][: lines[0].index("list")].endswith(" ")
        assert lines[0].split("list")[1].startswith("  ")
        assert lines[1].startswith("      a")
