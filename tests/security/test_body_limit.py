"""Nobody makes the server hold much: each body is counted while it comes, whatever was announced of it."""

import asyncio
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from starlette.types import Message

from app.web.body_limit import MOST_BYTES
from tests.security.authorisation import EXPECTED
from tests.security.world import World

UNSAFE = sorted(key.split()[1] for key in EXPECTED if key.startswith("POST "))
CHUNK = b"x" * (64 << 10)
MOST_CHUNKS = 4_800  # 300 MB
KINDS = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b")
OPENING = b'--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n'


@dataclass
class Sender:
    """A client that sends 300 MB as long as somebody reads."""

    announce: str | None = None
    cookie: str = ""
    kind: str = KINDS[0]
    chunk: bytes = CHUNK
    chunks: int = 0
    status: int = 0
    answer: bytes = b""
    sent: list[Message] = field(default_factory=list)

    async def receive(self) -> Message:
        self.chunks += 1
        opening = OPENING if self.chunks == 1 and self.kind == KINDS[2] else b""
        return {"type": "http.request", "body": opening + self.chunk, "more_body": self.chunks < MOST_CHUNKS}

    async def send(self, message: Message) -> None:
        self.status = message.get("status", self.status)
        self.answer += message.get("body", b"")

    def headers(self) -> Iterator[tuple[bytes, bytes]]:
        yield b"host", b"localhost"
        yield b"sec-fetch-site", b"same-origin"
        yield b"content-type", self.kind.encode()
        if self.announce is not None:
            yield b"content-length", self.announce.encode()
        if self.cookie:
            yield b"cookie", self.cookie.encode()

    def post(self, world: World, address: str) -> "Sender":
        """Send it."""
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": address,
            "raw_path": address.encode(),
            "query_string": b"",
            "headers": list(self.headers()),
            "client": ("192.0.2.1", 1),
            "server": ("localhost", 80),
        }
        asyncio.run(world.app(scope, self.receive, self.send))
        return self


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("announce", [None, str(300 << 20), "10"], ids=["chunked", "announced", "a lie"])
@pytest.mark.fault("F23")
def test_a_stranger_is_cut_off_early_at_every_address(world: World, announce: str | None, kind: str) -> None:
    before = world.rows()
    for path in UNSAFE:
        tracemalloc.start()
        sender = Sender(announce, kind=kind).post(world, world.address(path))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert sender.chunks * len(CHUNK) <= MOST_BYTES + 2 * len(CHUNK), path
        assert peak < 20 << 20, path
        assert sender.status in (303, 401, 404, 413, 422), (path, sender.status)
    # Signing out, and in by a link, need no body at all.
    kept = before.keys() - {"sign_ins", "audit_events"}
    assert {name: world.rows()[name] for name in kept} == {name: before[name] for name in kept}


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize("path", ["/import", "/import/{upload}", "/studies/{slug}/import"])
def test_an_upload_is_not_read_before_its_sender_may_upload(world: World, path: str) -> None:
    for cookie, status in (("", 401), (f"{world.app.state.session_cookie}={world.cookies['researcher']}", 403)):
        sender = Sender(cookie=cookie, kind=KINDS[2]).post(world, world.address(path))
        assert sender.status == status
        assert sender.chunks == 0


@pytest.mark.sqlite_is_enough
def test_too_much_is_told_as_413_and_an_admins_long_form_is_taken(world: World) -> None:
    refused = world.client("anonymous").post("/sign-in", data={"email": "x" * (65 << 10)})
    assert refused.status_code == 413
    assert "64 KB" in refused.text
    refused = world.client("annotator").post("/grade/next", json={"have": ["x" * (65 << 10)]})
    assert refused.status_code == 413
    assert refused.headers["content-type"] == "application/problem+json"
    settings = {"title": "T", "instructions": "😀" * 50_000, "grades_per_item": "3", "claim_minutes": "30"}
    assert world.client("admin").post(world.address("/studies/{slug}/desk"), data=settings).status_code == 303


@pytest.mark.sqlite_is_enough
def test_an_upload_keeps_its_own_limit(world: World) -> None:
    half = {"files": ("outputs.csv", b"problem,intent,system,output\n" + b"p,i,s,o\n" * 40_000)}
    assert world.client("admin").post("/import", files=half).status_code == 303
