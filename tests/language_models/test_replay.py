"""Completions from a file, and choices of models as rows store them."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.language_models import ModelError, ModelSpec, Prompt, Sampling, open_model
from app.language_models.replay import most_samples

LINES = """{"task_id": "HumanEval/0", "completion": "    return 1\\n\\ndef f(): pass"}
{"task_id": "HumanEval/0", "completion": "    return 2"}

{"task_id": 7, "completion": "", "sample": 3}
"""


def spec(path: Path) -> ModelSpec:
    return ModelSpec("replay", str(path), label="Codex, 2021")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "samples.jsonl"
    path.write_text(LINES, encoding="utf-8")
    return path


def test_prompts_are_answered_by_task_and_sample(file: Path) -> None:
    model = open_model(spec(file))
    keys = ["HumanEval/0#1", "HumanEval/0#0", "HumanEval/0", "7#3", "7", "HumanEval/9#0"]
    answers = list(model.generate([Prompt(key, "ignored", 0) for key in keys], Sampling(stop=("\ndef",))))
    assert [each.key for each in answers] == keys
    assert [each.text for each in answers[:4]] == ["    return 2", "    return 1\n", "    return 1\n", ""]
    assert [each.finish for each in answers] == ["stop"] * 4 + ["error"] * 2
    assert answers[5].trouble == (
        "samples.jsonl has no completion for HumanEval/9 with sample 0 (the first is 0); add a line for it."
    )
    assert model.name == "Codex, 2021"


def test_the_most_that_a_task_has(file: Path, tmp_path: Path) -> None:
    assert most_samples(file) == 4  # task 7 names its sample 3
    file.write_text(LINES.rpartition('{"task_id": 7')[0], encoding="utf-8")
    assert most_samples(file) == 2
    file.write_text("\n", encoding="utf-8")
    with pytest.raises(ModelError, match=r"theirs\.jsonl holds no completions"):
        most_samples(file, "theirs.jsonl")
    with pytest.raises(ModelError, match=r"gone\.jsonl can't be read"):
        most_samples(tmp_path / "gone.jsonl")


def test_another_file_has_another_signature(file: Path) -> None:
    before = open_model(spec(file)).signature
    assert before == open_model(spec(file)).signature
    file.write_text(LINES.replace("return 2", "return 3"), encoding="utf-8")
    assert open_model(spec(file)).signature != before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "holds no completions"),
        ("{", r"samples\.jsonl, line 1 is not JSON"),
        (LINES + "[1]", "line 5 is not an object"),
        ('{"task_id": "a"}', "line 1: task_id must be"),
        ('{"task_id": "a", "completion": "x", "sample": -1}', "sample must be a number from 0"),
        (
            '{"task_id": "a", "completion": "x"}\n{"task_id": "a", "completion": "x", "sample": 0}',
            "a sample 0 already",
        ),
    ],
)
def test_a_file_that_cannot_be_used_says_where(file: Path, content: str, message: str) -> None:
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match=message):
        open_model(spec(file))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none\.jsonl can't be read: No such file"):
        open_model(spec(tmp_path / "none.jsonl"))


def test_a_choice_is_stored_and_read_back() -> None:
    chosen = ModelSpec("hugging_face", "a/b", revision="v1", trust_remote_code=True)
    assert chosen.as_json() == {
        "backend": "hugging_face", "name": "a/b", "revision": "v1", "trust_remote_code": True
    }  # fmt: skip
    assert ModelSpec.from_json(chosen.as_json()) == chosen
    with pytest.raises(ModelError, match="not known here: colour"):
        ModelSpec.from_json(chosen.as_json() | {"colour": "red"})
    with pytest.raises(ModelError, match="lacks: name"):
        ModelSpec.from_json({"backend": "replay"})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("vllm", "x"), "no backend 'vllm'.*hugging_face, openai, replay"),
        (("replay", " "), "needs a name"),
        (("openai", "x"), "give its address"),
    ],
)
def test_a_choice_that_cannot_be_meant(arguments: tuple[str, str], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        ModelSpec(*arguments)


def test_the_room_is_imported_without_model_libraries() -> None:
    """Every module of it, and so whatever imports it."""
    program = (
        "import sys, pkgutil, importlib, app.language_models as room\n"
        "for each in pkgutil.iter_modules(room.__path__): importlib.import_module(f'{room.__name__}.{each.name}')\n"
        "print(sorted({'torch', 'transformers', 'tokenizers', 'gguf'} & set(sys.modules)))"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"
