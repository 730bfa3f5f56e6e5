"""Threads of a model on the CPU follow from how busy the machine is."""

import os
import time

import pytest

from app.language_models.threads import Look, Threads, choose_threads, idle_processors


@pytest.mark.parametrize(
    ("processors", "load", "threads"),
    [(8, 0.2, 8), (8, 3.4, 5), (8, 8.0, 1), (2, 13.9, 1), (1, 0.0, 1), (4, 0.6, 3)],
)
def test_threads_take_what_others_leave(processors: int, load: float, threads: int) -> None:
    assert idle_processors(processors, load) == threads


@pytest.mark.parametrize(
    ("all_busy", "own", "load"),
    [(20.0, 20.0, 0.0), (20.0, 10.0, 1.0), (15.0, 0.0, 1.5), (3.0, 3.1, 0.0)],
)
def test_what_this_process_does_is_no_load(all_busy: float, own: float, load: float) -> None:
    assert Look(110.0, 500 + all_busy, 40 + own).load_since(Look(100.0, 500.0, 40.0)) == pytest.approx(load)


@pytest.mark.usefixtures("model_libraries")
def test_a_process_at_work_is_seen() -> None:
    before = Look.now()
    while time.process_time() - before.own < 0.3:
        pass
    now = Look.now()
    assert now.own - before.own >= 0.3
    assert now.all_busy - before.all_busy >= 0.25, "the machine's count has this process in it"


@pytest.mark.usefixtures("model_libraries")
def test_threads_follow_while_the_model_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    before = torch.get_num_threads()
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(4)))
    looks = iter([Look(0, 0, 0), Look(1, 0, 0), Look(10, 30, 0), Look(20, 70, 40)])
    monkeypatch.setattr(Look, "now", lambda: next(looks))
    torch.set_num_threads(2)
    writing, chosen = Threads(), []
    for _ in range(3):
        writing.adjust()
        chosen.append(torch.get_num_threads())
    assert chosen == [2, 1, 4], "too soon to tell; then three processors that others took; then all for itself"
    torch.set_num_threads(before)


@pytest.mark.usefixtures("model_libraries")
def test_torch_gets_them_unless_the_environment_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    before = torch.get_num_threads()
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(os, "getloadavg", lambda: (1000.0, 0.0, 0.0))
    assert choose_threads() == 1
    torch.set_num_threads(2)
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert choose_threads() == 2
    torch.set_num_threads(before)
