"""What an OpenAI-compatible endpoint answered: a completion, or why there is none."""

import random
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

from app.language_models.protocol import Sampling
from app.language_models.stopping import cut_at_stop

TEMPORARY = frozenset({408, 409, 429, 500, 502, 503, 504})
LONGEST_WAIT = 120.0
LARGEST_ANSWER = 8_000_000  # characters of text: more is no completion
SHOWN = 200  # characters of what was said instead


@dataclass(frozen=True, slots=True)
class Answer:
    """A completion as it came, stop strings cut."""

    text: str
    finish: str
    prompt_tokens: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """No completion: why, in words that end a sentence, and whether asking again may help."""

    reason: str
    is_temporary: bool = False
    retry_after: float | None = None  # seconds


def seconds_to_wait(retry_after: float | None, attempt: int, seed: int) -> float:
    """As long as the endpoint said, else twice as long each time, apart from the others that were refused with it."""
    if retry_after is not None:
        return min(max(retry_after, 0.0), LONGEST_WAIT)
    scatter: float = random.Random(seed * 31 + attempt).uniform(0.5, 1.5)  # noqa: S311 - no secret  # nosec B311
    return min(2.0**attempt * scatter, LONGEST_WAIT)


def refusal_of(response: httpx2.Response) -> Refusal | None:
    """Why the endpoint refused, or None if it did not."""
    status = response.status_code
    if response.is_success:
        return None
    said = f"it answered {status}: {_said(response)}"
    if status in (401, 403):
        return Refusal(f"{said} Give the environment variable that holds a valid key.")
    if status == 404:
        return Refusal(f"{said} Check the address, which ends in /v1, and the model's name.")
    if status == 429:
        return Refusal(f"{said} Ask for fewer at once, or later.", True, _retry_after(response))
    return Refusal(said, status in TEMPORARY, _retry_after(response))


def read_answer(response: httpx2.Response, sampling: Sampling) -> Answer | Refusal:
    """The completion in a response of success, or what is wrong with it."""
    try:
        body = response.json()
        choice = body["choices"][0]
        text = choice["message"]["content"] if sampling.chat else choice["text"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        return Refusal(f"it is no OpenAI-compatible interface, or broke off: {_said(response)}")
    if text is None:
        text = ""  # a chat answer that is nothing but a refusal or a tool call
    if not isinstance(text, str):
        return Refusal(f"its completion is no text: {_said(response)}")
    if len(text) > LARGEST_ANSWER:
        return Refusal(f"its completion has {len(text)} characters, more than any {sampling.max_tokens} tokens have.")
    cut, stopped = cut_at_stop(text, sampling.stop)
    finish = "length" if choice.get("finish_reason") == "length" and not stopped else "stop"
    return Answer(cut, finish, _count(body, "prompt_tokens"), _count(body, "completion_tokens"))


def _count(body: dict[str, Any], name: str) -> int:
    """Tokens as far as the endpoint counts them."""
    usage = body.get("usage")
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and value >= 0 else 0


def _retry_after(response: httpx2.Response) -> float | None:
    said = response.headers.get("Retry-After", "").strip()
    if not said:
        return None
    try:
        return float(said)
    except ValueError:
        pass
    try:
        return (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):
        return None


def _said(response: httpx2.Response) -> str:
    """The beginning of what it said, on one line."""
    try:
        message = response.json()["error"]["message"]
    except (ValueError, KeyError, TypeError, RecursionError):
        message = response.text
    line = " ".join(str(message).split())
    return f"“{line[:SHOWN]}”{'…' if len(line) > SHOWN else ''}." if line else "nothing."
