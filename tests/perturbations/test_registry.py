"""What holds for every transformation, whichever it is."""

import pytest

from app.perturbations import Category, PerturbationError, available, find


def test_each_is_found_by_its_name() -> None:
    assert all(find(each.name) is each for each in available())


def test_they_come_in_the_categories_order() -> None:
    order = [list(Category).index(each.category) for each in available()]
    assert order == sorted(order)


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(PerturbationError, match=r"no transformation 'docstring/Rhyme'. Known:"):
        find("docstring/Rhyme")
