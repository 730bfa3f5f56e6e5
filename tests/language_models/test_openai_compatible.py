"""Endpoints that answer, refuse, dawdle, break off, or talk rubbish: all real servers on a free port."""

import time
from typing import Any

import httpx2
import pytest

from app.language_models import Completion, ModelError, ModelSpec, Prompt, Sampling, open_model
from app.language_models.openai_compatible import OpenAICompatibleModel
from tests.language_models.endpoint import Call, Endpoint, completion, serve

PLAIN = Sampling()
PROMPTS = [Prompt(str(number), f"def f{number}():", number) for number in range(6)]


def ask(
    endpoint: Endpoint, sampling: Sampling = PLAIN, prompts: list[Prompt] = PROMPTS[:1], **options: Any
) -> list[Completion]:
    model = OpenAICompatibleModel(ModelSpec("openai", "coder", endpoint=endpoint.address), **options)
    try:
        return list(model.generate(prompts, sampling))
    finally:
        model.close()


def test_plain_prompts_are_completed() -> None:
    sampling = Sampling(temperature=0.5, top_p=0.9, max_tokens=7, stop=("\ndef",))
    with serve(lambda call: call.answer(completion("    return 1\ndef g():"))) as endpoint:
        [answer] = ask(endpoint, sampling, PROMPTS[3:4])
    assert (answer.key, answer.text, answer.finish) == ("3", "    return 1", "stop")
    assert (answer.prompt_tokens, answer.tokens) == (5, 3)
    assert endpoint.paths == ["/v1/completions"]
    assert endpoint.asked == [
        {"model": "coder", "prompt": "def f3():", "seed": 3}
        | {"max_tokens": 7, "temperature": 0.5, "top_p": 0.9, "stop": ["\ndef"]}
    ]


def test_chats_are_answered() -> None:
    said = {"choices": [{"message": {"content": "Sure."}, "finish_reason": "length"}]}
    with serve(lambda call: call.answer(said)) as endpoint:
        [answer] = ask(endpoint, Sampling(chat=True))
    assert (answer.text, answer.finish, answer.tokens) == ("Sure.", "length", 0)
    assert endpoint.paths == ["/v1/chat/completions"]
    assert endpoint.asked[0]["messages"] == [{"role": "user", "content": "def f0():"}]


def test_so_many_are_asked_at_once_and_no_more() -> None:
    def respond(call: Call) -> None:
        time.sleep(0.05)
        call.answer(completion(call.body["prompt"]))

    with serve(respond) as endpoint:
        answers = ask(endpoint, prompts=PROMPTS, at_once=3)
    assert {each.key: each.text for each in answers} == {each.key: each.text for each in PROMPTS}
    assert endpoint.most_at_once == 3


def test_too_many_requests_are_sent_again_when_the_endpoint_says() -> None:
    def respond(call: Call) -> None:
        if call.number == 0:
            call.answer({"error": {"message": "slow down"}}, 429, Retry_After="0.3")
        else:
            call.answer(completion("x"))

    began = time.monotonic()
    with serve(respond) as endpoint:
        [answer] = ask(endpoint)
    assert answer.text == "x"
    assert time.monotonic() - began >= 0.3
    assert len(endpoint.asked) == 2


def test_an_endpoint_that_stays_too_busy_is_an_error_of_each_prompt() -> None:
    with serve(lambda call: call.answer({"error": {"message": "slow down"}}, 429, Retry_After="0")) as endpoint:
        answers = ask(endpoint, prompts=PROMPTS[:2], attempts=3)
    assert len(endpoint.asked) == 6
    assert {each.finish for each in answers} == {"error"}
    assert "it answered 429: “slow down”. Ask for fewer at once, or later." in (answers[0].trouble or "")


