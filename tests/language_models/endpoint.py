"""A real HTTP server on a free port that answers as an endpoint does, or as one shouldn't."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Endpoint:
    """What it was asked, in order, and how many at once at most."""

    address: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    most_at_once: int = 0


class Call(BaseHTTPRequestHandler):
    """One request, with helpers to answer it."""

    protocol_version = "HTTP/1.1"
    body: dict[str, Any]
    number: int

    def answer(self, content: object, status: int = 200, **headers: str) -> None:
        """Answer with JSON, or with bytes as they are."""
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(data))} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serve(respond: Callable[[Call], None]) -> Iterator[Endpoint]:
    """Serve until the block ends."""
    endpoint, lock, now = Endpoint(), threading.Lock(), [0]

    class Handler(Call):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                now[0] += 1
                endpoint.most_at_once = max(endpoint.most_at_once, now[0])
                self.body, self.number = body, len(endpoint.asked)
                endpoint.asked.append(body)
                endpoint.paths.append(self.path)
                endpoint.keys.append(self.headers["Authorization"])
            try:
                respond(self)
            finally:
                with lock:
                    now[0] -= 1

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        endpoint.address = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield endpoint
        server.shutdown()
        thread.join()


def completion(text: str, finish: str = "stop") -> dict[str, Any]:
    """What /v1/completions answers."""
    usage = {"prompt_tokens": 5, "completion_tokens": 3}
    return {"choices": [{"text": text, "finish_reason": finish}], "usage": usage}
