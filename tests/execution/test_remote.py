"""The runner service and its other side, over a real socket."""

import dataclasses
import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import NotFound
from app.execution import Limits, RemoteRunner, Strength, Verdict
from app.execution.lines import line, outcome_from_json, outcome_to_json, program_from_json, program_to_json
from app.execution.runner import Sandbox
from tests.execution.hostile_answers import ANSWERS
from tests.execution.hostile_oddities import ODDITIES
from tests.execution.programs import program
from tests.workers.process import Launched
from workers.runner import answer


@pytest.fixture
def service(tmp_path: Path) -> Iterator[tuple[Launched, Path]]:
    place = tmp_path / "socket"
    host = Launched("runner", CODEJURY_RUNNER_SOCKET=str(place))
    try:
        assert host.process.stdout
        assert "listens" in host.process.stdout.readline()
        yield host, place
    finally:
        host.end()


def test_programs_run_elsewhere_come_to_the_same(service: tuple[Launched, Path]) -> None:
    programs = [*ANSWERS, *ODDITIES]
    with RemoteRunner(service[1]) as remote:
        outcomes = list(remote.run_all(each.program for each in programs))
    assert [outcome.verdict for outcome in outcomes] == [each.expected for each in programs]
    assert {outcome.strength for outcome in outcomes} == {Strength.JUDGE}


def test_a_service_that_goes_away_is_our_fault_and_not_the_programs(service: tuple[Launched, Path]) -> None:
    host, place = service
    sleeper = program("import time\ndef f():\n    time.sleep(20)\n", "f()", limits=Limits(wall=30))
    with RemoteRunner(place) as remote:
        threading.Timer(1, os.kill, (host.process.pid, signal.SIGKILL)).start()
        outcome = remote.run(sleeper)
    assert outcome.verdict is Verdict.SANDBOX_ERROR
    assert "the runner service gave no outcome" in outcome.reason


def test_without_a_service_it_says_how_to_start_one(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as error:
        RemoteRunner(tmp_path / "socket")
    assert error.value.remedy == "Start one: codejury runner"


@pytest.mark.parametrize(
    "question", [b"x\n", b"[]\n", b'"program"\n', b'{"program": 1}\n', b'{"program": {}}\n', b"[" * 100_000, b"1\n"]
)
def test_what_is_no_question_gets_an_answer(runner: Sandbox, question: bytes) -> None:
    told = answer(runner, question)
    assert told.keys() <= {"error", "tier", "slots"}
    json.loads(line(told))


def test_programs_and_outcomes_travel_unchanged(runner: Sandbox) -> None:
    hard = dataclasses.replace(ANSWERS[0].program, source="s = '\ud800\0\n'", limits=Limits(cpu=1.5))
    assert program_from_json(json.loads(line(program_to_json(hard)))) == hard
    outcome = runner.run(ANSWERS[1].program)
    assert outcome_from_json(json.loads(line(outcome_to_json(outcome)))) == outcome