@pytest.mark.parametrize(
    ("content", "status", "message"),
    [
        (b"<html>It works!</html>", 200, "no OpenAI-compatible interface, or broke off: “<html>It works!</html>”"),
        (b"", 200, "or broke off: nothing."),
        (b'{"choices": []}', 200, "no OpenAI-compatible interface"),
        (b"[" * 100_000, 200, "no OpenAI-compatible interface"),
        (b'{"choices": [{"text": 5}]}', 200, "its completion is no text"),
        (b"\xff\xfe\x00", 200, "no OpenAI-compatible interface"),
        (completion("x" * 8_000_001), 200, "8000001 characters, more than any 512 tokens"),
        ({"error": {"message": "bad key"}}, 401, "it answered 401: “bad key”. Give the environment variable"),
        ({"detail": "Not Found"}, 404, "Check the address, which ends in /v1, and the model's name"),
        ({"error": {"message": "maximum context length is 2048"}}, 400, "400: “maximum context length is 2048”"),
    ],
)  # fmt: skip
def test_rubbish_and_refusals_are_told_and_not_repeated(content: object, status: int, message: str) -> None:
    with serve(lambda call: call.answer(content, status)) as endpoint:
        [answer] = ask(endpoint)
    assert answer.finish == "error"
    assert message in (answer.trouble or "")
    assert endpoint.address in (answer.trouble or "")
    assert len(endpoint.asked) == 1


def test_one_bad_answer_leaves_the_others() -> None:
    def respond(call: Call) -> None:
        call.answer(b"oops" if "f2" in call.body["prompt"] else completion("x"))

    with serve(respond) as endpoint:
        answers = ask(endpoint, prompts=PROMPTS)
    assert [each.key for each in answers if each.finish == "error"] == ["2"]
    assert len(answers) == len(PROMPTS)


def test_an_answer_that_breaks_off_is_asked_for_again() -> None:
    def respond(call: Call) -> None:
        if call.number == 0:
            call.answer(b'{"choices": [', Content_Length="1000")
            call.close_connection = True
        else:
            call.answer(completion("x"))

    with serve(respond) as endpoint:
        [answer] = ask(endpoint)
    assert answer.text == "x"
    assert len(endpoint.asked) == 2


def test_an_endpoint_that_dawdles_is_told() -> None:
    def respond(call: Call) -> None:
        time.sleep(0.5)
        call.close_connection = True

    with serve(respond) as endpoint:
        [answer] = ask(endpoint, attempts=1, timeout=httpx2.Timeout(0.1))
    assert "it took too long; ask for fewer tokens" in (answer.trouble or "")


def test_an_endpoint_that_is_not_there_is_told() -> None:
    with serve(lambda call: call.answer({})) as endpoint:
        pass
    [answer] = ask(endpoint, attempts=1)
    assert "it can't be reached" in (answer.trouble or "")
    assert "start it, or correct its address" in (answer.trouble or "")


def test_a_caller_may_stop_in_between() -> None:
    with serve(lambda call: call.answer(completion("x"))) as endpoint:
        model = OpenAICompatibleModel(ModelSpec("openai", "coder", endpoint=endpoint.address), at_once=1)
        answers = model.generate(PROMPTS, Sampling())
        next(answers)
        answers.close()  # type: ignore[attr-defined]
        model.close()
    assert len(endpoint.asked) < len(PROMPTS)


@pytest.mark.parametrize("name", ["DATABASE_URL", "AWS_SECRET_ACCESS_KEY", "_API_KEY", "A_API_KEY ", "HOME"])
def test_no_other_secret_of_the_environment_can_be_sent(name: str) -> None:
    with pytest.raises(ModelError, match="ends in _API_KEY"):
        ModelSpec("openai", "coder", endpoint="http://127.0.0.1:1/v1", key_variable=name)


def test_the_key_comes_from_the_environment_and_stands_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(lambda call: call.answer(b"wrong key: s3cret", 403)) as endpoint:
        spec = ModelSpec("openai", "coder", endpoint=endpoint.address, key_variable="CODER_API_KEY")
        monkeypatch.delenv("CODER_API_KEY", raising=False)
        with pytest.raises(ModelError, match="environment variable CODER_API_KEY, which is not set"):
            open_model(spec)
        monkeypatch.setenv("CODER_API_KEY", "s3cret")
        model = open_model(spec)
        [answer] = model.generate(PROMPTS[:1], PLAIN)
        model.close()
    assert "wrong key: …" in (answer.trouble or "")
    assert endpoint.keys == ["Bearer s3cret"]
    assert "s3cret" not in f"{answer} {model.signature} {spec.as_json()}"
