"""Which rows run together, whatever their lengths and however little memory there is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.language_models.batching import in_batches

lengths = st.lists(st.integers(1, 50), max_size=30)


@given(lengths=lengths, most=st.integers(1, 10), memory=st.integers(50, 300))
def test_each_row_runs_once_in_batches_that_fit(lengths: list[int], most: int, memory: int) -> None:
    """Memory holds so many tokens, padding included; the estimate is right about half of the time."""
    tried: list[int] = []

    def run(places: list[int]) -> list[int]:
        tried.append(len(places))
        if max(lengths[place] for place in places) * len(places) > memory:
            raise MemoryError
        return [lengths[place] for place in places]

    done = list(in_batches(lengths, run, fits=lambda _: most, is_out_of_memory=lambda e: isinstance(e, MemoryError)))
    assert sorted(place for places, _ in done for place in places) == list(range(len(lengths)))
    assert all(result == [lengths[place] for place in places] for places, result in done)
    in_order = [lengths[place] for places, _ in done for place in places]
    assert in_order == sorted(lengths, reverse=True)
    assert max(tried, default=0) <= most
    assert len(tried) - len(done) <= 4  # halving 10 four times leaves none


def test_a_row_that_never_fits_comes_with_its_exception_and_the_others_run() -> None:
    def run(places: list[int]) -> str:
        if 0 in places:
            raise MemoryError
        return "done"

    done = list(in_batches([9, 5, 5], run, fits=lambda _: 8, is_out_of_memory=lambda e: isinstance(e, MemoryError)))
    assert isinstance(done[0][1], MemoryError)
    assert done[0][0] == [0]
    assert [result for _, result in done[1:]] == ["done"] * 2


def test_any_other_exception_is_raised() -> None:
    def run(_: list[int]) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(in_batches([1], run, fits=lambda _: 1, is_out_of_memory=lambda e: isinstance(e, MemoryError)))
