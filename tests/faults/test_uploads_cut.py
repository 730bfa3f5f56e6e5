"""F22: an upload that is cut off leaves nothing behind. F23: a flood of them is refused while it comes."""

import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from app.storage.models import Artifact
from tests.dashboards.study import sign_in
from tests.faults import invariants
from tests.faults.processes import Web
from tests.faults.study import Installation

TABLE = b"problem,intent,system,output\n" + b"".join(b"p%d,i,s,o\n" % n for n in range(5_000))
BODY = (
    b'--b\r\nContent-Disposition: form-data; name="files"; filename="outputs.csv"\r\n\r\n' + TABLE + b"\r\n--b--\r\n"
)


def request(cookie: str, *more: str) -> bytes:
    """The head of an upload by an admin."""
    lines = ["POST /import HTTP/1.1", "Host: localhost", "Sec-Fetch-Site: same-origin", f"Cookie: codejury={cookie}"]
    lines += ["Connection: close", "Content-Type: multipart/form-data; boundary=b", *more, "", ""]
    return "\r\n".join(lines).encode()


def sent(address: str, head: bytes, body: bytes, *, is_cut: bool = False) -> bytes:
    """Send this, and perhaps hang up then; what the server says to it."""
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(head + body)
        if is_cut:
            connection.shutdown(socket.SHUT_WR)
        received = b""
        while data := connection.recv(65536):
            received += data
    return received


def artifacts(installation: Installation) -> int:
    with installation.database.read() as session:
        return session.scalar(select(func.count()).select_from(Artifact)) or 0


@pytest.mark.fault("F22")
@pytest.mark.sqlite_is_enough
def test_an_upload_cut_anywhere_leaves_nothing_and_can_be_sent_again(
    installation: Installation, live_server: str, client: TestClient
) -> None:
    cookie = sign_in(client, installation.database, "admin")
    announced = request(cookie, f"Content-Length: {len(BODY)}")
    for cut in (1, len(BODY) // 100, len(BODY) // 2, len(BODY) * 99 // 100, len(BODY) - 1):
        assert not sent(live_server, announced, BODY[:cut], is_cut=True).startswith(b"HTTP/1.1 303"), cut
        assert artifacts(installation) == 0
    longer = request(cookie, f"Content-Length: {len(BODY) + 10}")
    assert not sent(live_server, longer, BODY, is_cut=True).startswith(b"HTTP/1.1 303")
    endless = request(cookie, "Transfer-Encoding: chunked")
    assert not sent(live_server, endless, b"%x\r\n%b\r\n" % (len(BODY), BODY), is_cut=True).startswith(
        b"HTTP/1.1 303"
    )
    invariants.check(installation, {})
    assert sent(live_server, announced, BODY).startswith(b"HTTP/1.1 303")
    assert artifacts(installation) == 1
    invariants.check(installation, {})


def resident(pid: int) -> int:
    """Bytes of memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096


@pytest.mark.fault("F23")
@pytest.mark.drill
@pytest.mark.sqlite_is_enough
def test_a_gigabyte_is_refused_while_it_comes_and_many_small_ones_are_taken(
    installation: Installation, client: TestClient, start_web: Callable[..., Web]
) -> None:
    cookie = sign_in(client, installation.database, "admin")
    web = start_web(CODEJURY_MAX_UPLOAD_MB="16")
    address = f"http://127.0.0.1:{web.port}"
    ordinary = request(cookie, f"Content-Length: {len(BODY)}")
    assert sent(address, ordinary, BODY).startswith(b"HTTP/1.1 303")
    before = resident(web.process.pid)
    assert b" 413 " in sent(address, request(cookie, f"Content-Length: {1 << 30}"), BODY)
    with socket.create_connection(("127.0.0.1", web.port), timeout=20) as connection:
        connection.sendall(request(cookie, "Transfer-Encoding: chunked"))
        chunk = b"%x\r\n%b\r\n" % (1 << 20, b"x" * (1 << 20))
        taken = 0
        with suppress(OSError):
            while taken < 1 << 10:
                connection.sendall(chunk)
                taken += 1
        assert taken < 100, "the server stopped reading long before the gigabyte"
    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda _: sent(address, ordinary, BODY)[:13], range(300)))
    assert set(answers) <= {b"HTTP/1.1 303 ", b"HTTP/1.1 429 ", b"HTTP/1.1 503 "}
    assert resident(web.process.pid) - before < 150 << 20
    invariants.check(installation, {})
