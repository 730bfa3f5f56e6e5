"""The manual of the API: each example in it is sent, and answered as it says."""

import json
import re
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.config import PROJECT_ROOT
from tests.api.conftest import Program

MANUAL = (PROJECT_ROOT / "docs" / "api.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"```http\n([^`]+)```\n\n`(\d{3})`\n\n```json\n(.+?)```", re.DOTALL)


def _sent(text: str) -> dict[str, Any]:
    head, _, body = text.partition("\n\n")
    first, *lines = head.strip().splitlines()
    method, address = first.split(" ")
    headers = dict(line.split(": ", 1) for line in lines)
    assert headers.pop("Authorization") == "Bearer cj_…"  # the program carries its own
    return {"method": method, "url": address, "headers": headers, "content": body.encode() or None}


def _holds(answer: Any, told: Any, where: str) -> None:
    """What the manual tells of an answer; it may leave out the rest."""
    if isinstance(told, dict):
        for name, value in told.items():
            _holds(answer[name], value, f"{where}.{name}")
    elif isinstance(told, list):
        for each in told:
            assert any(_is_like(one, each) for one in answer), f"{where}: {each} is not in {answer}"
    else:
        assert answer == told, where


def _is_like(answer: Any, told: Any) -> bool:
    if not isinstance(told, dict):
        return bool(answer == told)
    return all(answer.get(name) == value for name, value in told.items())


def test_each_example_is_answered_as_it_says(program: Program) -> None:
    examples, client = EXAMPLE.findall(MANUAL), program("admin")
    assert len(examples) == MANUAL.count("```http") - 1 >= 7  # one more is a stream; see test_events.py
    for sent, status, told in examples:
        answer = client.request(**_sent(sent))
        assert answer.status_code == int(status), f"{sent}\n{answer.text}"
        _holds(answer.json(), json.loads(told), sent.splitlines()[0])


@pytest.mark.sqlite_is_enough
def test_it_is_a_page_of_the_manual(client: TestClient) -> None:
    page = client.get("/help/api")
    assert page.status_code == 200
    assert "<h1>The API</h1>" in page.text
    assert "Idempotency-Key" in page.text
