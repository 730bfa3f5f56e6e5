"""Threads of a model on the CPU follow from how busy the machine is."""

import os

import pytest

from app.language_models.threads import choose_threads, idle_processors


@pytest.mark.parametrize(
    ("processors", "load", "threads"),
    [(8, 0.2, 8), (8, 3.4, 5), (8, 8.0, 1), (2, 13.9, 1), (1, 0.0, 1), (4, 0.6, 3)],
)
def test_threads_take_what_others_leave(processors: int, load: float, threads: int) -> None:
    assert idle_processors(processors, load) == threads


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
