"""Annotators' browsers, as far as a server can tell. They share the machine with what is measured, so do little."""

import json
import random
import re
import socket
from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

Answer = dict[str, Any]


class Connection:
    """A kept connection that speaks just enough HTTP."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._open()

    def _open(self) -> None:
        self._socket = socket.create_connection(("127.0.0.1", self._port), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def post(self, path: str, cookie: str, body: bytes) -> tuple[int, bytes]:
        """The status and the content of the answer."""
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nCookie: codejury={cookie}\r\n"
            "Content-Type: application/json\r\nAccept: application/json\r\nSec-Fetch-Site: same-origin\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        answer = self._begin(head.encode() + body)
        while (end := answer.find(b"\r\n\r\n")) < 0:
            answer += self._read()
        length = int(re.search(rb"content-length: (\d+)", answer[:end], re.IGNORECASE)[1])  # type: ignore[index]
        while len(answer) < end + 4 + length:
            answer += self._read()
        return int(answer[9:12]), answer[end + 4 :]

    def _begin(self, request: bytes) -> bytes:
        """The answer's beginning. A kept connection that was closed meanwhile is opened anew, as browsers do."""
        try:
            self._socket.sendall(request)
            return self._read()
        except ConnectionError:
            self._open()
            self._socket.sendall(request)
            return self._read()

    def _read(self) -> bytes:
        received = self._socket.recv(65536)
        if not received:
            raise ConnectionError("The server closed the connection.")
        return received


@dataclass
class Page:
    """One annotator's page: the items that it has, and what was acknowledged and refused so far."""

    cookie: str
    acknowledged: list[str]
    failures: Counter[str]
    items: list[str] = field(default_factory=list)

    def grade_one(self, connection: Connection, *, again: bool = False) -> bool:
        """Grade the next item; False where there is none.

        The answer brings what the page lacks; after a failed try (``again``) that is a request of its own.
        """
        if not self.items:
            self._ask(connection)
        if not self.items:
            return False
        item, submission = self.items.pop(0), uuid4().hex
        body: Answer = {"submission_id": submission, "kind": "grade", "revision": 0, "version": 1}
        body["answers"] = {"helpfulness": random.randrange(5)}
        answer = self._post(connection, f"/grade/{item}/answer", body | ({} if again else {"have": self.items}))
        if answer is not None:
            self.acknowledged.append(submission)
        if again:
            self._ask(connection)
        elif answer is not None:
            self._add(answer)
        return True

    def _ask(self, connection: Connection) -> None:
        answer = self._post(connection, "/grade/next", {"have": self.items})
        if answer is not None:
            self._add(answer)

    def _add(self, answer: Answer) -> None:
        self.items += [each["id"] for each in answer["items"]]

    def _post(self, connection: Connection, path: str, body: object) -> Answer | None:
        status, content = connection.post(path, self.cookie, json.dumps(body).encode())
        if status != 200:
            self.failures[f"{path.rsplit('/', 1)[1]} {status}"] += 1
            return None
        return dict(json.loads(content))
