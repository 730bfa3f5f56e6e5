"""A model or an endpoint that goes wrong fails its prompts, or its run, with what to do; the others go on."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.storage.engine import Database
from app.storage.models import Run
from tests.bad_input.conftest import Asked, store
from tests.language_models.endpoint import Call, serve
from tests.language_models.tiny import CONTEXT, TinyModels

pytestmark = pytest.mark.sqlite_is_enough
Generate = Callable[..., tuple[Run, Asked]]


@pytest.mark.usefixtures("benchmark")
@pytest.mark.parametrize(
    ("files", "told"),
    [({}, "holds no config.json; give a folder that a model was saved into."), ({"config.json": "{"}, "config.json")],
)
def test_a_model_that_cannot_be_loaded(
    generate: Generate, tmp_path: Path, tiny_models: TinyModels, files: dict[str, str], told: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    run, asked = generate({"backend": "hugging_face", "name": str(tmp_path)})
    assert (run.state, asked, run.trace) == ("failed", {}, None)
    assert told in run.message


def test_without_padding_token_and_beyond_the_context(
    database: Database, generate: Generate, tiny_models: TinyModels
) -> None:
    store(database, {"short": "x", "longer": "x y z", "too long": "x " * CONTEXT})
    spec = {"backend": "hugging_face", "name": str(tiny_models.causal), "device": "cpu"}
    run, asked = generate(spec, temperature=1.0, max_tokens=4)
    assert run.state == "done"
    assert {key: each.finish == "error" for key, each in asked.items()} == {
        "short": False,
        "longer": False,
        "too long": True,
    }
    trouble = asked["too long"].trouble or ""
    assert f"{CONTEXT} tokens" in trouble
    assert f"1 of them failed; the first says: {trouble}" in run.message.replace("\n", " ")


def rubbish(call: Call) -> None:
    """The first problem has nothing but refusals, the second what is no JSON."""
    name = call.body["prompt"].split("(")[0]
    if name == "def f1":
        call.answer({"error": {"message": "slow down"}}, 429, Retry_After="0")
    elif name == "def f2":
        call.answer(b"<html>It works!</html>")
    else:
        call.answer({"choices": [{"text": "    return 1\n", "finish_reason": "stop"}]})


def test_an_endpoint_that_answers_429_or_rubbish(database: Database, generate: Generate) -> None:
    store(database, {f"f{number}": f"def f{number}():\n" for number in (1, 2, 3)})
    with serve(rubbish) as endpoint:
        spec: dict[str, Any] = {"backend": "openai", "name": "m", "endpoint": endpoint.address}
        run, asked = generate(spec, cut_rule="none")
    assert run.state == "done"
    assert "2 of them failed; the first says:" in run.message
    assert "it answered 429: “slow down”" in (asked["f1"].trouble or "")
    assert "“<html>It works!</html>”" in (asked["f2"].trouble or "")
    assert asked["f3"].text == "    return 1\n"
