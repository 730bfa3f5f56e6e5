"""F09: whoever sends a byte now and then is cut off after a while, and nobody else notices."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest
import uvicorn
from fastapi import FastAPI

from app.web import patience
from app.web.patience import PatientProtocol
from tests.faults.load import Browser
from tests.faults.study import Installation

pytestmark = [pytest.mark.fault("F09"), pytest.mark.sqlite_is_enough]
HEADERS = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\n"
BODY = b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 500\r\n\r\nemail="


@pytest.fixture
def port(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The app behind the protocol that `codejury serve` uses, with less patience."""
    monkeypatch.setattr(patience, "HEADER_SECONDS", 0.5)
    monkeypatch.setattr(patience, "BODY_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(app, http=PatientProtocol, log_level="warning", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield listening.getsockname()[1]
        server.should_exit = True
        thread.join()


@contextmanager
def trickling(port: int, first: bytes) -> Iterator[Callable[[], bytes]]:
    """A connection that sends ``first`` and then a byte now and then (or nothing); what comes until it is cut."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        over = threading.Event()

        def trickle() -> None:
            while first and not over.wait(0.05):
                try:
                    connection.sendall(b"a")
                except OSError:
                    return

        def ended() -> bytes:
            received = b""
            while data := _received(connection):
                received += data
            return received

        connection.sendall(first)
        thread = threading.Thread(target=trickle)
        thread.start()
        yield ended
        over.set()
        thread.join()


def _received(connection: socket.socket) -> bytes:
    try:
        return connection.recv(65536)
    except ConnectionError:
        return b""


def test_headers_that_never_end_are_cut_off(port: int) -> None:
    for first in (b"", b"GET /", HEADERS):
        with trickling(port, first) as ended:
            assert ended() == b""


def test_a_body_that_trickles_is_told_so(port: int) -> None:
    with trickling(port, HEADERS + BODY) as ended:
        answer = ended()
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"Nothing was stored." in answer


def test_an_upload_that_goes_on_has_the_time_that_it_needs(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Longer in all than the patience for a body, but never slower than a line may be."""
    monkeypatch.setattr(patience, "BODY_SECONDS", 2)
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(HEADERS + BODY.replace(b"500", b"8006"))
        for _ in range(8):
            time.sleep(0.4)
            connection.sendall(b"a" * 1000)
        assert connection.recv(13) in (b"HTTP/1.1 401 ", b"HTTP/1.1 422 ")


def test_a_hundred_of_them_keep_nobody_from_grading(installation: Installation, port: int) -> None:
    [person] = installation.people(1)
    browser = Browser(person, [port])
    with ExitStack() as stack:
        for number in range(100):
            stack.enter_context(trickling(port, HEADERS + (BODY if number % 2 else b"")))
        for _ in range(5):
            assert browser.grade_one()
    assert set(browser.statuses) == {200}
