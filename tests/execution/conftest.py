"""Every tier that this machine has; those that it lacks are left out with the reason."""

import os
import shutil
from collections.abc import Iterator

import pytest

from app.execution.probes import proven
from app.execution.protocol import Tier
from app.execution.runner import Sandbox
from app.execution.zygote_process import BrokenSandbox, Plan
from tests.execution.hostile_answers import ANSWERS
from tests.services.programs import BUBBLEWRAP
from tests.shared_data import skip_or_fail

PLANS = {
    "native": Plan(Tier.NAMESPACES),
    "bwrap": Plan(Tier.NAMESPACES, shutil.which("bwrap")),
    "landlock": Plan(Tier.LANDLOCK),
}


def sandbox(plan: Plan, slots: int) -> Sandbox:
    """A runner of this tier, proven; skips where the machine lacks it."""
    if plan == PLANS["bwrap"] and plan.bwrap is None:
        skip_or_fail(f"bwrap is not installed: {BUBBLEWRAP.remedy}.")
    try:
        proven(plan).close()
    except BrokenSandbox as error:
        skip_or_fail(f"This machine has no tier {plan.name}: {error}.")
    return warm(Sandbox(plan, slots))


def warm(runner: Sandbox) -> Sandbox:
    """With every fork server up, so that what is open and what runs can be counted."""
    for slot in runner.slots:
        slot.run(ANSWERS[0].program)
    return runner


@pytest.fixture(scope="module", params=PLANS)
def tier(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A runner on each tier, with two slots."""
    with sandbox(PLANS[request.param], 2) as runner:
        yield runner


@pytest.fixture(scope="module")
def runner() -> Iterator[Sandbox]:
    """A runner on the strongest tier of this machine."""
    for plan in PLANS.values():
        try:
            proven(plan).close()
        except BrokenSandbox:
            continue
        with Sandbox(plan, 2) as runner:
            yield warm(runner)
        return
    skip_or_fail("This machine has no sandbox.")


@pytest.fixture(autouse=True)
def _planted_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "CODEJURY_PLANTED_SECRET", "planted")
