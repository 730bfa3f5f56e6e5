"""What is computed once, and that nobody waits for another object's."""

import threading

from app.once import computed_once


class Asked:
    """Counts how often it is asked, after both of two threads have come."""

    meeting = threading.Barrier(2, timeout=5)

    def __init__(self) -> None:
        self.times = 0

    @computed_once
    def answer(self) -> int:
        """How often."""
        self.meeting.wait()
        self.times += 1
        return self.times


def test_it_is_computed_once_and_beside_other_objects() -> None:
    both = Asked(), Asked()
    threads = [threading.Thread(target=lambda each=each: each.answer) for each in both]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert [each.times for each in both] == [1, 1]
    assert [each.answer for each in both] == [1, 1]


def test_the_class_shows_what_it_is() -> None:
    assert isinstance(Asked.answer, computed_once)
    assert Asked.answer.__doc__ == "How often."
