"""A write that is sent twice under one key is done once."""

import threading
from datetime import timedelta

import time_machine
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from app.clock import utc_now
from app.services import idempotency
from app.storage.engine import Database
from app.storage.models import IdempotencyKey, Run
from tests.api.conftest import Program
from tests.security.world import World

ADDRESS = "/api/v1/studies/here/analyses"
KEY = {"Idempotency-Key": "0b9f3f3e-1"}


def _runs(database: Database) -> int:
    with database.read() as session:
        return session.scalar(select(func.count()).select_from(Run)) or 0


def test_the_second_sending_gets_the_first_answer(database: Database, program: Program) -> None:
    client, before = program("researcher"), _runs(database)
    first = client.post(ADDRESS, json={"draws": 100}, headers=KEY)
    second = client.post(ADDRESS, json={"draws": 100}, headers=KEY)
    assert (first.status_code, second.status_code) == (202, 202)
    assert first.content == second.content
    assert "idempotent-replayed" not in first.headers
    assert second.headers["idempotent-replayed"] == "true"
    assert _runs(database) == before + 1


def test_the_same_key_with_another_body_or_address_is_a_conflict(database: Database, program: Program) -> None:
    client, before = program("researcher"), _runs(database)
    client.post(ADDRESS, json={"draws": 100}, headers=KEY)
    for address, sent in ((ADDRESS, {"draws": 200}), ("/api/v1/studies/elsewhere/analyses", {"draws": 100})):
        answer = client.post(address, json=sent, headers=KEY)
        assert answer.status_code == 409
        assert answer.headers["content-type"] == "application/problem+json"
    assert _runs(database) == before + 1


def test_a_key_is_its_users_own(database: Database, program: Program) -> None:
    before = _runs(database)
    assert program("researcher").post(ADDRESS, json={"draws": 100}, headers=KEY).status_code == 202
    assert program("admin").post(ADDRESS, json={"draws": 200}, headers=KEY).status_code == 202
    assert _runs(database) == before + 2


def test_a_write_that_failed_leaves_its_key_free(program: Program) -> None:
    client = program("researcher")
    assert client.post(ADDRESS, json={"systems": ["nobody"]}, headers=KEY).status_code == 422
    assert client.post(ADDRESS, json={"draws": 100}, headers=KEY).status_code == 202


def test_many_at_once_are_one(database: Database, program: Program) -> None:
    client, before = program("researcher"), _runs(database)
    begin, answers = threading.Barrier(8), []

    def send(own: TestClient) -> None:
        begin.wait()
        answers.append(own.post(ADDRESS, json={"draws": 100}, headers=KEY))

    threads = [threading.Thread(target=send, args=(client,)) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.content for answer in answers}) == 1
    assert sum("idempotent-replayed" not in answer.headers for answer in answers) == 1
    assert _runs(database) == before + 1


def test_keys_are_forgotten_after_a_day(world: World, database: Database, program: Program) -> None:
    program("researcher").post(ADDRESS, json={"draws": 100}, headers=KEY)
    for hours, left in ((23, 1), (25, 0)):
        with time_machine.travel(utc_now() + timedelta(hours=hours)), database.write() as session:
            idempotency.forget_keys(session)
        with database.read() as session:
            assert session.scalar(select(func.count()).select_from(IdempotencyKey)) == left


def test_a_key_that_is_none(program: Program) -> None:
    client = program("researcher")
    for key in ("", "x" * 256, "tab\tinside"):
        answer = client.post(ADDRESS, json={"draws": 100}, headers={"Idempotency-Key": key})
        assert answer.status_code == 422
        assert answer.json()["problems"][0]["field"] == "Idempotency-Key"
