"""The client against a real server: material in, results out, and what it does about trouble."""

import re
import time
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import httpx2
import pandas as pd
import pytest

from app.config import PROJECT_ROOT
from codejury import ApiError, Client, RunFailed
from codejury import connection as client_connection
from codejury import studies as client_studies
from tests.client.conftest import Server

MANUAL = (PROJECT_ROOT / "docs" / "api.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses between tries are for servers, not for tests."""
    monkeypatch.setattr(client_connection, "pause", lambda *_: 0.0)
    monkeypatch.setattr(client_studies, "pause", lambda *_: 0.0)


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    """An admin's program."""
    with Client(server.url, server.token) as client:
        yield client


def _rows(kind: str) -> list[dict[str, Any]]:
    rows = []
    for problem in range(8):
        for system in range(3):
            named = {"problem": f"p{problem}", "system": f"system-{system}"}
            if kind == "grades":
                rows += [named | {"worker": f"w{n}", "label": (problem + system + n) % 5} for n in range(2)]
            else:
                rows.append(named | {"metric": "mine", "score": ((problem * 7 + system) % 10) / 10})
    return rows


@pytest.mark.usefixtures("worker")
def test_the_example_of_the_manual(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEJURY_URL", server.url)
    monkeypatch.setenv("CODEJURY_TOKEN", server.token)
    [example] = re.findall(r"```python\n(.+?)```", MANUAL, re.DOTALL)
    told: dict[str, Any] = {}
    exec(example, told)
    assert isinstance(told["scores"], pd.DataFrame)
    assert set(told["scores"]["metric"]) >= {"human", "bleu"}
    with Client(server.url, server.token) as client:
        assert len(client.study("adding-by-three-models").outputs()) == 24


@pytest.mark.usefixtures("worker")
def test_grades_and_scores_in_and_results_out(server: Server, tmp_path: Any) -> None:
    with Client(server.url, server.token) as client:
        study = client.study("here")
        study.upload_grades(_rows("grades"))
        run = study.upload_scores(pd.DataFrame(_rows("scores")))
        assert run.result["added"]["scores"] == 24
        analysis = study.analyse(draws=100, metrics=["bleu", "mine"], consensus="mean")
        assert not analysis.is_stale
        assert len(analysis.pairs()) == 3 * 3  # pairs of systems, by people and two metrics
        assert set(analysis.agreement_by_delta()["metric"]) == {"bleu", "mine"}
        grades = study.grades()
        assert sorted(grades["worker"].unique()) == ["w0", "w1"]
        assert len(grades) == 48
        assert study.measure_agreement(draws=100).documents
        assert study.export(tmp_path / "table.csv", "csv").read_text().startswith("task,")
        [event] = islice((each for each in study.events(after=0) if each.data["kind"] == "analysis"), 1)
        assert (event.kind, event.data["state"]) == ("run.finished", "done")


@pytest.mark.usefixtures("worker")
def test_an_import_that_fails_says_where(client: Client) -> None:
    study = client.study("here")
    bad = [{"problem": "p0", "system": "system-9", "output": "x"}, {"problem": "", "system": "s", "output": "y"}]
    assert study.check("outputs", bad)["problems"][0]["row"] == 2
    with pytest.raises(RunFailed, match="row 2, column 'problem'"):
        study.upload_outputs(bad)


def test_a_refusal_is_an_error_with_its_problems(server: Server, client: Client) -> None:
    with pytest.raises(ApiError, match="There is no such study") as missing:
        client.study("nothing")
    assert missing.value.status == 404
    with pytest.raises(ApiError) as wrong:
        client.create_study("Fine", colour="red")
    assert [each.field for each in wrong.value.problems] == ["colour"]
    with Client(server.url, "cj_wrong") as stranger, pytest.raises(ApiError, match="unknown, has expired"):
        stranger.study("here")


class Shaky(httpx2.BaseTransport):
    """A network that loses answers after the server has done its work."""

    def __init__(self, lost: Callable[[httpx2.Request], bool]) -> None:
        self.real, self.lost, self.sent = httpx2.HTTPTransport(), lost, list[httpx2.Request]()
        self.losses = 0

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        self.sent.append(request)
        answer = self.real.handle_request(request)
        if self.lost(request) and self.losses < 2:
            self.losses += 1
            answer.read()
            answer.close()
            raise httpx2.ReadError("the answer was lost", request=request)
        return answer

    def close(self) -> None:
        self.real.close()


def test_a_write_whose_answer_was_lost_is_done_once(server: Server) -> None:
    shaky = Shaky(lambda request: request.method == "POST")
    with Client(server.url, server.token, transport=shaky) as client:
        assert client.create_study("Once").name == "once"
        names = [each.name for each in client.studies()]
    keys = [request.headers["idempotency-key"] for request in shaky.sent if request.method == "POST"]
    assert len(keys) == 3
    assert len(set(keys)) == 1
    assert names == ["once", "here"]


@pytest.mark.usefixtures("worker")
def test_listening_goes_on_after_a_broken_connection(server: Server) -> None:
    shaky = Shaky(lambda request: request.url.path.endswith("/events"))
    with Client(server.url, server.token, transport=shaky) as client:
        study = client.study("here")
        run = study.upload_scores(_rows("scores"))
        [event] = islice(study.events(after=0), 1)
    assert shaky.losses == 2
    assert event.data["run"] == run.id


def test_trouble_that_stays_is_told(server: Server) -> None:
    shaky = Shaky(lambda _: True)
    with Client(server.url, server.token, tries=2, transport=shaky) as client, pytest.raises(httpx2.ReadError):
        client.study("here")
    assert len(shaky.sent) == 2


def test_missing_values_of_a_frame_are_left_out() -> None:
    from codejury.studies import _lines

    frame = pd.DataFrame({"problem": ["p", "q"], "intent": ["Sort", None], "seed": [1, 2], "score": [0.5, None]})
    assert _lines(frame).decode().splitlines() == [
        '{"problem": "p", "intent": "Sort", "seed": 1, "score": 0.5}',
        '{"problem": "q", "seed": 2}',
    ]


@pytest.mark.usefixtures("worker")
def test_completions_come_as_a_frame_with_their_verdicts(client: Client, server: Server) -> None:
    tested = [
        {
            "task_id": f"b/{number}",
            "prompt": f"def f{number}():\n",
            "entry_point": f"f{number}",
            "canonical_solution": f"    return {number}\n",
            "tests": f"assert f{number}() == {number}",
        }
        for number in range(2)
    ]
    headers = {"Authorization": f"Bearer {server.token}"}
    httpx2.post(f"{server.url}/api/v1/benchmarks", params={"name": "Bench"}, json=tested, headers=headers)
    (benchmark,) = client.benchmarks()
    assert benchmark.name == "bench"
    assert list(benchmark.problems()["task_id"]) == ["b/0", "b/1"]
    written = [{"task_id": f"b/{number}", "completion": "    return 0\n"} for number in range(2)]
    made = benchmark.bring_completions(written, label="theirs")
    deadline = time.monotonic() + 60
    while sum(made.refresh().told["verdicts"].values()) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    frame = made.completions()
    assert list(frame["task_id"]) == ["b/0", "b/1"]
    assert list(frame["verdict"]) == ["passed", "failed"]
    assert list(made.completions("passed")["completion"]) == ["    return 0\n"]
    assert [each.told["label"] for each in benchmark.generations()] == ["theirs"]
