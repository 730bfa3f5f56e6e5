"""BackTranslation with translators by hand, with tiny models, and with what was released."""

from collections import Counter
from collections.abc import Sequence

import pytest

from app.config import Settings
from app.language_models import ModelError, ModelSpec
from app.language_models.translation import RoundTrip, Translator
from app.perturbations import Mode, PerturbationError, Perturbed, Problem, Unchanged, find
from app.perturbations.docstring.back_translation import HARMED, RELEASED_SAME, SAME, BackTranslation
from app.perturbations.paragraphs import on_lines_of
from tests.language_models.conftest import model_libraries, tiny_models  # noqa: F401
from tests.language_models.tiny import TinyModels
from tests.perturbations.problems import function, human_eval, released

TWO = function("Return the largest one,\n    and nothing else.\n\n    Then stop.\n    >>> solve(1)\n    1")


def by_hand(texts: Sequence[str]) -> list[str]:
    words = {"Return": "Give back", "largest": "biggest", "nothing": "not anything", "stop.": "end."}
    return [" ".join(words.get(word, word) for word in text.split()) for text in texts]


def test_paragraphs_come_back_on_their_lines() -> None:
    outcome = BackTranslation(by_hand).perturb(TWO, 0)
    assert isinstance(outcome, Perturbed)
    docstring = "Give back the biggest one,\n    and not anything else.\n\n    Then end.\n    >>> solve(1)\n    1"
    assert outcome.problem == function(docstring)


def test_a_paragraph_that_lost_a_name_stays() -> None:
    problem = function("Return x.\n\n    Then stop.")
    translate = BackTranslation(lambda texts: [each.replace("x", "it").replace("stop", "end") for each in texts])
    outcome = translate.perturb(problem, 0)
    assert isinstance(outcome, Perturbed)
    assert outcome.problem == function("Return x.\n\n    Then end.")


@pytest.mark.parametrize("back", ["Return it.", "", 'Return """ it.', "Return it.\\"])
def test_what_says_the_same_or_breaks_the_docstring_is_unchanged(back: str) -> None:
    outcome = BackTranslation(lambda texts: [back for _ in texts]).perturb(function("Return it."), 0)
    assert isinstance(outcome, Unchanged)
    assert (outcome.reason == SAME) == (back in ("Return it.", ""))


def test_moved_line_ends_alone_are_no_change() -> None:
    long_first = function("Return\n    the largest one of all the numbers that there are.")
    assert BackTranslation(list).perturb(long_first, 0) == Unchanged(SAME)
    moved = long_first.prompt.replace("Return\n    the largest", "Return the largest\n   ")
    rule = BackTranslation(released={long_first.key: moved})
    assert rule.perturb(long_first, 0) == Unchanged(RELEASED_SAME)


def test_a_list_is_not_broken_over_two_lines() -> None:
    problem = function("Give [1, 2 * x + 1]\n    as well as all of the other ones.")
    made = BackTranslation(lambda texts: [each.replace("as well as", "beside") for each in texts]).perturb(problem, 0)
    assert isinstance(made, Perturbed)
    assert made.problem == function("Give [1, 2 * x + 1] beside\n    all of the other ones.")


def test_problems_go_to_the_translators_together_and_each_text_once() -> None:
    asked: list[list[str]] = []

    def translate(texts: Sequence[str]) -> list[str]:
        asked.append(list(texts))
        return by_hand(texts)

    alone = [BackTranslation(by_hand).perturb(problem, 0) for problem in human_eval()[:20]]
    assert BackTranslation(translate).perturb_all([*human_eval()[:20], human_eval()[0]], 0)[:20] == alone
    assert len(asked) == 1
    assert len(asked[0]) == len(set(asked[0]))


def test_without_translators_it_says_what_to_set() -> None:
    rule = find("docstring/BackTranslation")
    with pytest.raises(
        PerturbationError, match="name two in CODEJURY_BACK_TRANSLATION, or import the released files"
    ):
        rule.perturb(TWO, 0)


