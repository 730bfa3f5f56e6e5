"""Generation with transformers, with the packaged model and with tiny ones that the test makes."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.language_models import Completion, ModelError, ModelSpec, Prompt, Sampling, loaded, open_model
from app.language_models.hugging_face import HuggingFaceModel
from tests.language_models.tiny import CONTEXT, TinyModels

pytestmark = [pytest.mark.xdist_group("language_models"), pytest.mark.filterwarnings("ignore::DeprecationWarning")]
CODE = [
    Prompt("add", 'def add(a, b):\n    """Return the sum of a and b."""', 1),
    Prompt("names", "import os\n\nfor name in os.listdir('.'):", 2),
    Prompt("long", '"""Read a table."""\n\nimport csv\n\n\ndef read(path):\n    with open(path) as file:', 3),
    Prompt("empty", "", 4),
]
SAMPLED = Sampling(temperature=0.8, top_p=0.95, max_tokens=12)


def texts(model: HuggingFaceModel, prompts: list[Prompt], sampling: Sampling) -> dict[str, str]:
    return {each.key: each.text for each in model.generate(prompts, sampling)}


def of(path: Path, **options: Any) -> ModelSpec:
    return ModelSpec("hugging_face", str(path), device="cpu", **options)


def test_whoever_asks_can_stop_it_at_each_token(tiny_models: TinyModels) -> None:
    class Enough(Exception):
        pass

    def check() -> None:
        asked.append(None)
        if len(asked) == 3:
            raise Enough

    asked: list[None] = []
    model = HuggingFaceModel(of(tiny_models.causal))
    with pytest.raises(Enough):
        list(model.generate(CODE[:2], Sampling(temperature=5.0, max_tokens=6), check))
    assert len(asked) == 3
    assert len(list(model.generate(CODE[:2], SAMPLED))) == 2, "and it can be asked again"


def test_the_packaged_model_writes_what_transformers_alone_writes(
    smollm2: HuggingFaceModel, smollm2_spec: ModelSpec
) -> None:
    """Greedy, one prompt at a time, by plain argmax over forward passes without cache, padding or ``generate``."""
    import torch

    expected = {}
    for prompt in CODE[:2]:
        ids = smollm2._tokenizer(prompt.text).input_ids
        start = len(ids)
        for _ in range(12):
            with torch.inference_mode():
                ids.append(int(smollm2._model(torch.tensor([ids])).logits[0, -1].argmax()))
        expected[prompt.key] = smollm2._tokenizer.decode(ids[start:])
    written = texts(smollm2, CODE, Sampling(max_tokens=12))
    assert {key: written[key] for key in expected} == expected
    assert "return a + b" in written["add"]


def test_a_sample_depends_on_its_seed_and_not_on_its_batch(smollm2: HuggingFaceModel) -> None:
    together = texts(smollm2, CODE, SAMPLED)
    alone = {key: text for prompt in CODE for key, text in texts(smollm2, [prompt], SAMPLED).items()}
    assert together == alone
    other = texts(smollm2, [replace(prompt, seed=prompt.seed + 100) for prompt in CODE], SAMPLED)
    assert all(other[key] != together[key] for key in other)


def test_what_is_asked_twice_is_answered_once_when_greedy_and_for_each_seed_when_not(
    smollm2: HuggingFaceModel,
) -> None:
    asked = [*CODE, Prompt("again", CODE[0].text, 99)]
    greedy = {each.key: each for each in smollm2.generate(asked, Sampling(max_tokens=12))}
    assert greedy.keys() == {each.key for each in asked}
    assert greedy["again"] == replace(greedy["add"], key="again")
    assert greedy["again"].seconds == pytest.approx(greedy["names"].seconds / 2)
    sampled = texts(smollm2, asked, SAMPLED)
    assert sampled["again"] != sampled["add"]


def test_stop_strings_end_a_row_and_are_cut(smollm2: HuggingFaceModel) -> None:
    """The first row goes on while the second has ended, at a string that spans tokens."""
    [whole] = smollm2.generate(CODE[:1], Sampling(max_tokens=20))
    stop = whole.text[4:9]
    answers = {each.key: each for each in smollm2.generate(CODE[:2], Sampling(max_tokens=20, stop=(stop, "never\0")))}
    assert answers["add"].text == whole.text[: whole.text.index(stop)]
    assert answers["add"].finish == "stop"
    assert answers["add"].tokens < whole.tokens == 20
    assert (answers["names"].finish, answers["names"].tokens) == ("length", 20)


def test_a_chat_answer_ends_by_itself(smollm2: HuggingFaceModel) -> None:
    [answer] = smollm2.generate([Prompt("sum", "What is 2 + 2?", 0)], Sampling(chat=True, max_tokens=30))
    assert answer.finish == "stop"
    assert "4" in answer.text
    assert "<|" not in answer.text


def test_a_prompt_beyond_the_context_is_an_error_of_its_own(smollm2: HuggingFaceModel) -> None:
    answers = {each.key: each for each in smollm2.generate([Prompt("far", "x " * 9000, 0), CODE[0]], SAMPLED)}
    assert answers["far"].finish == "error"
    assert "9001 tokens" in (answers["far"].trouble or "")
    assert "8192" in (answers["far"].trouble or "")
    assert answers["add"].finish == "length"


def test_digits_are_read_one_by_one(smollm2: HuggingFaceModel) -> None:
    assert len(smollm2._tokenizer("1234567").input_ids) == 7


def test_a_converted_model_is_kept(smollm2: HuggingFaceModel, smollm2_spec: ModelSpec, model_cache: Path) -> None:
    folders = list((model_cache / "converted").iterdir())
    again = HuggingFaceModel(smollm2_spec)
    assert list((model_cache / "converted").iterdir()) == folders
    assert again.signature == smollm2.signature
    assert len(folders) == 1


def test_on_a_cpu_numbers_are_fp32_and_precisions_are_known_by_name(tiny_models: TinyModels) -> None:
    model = HuggingFaceModel(of(tiny_models.causal, precision="auto"))
    assert "dtype:float32" in model.signature
    assert {str(each.dtype) for each in model._model.parameters()} == {"torch.float32"}
    assert of(tiny_models.causal, precision="bf16").as_json()["precision"] == "bf16"
    with pytest.raises(ModelError, match="no precision 'int3'"):
        of(tiny_models.causal, precision="int3")


@pytest.mark.parametrize(("precision", "dtype"), [("bf16", "bfloat16"), ("fp16", "float16")])
def test_another_precision_is_used_or_refused_where_the_processor_lacks_it(
    tiny_models: TinyModels, precision: str, dtype: str
) -> None:
    import torch

    spec = of(tiny_models.causal, precision=precision)
    if not getattr(torch.ops.mkldnn, f"_is_mkldnn_{precision}_supported")():
        with pytest.raises(ModelError, match=f"no instructions for {precision}.*choose fp32"):
            HuggingFaceModel(spec)
        return
    model = HuggingFaceModel(spec)
    assert f"dtype:{dtype}" in model.signature
    assert {str(each.dtype) for each in model._model.parameters()} == {f"torch.{dtype}"}
    assert texts(model, CODE[:1], Sampling(max_tokens=5)).keys() == {"add"}


def test_a_model_without_padding_token_writes_batches(tiny_models: TinyModels) -> None:
    model = HuggingFaceModel(of(tiny_models.causal))
    prompts = [Prompt(str(count), "x = " + "y + " * count, count) for count in range(6)]
    sampling = Sampling(temperature=1.0, max_tokens=10)
    together = texts(model, prompts, sampling)
    assert together == {key: text for each in prompts for key, text in texts(model, [each], sampling).items()}
    assert len(set(together.values())) > 1


def test_an_answer_ends_where_the_context_does(tiny_models: TinyModels) -> None:
    model = HuggingFaceModel(of(tiny_models.causal))
    prompts = [Prompt("short", "x", 1), Prompt("long", "x " * (CONTEXT - 3), 1), Prompt("full", "x " * CONTEXT, 1)]
    answers = {each.key: each for each in model.generate(prompts, Sampling(temperature=5.0, max_tokens=6))}
    assert answers["long"].tokens <= 3
    assert f"{CONTEXT} tokens" in (answers["full"].trouble or "")
    assert answers["short"].finish in ("length", "stop")


def test_chat_without_template_says_so(tiny_models: TinyModels) -> None:
    with pytest.raises(ModelError, match="no chat template; ask it with plain prompts"):
        list(HuggingFaceModel(of(tiny_models.causal)).generate([CODE[0]], Sampling(chat=True)))


def test_an_encoder_decoder_answers_without_its_prompt(tiny_models: TinyModels) -> None:
    model = HuggingFaceModel(of(tiny_models.encoder_decoder))
    prompts = [Prompt(str(count), "def x " * count, count) for count in range(1, 5)]
    for sampling in (Sampling(max_tokens=8), Sampling(temperature=1.0, max_tokens=8)):
        together = texts(model, prompts, sampling)
        assert together == {key: text for each in prompts for key, text in texts(model, [each], sampling).items()}
    assert all(each.tokens <= 8 for each in model.generate(prompts, sampling))


def test_temperature_and_top_p_give_the_probabilities_that_they_say() -> None:
    """Frequencies over a fine grid of uniform numbers are the probabilities themselves."""
    import torch

    from app.language_models.choosing import draw

    probabilities = torch.tensor([0.1, 0.4, 0.2, 0.3])
    uniform = (torch.arange(1000, dtype=torch.float64) + 0.5) / 1000
    logits = probabilities.log().expand(1000, 4)
    whole = torch.bincount(draw(logits, uniform, Sampling(temperature=1.0))[:, 0], minlength=4)
    assert whole.tolist() == [100, 400, 200, 300]
    nucleus = torch.bincount(draw(logits, uniform, Sampling(temperature=1.0, top_p=0.65))[:, 0], minlength=4)
    assert nucleus.tolist() == pytest.approx([0, 4000 / 7, 0, 3000 / 7], abs=1)
    cold = torch.bincount(draw(logits, uniform, Sampling(temperature=0.5))[:, 0], minlength=4)
    assert cold.tolist() == pytest.approx([1000 * p**2 / 0.3 for p in (0.1, 0.4, 0.2, 0.3)], abs=1)


@pytest.mark.usefixtures("model_libraries")
def test_a_large_vocabulary_is_drawn_from_as_if_all_of_it_were_sorted() -> None:
    """Peaked rows, whose likeliest tokens suffice, beside flat ones, for which they don't; alone and together."""
    import torch

    from app.language_models.choosing import LIKELIEST, draw

    torch.manual_seed(0)
    logits = torch.randn(12, 4 * LIKELIEST) * torch.tensor([0.1, 2.0, 8.0]).repeat(4)[:, None]
    uniform = torch.rand(12, dtype=torch.float64)
    sampling = Sampling(temperature=0.8, top_p=0.95)
    expected = []
    for row, number in zip(torch.softmax(logits.double() / 0.8, -1).numpy(), uniform.numpy(), strict=True):
        order = np.argsort(-row, kind="stable")
        kept = order[: np.searchsorted(row[order].cumsum(), 0.95) + 1]
        mass = row[kept].cumsum()
        expected.append(int(kept[np.searchsorted(mass, number * mass[-1], side="right")]))
    assert draw(logits, uniform, sampling)[:, 0].tolist() == expected
    alone = [draw(logits[n : n + 1], uniform[n : n + 1], sampling).item() for n in range(12)]
    assert alone == expected


