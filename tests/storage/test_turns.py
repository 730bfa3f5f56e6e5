"""Turns are given in the order in which they were asked for."""

import threading
import time

from app.storage.turns import Turn


def ask(turn: Turn, name: int, served: list[int]) -> threading.Thread:
    """Ask for a turn in a thread of its own; back once it stands in the queue."""

    def work() -> None:
        assert turn.take(20)
        served.append(name)
        turn.give_back()

    thread = threading.Thread(target=work)
    length = len(turn._waiting)
    thread.start()
    while len(turn._waiting) == length:
        time.sleep(0.001)
    return thread


def test_who_waits_longest_comes_first_even_before_who_had_it_last() -> None:
    turn, served = Turn(), list[int]()
    assert turn.take(0)
    threads = [ask(turn, number, served) for number in range(8)]
    turn.give_back()
    assert turn.take(20)  # after all who came before
    assert served == list(range(8))
    turn.give_back()
    for thread in threads:
        thread.join()
    assert turn.take(0)


def test_who_gives_up_is_not_called_any_more() -> None:
    turn = Turn()
    assert turn.take(0)
    assert not turn.take(0.01)
    turn.give_back()
    assert turn.take(0)