def test_what_was_released_is_taken() -> None:
    rows = released(find("docstring/BackTranslation"), 0)
    rule = BackTranslation(released={row.key: row.prompt for row in rows})
    made = rule.perturb_all(human_eval(), 0, Mode.RELEASED)
    assert [each.problem.prompt for each in made if isinstance(each, Perturbed)] == [
        row.prompt for row, before in zip(rows, human_eval(), strict=True) if row.prompt != before.prompt
    ]
    sound = rule.perturb_all(human_eval(), 0)
    reasons = Counter(each.reason.split(",")[0] for each in sound if isinstance(each, Unchanged))
    assert reasons == {
        "What was released is unchanged.": 62,
        "The changed docstring would end before its quotes": 28,  # 17.1 % of 164
        HARMED.split(",", maxsplit=1)[0]: 47,
    }
    assert rule.perturb(Problem("other", TWO.prompt, "solve"), 0, Mode.RELEASED) == Unchanged(
        "Nothing was released for this problem."
    )


@pytest.mark.parametrize(
    ("paragraph", "words", "expected"),
    [
        ("one two\n  three", "a b c", "a b\n  c"),
        ("one\n  two\n  three", "a b", None),
        ("one\n  t\n  three", "a b c", "a\n  b\n  c"),
        ("one", "a b c d", "a b c d"),
        ("t\n  a much longer line", "a b c d e f", "a\n  b c d e f"),
    ],
)
def test_words_are_shared_out_among_lines(paragraph: str, words: str, expected: str | None) -> None:
    assert on_lines_of(paragraph, words.split()) == expected


def test_the_setting_names_two_models() -> None:
    assert Settings(CODEJURY_BACK_TRANSLATION="there, back").translation_models == ("there", "back")
    assert Settings().translation_models is None
    with pytest.raises(ValueError, match="It must name two models"):
        Settings(CODEJURY_BACK_TRANSLATION="there")


@pytest.mark.xdist_group("language_models")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
class TestTinyModels:
    """Models of a few thousand random numbers: what they say means nothing, but it comes back."""

    @pytest.mark.parametrize("beams", [1, 3])
    def test_each_text_is_translated_as_if_alone(self, tiny_models: TinyModels, beams: int) -> None:  # noqa: F811
        import torch

        translator = Translator(ModelSpec("hugging_face", str(tiny_models.encoder_decoder), device="cpu"), beams)
        texts = ["return x", "def x + y : return 1 2 3", "z", "", "if x else y"]
        together = translator.translate(texts)
        assert together == [translator.translate([text])[0] for text in texts]
        assert len(set(together)) > 1
        inputs = translator._tokenizer(texts[1], return_tensors="pt")
        plain = translator._model.generate(
            input_ids=torch.as_tensor(inputs.input_ids), max_new_tokens=64, do_sample=False, num_beams=beams
        )
        assert together[1] == translator._tokenizer.batch_decode(plain, skip_special_tokens=True)[0].strip()
        translator.close()

    def test_a_pair_changes_docstrings(self, tiny_models: TinyModels) -> None:  # noqa: F811
        spec = ModelSpec("hugging_face", str(tiny_models.encoder_decoder), device="cpu")
        outcome = BackTranslation(RoundTrip(spec, spec)).perturb(function("Return the largest, then stop."), 0)
        assert isinstance(outcome, Perturbed)
        assert "largest" not in outcome.problem.prompt

    def test_a_text_beyond_the_models_limit_is_named(self, tiny_models: TinyModels) -> None:  # noqa: F811
        translator = Translator(ModelSpec("hugging_face", str(tiny_models.encoder_decoder), device="cpu"))
        with pytest.raises(ModelError, match=r"Text 2 of 2 has \d+ tokens, but .* reads 512; shorten it"):
            translator.translate(["x", "x " * 600])
