"""Whatever a model wrote has a stated verdict, and the next one is judged all the same."""

from collections.abc import Callable
from typing import Any

import pytest

from app.storage.models import Run
from tests.bad_input.conftest import Asked, Judged

pytestmark = [pytest.mark.sqlite_is_enough, pytest.mark.usefixtures("benchmark")]
MEGABYTE = 1 << 20


@pytest.mark.parametrize(
    ("text", "verdict", "reason"),
    [
        ("", "error", "IndentationError"),
        ("    return 1\n" + "# " + "x" * MEGABYTE + "\n", "passed", ""),
        ("    return " + "1 + " * (MEGABYTE // 4) + "1\n", "error", ""),
        ("    return (\n", "error", "SyntaxError"),
        ("    pass\ndel f\n", "error", "f"),
    ],
    ids=["empty", "1 MB of comment", "1 MB of sum", "syntax error", "no entry point"],
)
def test_has_a_verdict_and_the_others_go_on(
    replay: Callable[..., dict[str, Any]],
    generate: Callable[..., tuple[Run, Asked]],
    judge: Callable[[], tuple[Run, Judged]],
    text: str,
    verdict: str,
    reason: str,
) -> None:
    run, asked = generate(replay(a=text, b="    return 1\n", c="    return 2\n"), cut_rule="none")
    assert run.state == "done", run.message
    assert asked["a"].text == asked["a"].raw == text
    run, judged = judge()
    assert run.state == "done", run.message
    assert {key: each.verdict for key, each in judged.items()} == {"a": verdict, "b": "passed", "c": "failed"}
    assert reason in judged["a"].reason
