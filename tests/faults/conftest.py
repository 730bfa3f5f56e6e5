"""Fixtures of the faults."""

from collections.abc import Callable, Iterator

import pytest

from tests.faults.processes import Web
from tests.faults.study import Installation, installation

__all__ = ["installation"]


@pytest.fixture
def start_web(installation: Installation) -> Iterator[Callable[..., Web]]:
    """Starts web processes on the installation and ends them with the test."""
    started: list[Web] = []

    def start(**more: object) -> Web:
        started.append(Web(installation.url, installation.folder, **more))  # type: ignore[arg-type]
        return started[-1]

    yield start
    for each in started:
        each.end()
