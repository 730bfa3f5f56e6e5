"""Log-probabilities, embeddings and masked tokens, against plain forward passes and published numbers."""

import numpy as np
import pytest

from app.language_models import ModelError, ModelSpec
from app.language_models.embeddings import Encoder, encoder_name
from app.language_models.masked import MaskedModel
from app.language_models.scoring import LikelihoodModel, LogProbability
from tests.language_models.tiny import CONTEXT, TinyModels

pytestmark = [pytest.mark.xdist_group("language_models"), pytest.mark.filterwarnings("ignore::DeprecationWarning")]
TEXTS = [
    "def add(a, b):\n    return a + b\n",
    "x",
    "",
    "The quick brown fox jumps over the lazy dog. " * 5,
    "def f(): 12",
]


@pytest.fixture(scope="module")
def likelihood(smollm2_spec: ModelSpec) -> LikelihoodModel:
    return LikelihoodModel(smollm2_spec)


@pytest.fixture(scope="module")
def encoder(minilm: ModelSpec) -> Encoder:
    return Encoder(minilm)


def plain(model: LikelihoodModel, ids: list[int], begin: int) -> float:
    """One forward pass over one text, as the definition says."""
    import torch

    with torch.inference_mode():
        chances = torch.log_softmax(model._loaded.model(torch.tensor([ids])).logits[0].double(), dim=-1)
    return float(sum(chances[place - 1, ids[place]] for place in range(begin, len(ids))))


def test_log_probabilities_are_those_of_a_plain_pass_whatever_stands_beside_them(likelihood: LikelihoodModel) -> None:
    together = likelihood.texts(TEXTS)
    alone = [likelihood.texts([text])[0] for text in TEXTS]
    for one, other, text in zip(together, alone, TEXTS, strict=True):
        ids = [0, *likelihood._loaded.tokenizer(text).input_ids]
        assert one.total == pytest.approx(plain(likelihood, ids, 1), abs=1e-4)
        assert one.total == pytest.approx(other.total, abs=1e-4)
        assert one.tokens == len(ids) - 1
    assert together[2] == LogProbability(0.0, 0)
    assert together[2].mean == 0
    assert together[0].total < together[1].total < 0


def test_a_continuation_is_what_the_whole_says_beyond_its_prompt(likelihood: LikelihoodModel) -> None:
    pairs = [
        ("def add(a, b):\n    return", " a + b"),
        ("", "x = 1"),
        ("the quick brown fox", ""),
        ("un", "believable"),
    ]
    wholes = likelihood.texts([prompt + rest for prompt, rest in pairs])
    prompts = likelihood.texts([prompt for prompt, _ in pairs])
    found = likelihood.continuations(pairs)
    for place in (0, 1, 2):
        assert found[place].total == pytest.approx(wholes[place].total - prompts[place].total, abs=1e-4)
        assert found[place].tokens == wholes[place].tokens - prompts[place].tokens
    right, wrong = likelihood.continuations([("1 + 1 =", " 2"), ("1 + 1 =", " kangaroo")])
    assert right.total > wrong.total


def test_a_text_beyond_the_context_is_named(tiny_models: TinyModels) -> None:
    model = LikelihoodModel(ModelSpec("hugging_face", str(tiny_models.causal), device="cpu"))
    with pytest.raises(ModelError, match=f"Text 2 of 2 has 61 tokens, but the context holds {CONTEXT}"):
        model.texts(["x", "x " * 60])


def test_sentences_are_as_like_as_their_makers_say(encoder: Encoder) -> None:
    """The example of sentence-transformers' documentation for all-MiniLM-L6-v2, with its numbers."""
    vectors = encoder.sentences(
        ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    )
    expected = [[1.0, 0.6660, 0.1046], [0.6660, 1.0, 0.1411], [0.1046, 0.1411, 1.0]]
    np.testing.assert_allclose(vectors @ vectors.T, expected, atol=1e-4)


def test_a_sentence_is_the_same_alone_and_among_others(encoder: Encoder) -> None:
    together = encoder.sentences(TEXTS)
    for row, text in zip(together, TEXTS, strict=True):
        np.testing.assert_allclose(encoder.sentences([text])[0], row, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    assert encoder.sentences([]).shape[0] == 0


def test_tokens_have_the_vectors_of_a_plain_pass(encoder: Encoder) -> None:
    import torch

    short, _ = encoder.tokens(["return sum", TEXTS[3]])
    assert short.tokens == ("return", "sum")
    ids = encoder._loaded.tokenizer("return sum", return_tensors="pt")
    with torch.inference_mode():
        output = encoder._loaded.model(**ids, output_hidden_states=True)
    np.testing.assert_allclose(short.vectors, output.last_hidden_state[0, 1:-1].numpy(), atol=1e-5)
    [lower] = encoder.tokens(["return sum"], layer=2)
    np.testing.assert_allclose(lower.vectors, output.hidden_states[2][0, 1:-1].numpy(), atol=1e-5)


def test_an_encoder_is_named_by_its_files(minilm: ModelSpec, tiny_models: TinyModels) -> None:
    name = encoder_name(minilm)
    assert name.startswith("packaged:minilm@")
    assert name == encoder_name(minilm)
    assert encoder_name(ModelSpec("hugging_face", str(tiny_models.masked))).startswith("masked@")
    assert encoder_name(ModelSpec("hugging_face", "org/name", revision="v2")) == "org/name@v2"


def test_gaps_are_filled_by_the_most_probable_tokens(tiny_models: TinyModels) -> None:
    import torch

    model = MaskedModel(ModelSpec("hugging_face", str(tiny_models.masked), device="cpu"))
    texts = ["def <mask> ( x ) :", "return <mask>", "if x = <mask> : return y + z"]
    found = model.fill(texts, 3)
    for text, guesses in zip(texts, found, strict=True):
        ids = model._loaded.tokenizer(text).input_ids
        with torch.inference_mode():
            logits = model._loaded.model(torch.tensor([ids])).logits[0, ids.index(4)]
        chances = torch.softmax(logits, -1).sort(descending=True)
        assert [guess.probability for guess in guesses] == pytest.approx(chances.values[:3].tolist(), abs=1e-5)
        assert guesses[0].text == model._loaded.tokenizer.decode([int(chances.indices[0])])


def test_a_text_without_a_gap_or_with_two_is_named(tiny_models: TinyModels) -> None:
    model = MaskedModel(ModelSpec("hugging_face", str(tiny_models.masked), device="cpu"))
    with pytest.raises(ModelError, match="Text 1 of 1 has 0 gaps; put one <mask> into it"):
        model.fill(["x"])
    with pytest.raises(ModelError, match="Text 2 of 2 has 2 gaps"):
        model.fill(["<mask>", "<mask> <mask>"])