def test_batches_that_do_not_fit_are_halved(tiny_models: TinyModels, monkeypatch: pytest.MonkeyPatch) -> None:
    """torch's own exception, raised where memory for more than two rows would have been asked for."""
    import torch

    model = HuggingFaceModel(of(tiny_models.causal))
    prompts = [Prompt(str(count), "x = y", count) for count in range(5)]
    sampling = Sampling(temperature=1.0, max_tokens=5)
    expected = texts(model, prompts, sampling)
    generate, sizes = model._model.generate, []

    def small(**inputs: Any) -> Any:
        sizes.append(len(inputs["input_ids"]))
        if sizes[-1] > limit:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return generate(**inputs)

    monkeypatch.setattr(model._model, "generate", small)
    limit = 2
    assert texts(model, prompts, sampling) == expected
    assert sizes == [5, 2, 2, 1]
    limit = 0
    answers: list[Completion] = list(model.generate(prompts[:1], sampling))
    assert "don't fit into memory, even alone" in (answers[0].trouble or "")


def test_one_model_is_kept(tiny_models: TinyModels) -> None:
    first = loaded.get(of(tiny_models.causal))
    assert loaded.get(of(tiny_models.causal)) is first
    second = loaded.get(of(tiny_models.encoder_decoder))
    with pytest.raises(ModelError, match="was closed"):
        list(first.generate(CODE, SAMPLED))
    loaded.close()
    with pytest.raises(ModelError, match="was closed"):
        list(second.generate(CODE, SAMPLED))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("/no/such/folder", "no model at /no/such/folder"),
        ("/no/such.gguf", "no model at /no/such.gguf"),
        ("packaged:gpt-9", "no packaged model 'gpt-9'. Those that write: smollm2-135m"),
        ("not a valid id!", "not on the hub"),
    ],
)
@pytest.mark.usefixtures("model_libraries")
def test_a_model_that_is_not_there(name: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        open_model(ModelSpec("hugging_face", name, device="cpu"))


@pytest.mark.usefixtures("model_libraries")
def test_the_hub_out_of_reach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match="not on this machine and the hub can't be reached"):
        open_model(ModelSpec("hugging_face", "nobody/nothing", cache_dir=str(tmp_path), device="cpu"))


