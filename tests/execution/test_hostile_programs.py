"""The programs that try to cheat, to harm or to stay, on every tier."""

import pytest

from app.execution.protocol import Strength
from app.execution.runner import Sandbox
from tests.execution.hostile import Hostile
from tests.execution.hostile_answers import ANSWERS
from tests.execution.hostile_deeds import DEEDS
from tests.execution.hostile_oddities import ODDITIES
from tests.execution.leftovers import connections, files, is_settled, soon

HOSTILE = [*ANSWERS, *DEEDS, *ODDITIES]


def test_all_forty_one_are_here() -> None:
    assert len({hostile.name for hostile in HOSTILE}) == 41


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda each: each.name)
def test_each_hostile_program_gets_its_verdict_and_leaves_nothing(tier: Sandbox, hostile: Hostile) -> None:
    open_before = connections()
    outcome = tier.run(hostile.program)
    assert outcome.verdict is hostile.expected, outcome
    assert outcome.strength is Strength.JUDGE
    assert outcome.tier is tier.tier
    assert len(outcome.stderr) <= 1536
    assert soon(lambda: is_settled(tier)), (tier.processes(), files(tier))
    assert connections() == open_before, "connections to ended jobs are open"
