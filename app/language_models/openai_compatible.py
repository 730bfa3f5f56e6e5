"""Generation behind an OpenAI-compatible endpoint: vLLM, TGI, llama.cpp's server, or a hosted model.

A few requests at once; a request that is refused for now (429, 503) or breaks off is sent again after a while, and
what stays wrong is an error of its prompt alone, in words that say what to change.
"""

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

import httpx2

from app.language_models.openai_answers import Answer, Refusal, read_answer, refusal_of, seconds_to_wait
from app.language_models.protocol import Check, Completion, ModelError, Prompt, Sampling, go_on
from app.language_models.spec import ModelSpec

AT_ONCE = 8
ATTEMPTS = 5
# A token may take a second on a busy machine, and an answer comes in one piece.
TIMEOUT = httpx2.Timeout(connect=10, read=600, write=60, pool=None)


class OpenAICompatibleModel:
    """A model of that name behind an endpoint."""

    def __init__(
        self, spec: ModelSpec, *, at_once: int = AT_ONCE, attempts: int = ATTEMPTS, timeout: httpx2.Timeout = TIMEOUT
    ) -> None:
        self.name = spec.shown
        self._model, self._endpoint = spec.name, (spec.endpoint or "").rstrip("/")
        self._at_once, self._attempts = at_once, attempts
        self._key = _key(spec)
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        self._http = httpx2.Client(timeout=timeout, headers=headers)
        # The endpoint may change what is behind a name; it tells nothing by which that could be seen.
        self.signature = f"backend:openai|model:{spec.name}|endpoint:{self._endpoint}"

    def generate(self, prompts: Sequence[Prompt], sampling: Sampling, check: Check = go_on) -> Iterator[Completion]:
        """Completions as they arrive. A caller that stops waits for the requests that are under way, no more."""
        waiting = iter(prompts)
        with ThreadPoolExecutor(self._at_once, thread_name_prefix="endpoint") as threads:
            running: set[Future[Completion]] = set()
            while True:
                check()
                for prompt in waiting:
                    running.add(threads.submit(self._complete, prompt, sampling))
                    if len(running) >= self._at_once:
                        break
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (each.result() for each in done)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _complete(self, prompt: Prompt, sampling: Sampling) -> Completion:
        began = time.perf_counter()
        result = self._ask(prompt, sampling)
        seconds = time.perf_counter() - began
        if isinstance(result, Refusal):
            trouble = f"{self._endpoint} gave no completion by {self._model!r}: {result.reason}"
            trouble = trouble.replace(self._key, "…") if self._key else trouble  # some repeat a wrong key
            return Completion(prompt.key, "", "error", 0, 0, seconds, trouble)
        return Completion(prompt.key, result.text, result.finish, result.prompt_tokens, result.tokens, seconds)

    def _ask(self, prompt: Prompt, sampling: Sampling) -> Answer | Refusal:
        result: Answer | Refusal = Refusal("it was not asked.")
        for attempt in range(self._attempts):
            result = self._ask_once(prompt, sampling)
            if isinstance(result, Answer) or not result.is_temporary or attempt == self._attempts - 1:
                break
            time.sleep(seconds_to_wait(result.retry_after, attempt, prompt.seed))
        return result

    def _ask_once(self, prompt: Prompt, sampling: Sampling) -> Answer | Refusal:
        path = "/chat/completions" if sampling.chat else "/completions"
        try:
            response = self._http.post(self._endpoint + path, json=self._body(prompt, sampling))
        except httpx2.TimeoutException:
            return Refusal("it took too long; ask for fewer tokens, or fewer at once.", is_temporary=True)
        except httpx2.TransportError as error:
            reason = f"it can't be reached ({error}); start it, or correct its address."
            return Refusal(reason, is_temporary=True)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            return Refusal(f"{error}; correct its address.")
        return refusal_of(response) or read_answer(response, sampling)

    def _body(self, prompt: Prompt, sampling: Sampling) -> dict[str, Any]:
        asked: dict[str, Any] = {
            "model": self._model,
            "max_tokens": sampling.max_tokens,
            "temperature": sampling.temperature,
            "seed": prompt.seed % 2**31,
        }
        if sampling.top_p < 1:
            asked["top_p"] = sampling.top_p
        if sampling.stop:
            asked["stop"] = list(sampling.stop[:4])  # as many as the interface allows; all are looked for here, too
        if sampling.chat:
            return asked | {"messages": [{"role": "user", "content": prompt.text}]}
        return asked | {"prompt": prompt.text}


def _key(spec: ModelSpec) -> str | None:
    if not spec.key_variable:
        return None
    key = os.environ.get(spec.key_variable)
    if not key:
        raise ModelError(
            f"The key of model {spec.shown!r} is to be in the environment variable {spec.key_variable}, which is not "
            "set here; set it where the worker is started."
        )
    return key