@pytest.mark.usefixtures("model_libraries")
def test_a_folder_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"holds no config\.json"):
        open_model(of(tmp_path))


@pytest.mark.usefixtures("model_libraries")
def test_broken_files_are_named(tiny_models: TinyModels, tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(ModelError, match=r"broken\.gguf can't be converted"):
        open_model(of(tmp_path / "broken.gguf", cache_dir=str(tmp_path)))
    (tmp_path / "other.gguf").write_bytes(b"zip")
    with pytest.raises(ModelError, match="is not a GGUF file"):
        open_model(of(tmp_path / "other.gguf", cache_dir=str(tmp_path)))
    assert not list(tmp_path.glob("converted/*"))


def test_a_model_with_code_of_its_own_is_refused(tiny_models: TinyModels, tmp_path: Path) -> None:
    import json
    import shutil

    folder = tmp_path / "own_code"
    shutil.copytree(tiny_models.causal, folder)
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "own.Config", "AutoModelForCausalLM": "own.Model"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "own.py").write_text("raise SystemExit('this ran')")
    with pytest.raises(ModelError, match="runs only if an admin's setting names this model"):
        open_model(of(folder))


def test_a_device_that_is_not_there(tiny_models: TinyModels) -> None:
    with pytest.raises(ModelError, match="no device 'cuda:77'"):
        open_model(replace(of(tiny_models.causal), device="cuda:77"))


