"""The web application with a stopwatch around it, as a process of its own.

python -m benchmarks._timed_server PORT TIMES_FILE     (DATABASE_URL as always; SIGTERM writes the times)
"""

import json
import signal
import sys
import time
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.main import create_app
from app.web.cores import keep_to_a_core
from app.web.process import settle

# A server that has just started puts its statements and templates together, which belongs to its start.
WARM_UP_SECONDS = 3


class Stopwatch:
    """Milliseconds from a request's arrival to the last byte of its answer, by kind of request, once it is warm."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.times: dict[str, list[float]] = {}
        self.first: float | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and note how long it took."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start = time.perf_counter()
        self.first = self.first or start
        is_warm = start > self.first + WARM_UP_SECONDS

        async def timed_send(message: Message) -> None:
            await send(message)
            if is_warm and message["type"] == "http.response.body" and not message.get("more_body"):
                self.times.setdefault(_kind(scope), []).append(1000 * (time.perf_counter() - start))

        await self.app(scope, receive, timed_send)


def _kind(scope: dict[str, Any] | Scope) -> str:
    path = str(scope["path"])
    if path == "/grade/next":
        return "next"
    return "grade" if path.endswith("/answer") else "page"


def main() -> None:
    """Serve until told to stop."""
    port, file = int(sys.argv[1]), Path(sys.argv[2])
    keep_to_a_core(file.parent)
    watched = Stopwatch(create_app())
    settle()
    # uvicorn stops in order at this signal and then raises it again, which must not end the process yet.
    signal.signal(signal.SIGTERM, lambda *_: None)
    uvicorn.run(watched, host="127.0.0.1", port=port, log_level="warning", access_log=False)
    file.write_text(json.dumps(watched.times))


if __name__ == "__main__":
    main()
