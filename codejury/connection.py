"""Requests to the API: with the token, tried again where that does no harm, and errors that say what to do."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx2

PREFIX = "/api/v1"
# Answers after which the same may be asked again: a write carries a key, so that it is done once.
PASSING = frozenset({429, 502, 503, 504})
LONGEST_PAUSE = 30.0


@dataclass(frozen=True)
class ApiProblem:
    """One thing that was wrong, and where."""

    message: str
    row: int | None = None
    column: str | None = None
    field: str | None = None
    file: str | None = None
    remedy: str | None = None


class ApiError(Exception):
    """The server refused: what happened, the remedy, and each problem with its place."""

    def __init__(self, status: int, told: Mapping[str, Any]) -> None:
        self.status = status
        self.title = str(told.get("title", ""))
        self.detail = str(told.get("detail", ""))
        self.remedy: str | None = told.get("remedy")
        known = ApiProblem.__dataclass_fields__
        self.problems = [
            ApiProblem(**{name: value for name, value in each.items() if name in known})
            for each in told.get("problems", [])
        ]
        super().__init__(self._in_words())

    def _in_words(self) -> str:
        lines = [f"{self.status}: {self.detail or self.title}"]
        for each in self.problems:
            place = [f"row {each.row}" if each.row else "", each.column or "", each.field or ""]
            lines.append(f"{', '.join(filter(None, place))}: {each.message}")
        return "\n".join([*lines, *([self.remedy] if self.remedy else [])])


class Connection:
    """One server and one token."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float = 60.0,
        tries: int = 5,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        headers = {"Authorization": f"Bearer {token}", "User-Agent": "codejury-client"}
        self.tries = tries
        self._http = httpx2.Client(base_url=url.rstrip("/"), headers=headers, timeout=timeout, transport=transport)

    def close(self) -> None:
        """Give connections back."""
        self._http.close()

    def get(self, path: str, **query: Any) -> Any:
        """What is there, as JSON."""
        return self.ask("GET", path, params=query).json()

    def write(self, method: str, path: str, **request: Any) -> Any:
        """Change something, once, however often it has to be sent."""
        headers = {"Idempotency-Key": uuid4().hex} | request.pop("headers", {})
        return self.ask(method, path, headers=headers, **request).json()

    def ask(self, method: str, path: str, **request: Any) -> httpx2.Response:
        """One request, sent again while the trouble is one that passes."""
        for attempt in range(1, self.tries + 1):
            is_last = attempt == self.tries
            try:
                answer = self._http.request(method, PREFIX + path, **_without_none(request))
            except httpx2.TransportError:
                if is_last:
                    raise
                time.sleep(pause(attempt))
                continue
            if answer.status_code not in PASSING or is_last:
                return _checked(answer)
            time.sleep(pause(attempt, answer.headers.get("retry-after")))
        raise AssertionError("a client tries at least once")

    def pages(self, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        """Every row of a list, page after page."""
        cursor = None
        while True:
            page = self.get(path, cursor=cursor, **query)
            yield from page["items"]
            cursor = page["next"]
            if cursor is None:
                return

    @contextmanager
    def stream(self, path: str, **request: Any) -> Iterator[httpx2.Response]:
        """An answer that is read while it comes."""
        with self._http.stream("GET", PREFIX + path, **_without_none(request)) as answer:
            if answer.is_error:
                answer.read()
            yield _checked(answer)


def _without_none(request: dict[str, Any]) -> dict[str, Any]:
    if "params" in request:
        request["params"] = {name: value for name, value in request["params"].items() if value is not None}
    return request


def pause(attempt: int, told: str | None = None) -> float:
    """Seconds until the next try: as the server says, else longer each time, and not the same for all clients."""
    if told is not None and told.isdecimal():
        return min(float(told), LONGEST_PAUSE)
    return min(0.25 * 2.0**attempt, LONGEST_PAUSE) * random.uniform(0.5, 1.0)  # noqa: S311 - no secret


def _checked(answer: httpx2.Response) -> httpx2.Response:
    if answer.is_success:
        return answer
    try:
        told = answer.json()
    except ValueError:
        told = {}
    raise ApiError(answer.status_code, told if isinstance(told, dict) else {})