def test_an_encoder_is_no_writer(minilm: ModelSpec, tiny_models: TinyModels) -> None:
    with pytest.raises(ModelError, match=r"is no language model.*its files hold no weights for cls\.predictions"):
        HuggingFaceModel(minilm)
    with pytest.raises(ModelError, match=r"is no language model.*choose a causal or an encoder-decoder model"):
        HuggingFaceModel(of(tiny_models.masked))


def test_weights_shared_with_the_embeddings_are_not_missing(tiny_models: TinyModels, tmp_path: Path) -> None:
    """The head of a tied model is in no file of its own, and a base model of that kind writes too."""
    import transformers

    config = transformers.AutoConfig.from_pretrained(tiny_models.causal, tie_word_embeddings=True)
    transformers.LlamaModel(config).save_pretrained(tmp_path)
    transformers.AutoTokenizer.from_pretrained(tiny_models.causal).save_pretrained(tmp_path)
    [answer] = HuggingFaceModel(of(tmp_path)).generate([Prompt("x", "x", 1)], Sampling(max_tokens=2))
    assert answer.finish in ("length", "stop")


def test_messages_offer_writers_apart_from_encoders() -> None:
    with pytest.raises(ModelError, match=r"Those that write: smollm2-135m; encoders, for metrics: minilm\."):
        HuggingFaceModel(ModelSpec("hugging_face", "packaged:unknown", device="cpu"))
