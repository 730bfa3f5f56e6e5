"""Forms, synonyms and tenses, by sentences worked by hand."""

from random import Random

import pytest

from app.perturbations import PerturbationError, Perturbed, Transformation, Unchanged, find
from app.perturbations.inflections import forms, in_case_of, inflected, lemma
from app.perturbations.parts_of_speech import Word
from app.perturbations.synonyms import synonyms, wordnet
from app.perturbations.word_choices import synonym_choices
from tests.perturbations.problems import function, ready

pytestmark = pytest.mark.xdist_group("words")  # loading the parser takes seconds


@pytest.fixture(scope="module", autouse=True)
def _words() -> None:
    ready(find("docstring/SynonymInsertion"))


def docstring_after(transformation: Transformation, docstring: str, seed: int = 0) -> str:
    outcome = transformation.perturb(function(docstring), seed)
    prompt = outcome.problem.prompt if isinstance(outcome, Perturbed) else function(docstring).prompt
    return prompt.split('"""')[1]


@pytest.mark.parametrize(
    ("now", "past"),
    [
        ("Return the largest one.", "Returned the largest one."),  # an imperative in front counts
        ("Checks if the word is short.", "Checked if the word was short."),
        ("Filter an input of words.", "Filtered an input of words."),  # which the parser takes for a noun
        ("You're given two words. They are short.", "You were given two words. They were short."),
        ("The words are sorted and it returns them.", "The words were sorted and it returned them."),
        ("It does not return and can not fail.", "It did not return and can not fail."),
        ("The input will be short.", "The input was short."),
        ("The words will be short.", "The words were short."),
        ("It has to return the words.", "It had to return the words."),
        ("Find the word that was\n    found.\n\n    Then return it.", None),
    ],
)
def test_past(now: str, past: str | None) -> None:
    expected = "Found the word that was\n    found.\n\n    Then return it." if past is None else past
    changed = docstring_after(find("docstring/TenseTransformationPast"), now)
    assert changed in (expected, expected.replace("Then return", "Then returned"))


@pytest.mark.parametrize(
    ("now", "future"),
    [
        ("Return the largest one.", "Will return the largest one."),
        ("Checks if the word is short.", "Will check if the word will be short."),
        ("You're given two words. They are short.", "You'll be given two words. They will be short."),
        ("It returned the words.", "It will return the words."),
        ("It does not return.", "It will not return."),
        ("The word is not short.", "The word will not be short."),
        ("It doesn't return.", "It doesn't return."),
        ("It will return the words that it can return.", "It will return the words that it can return."),
    ],
)
def test_future(now: str, future: str) -> None:
    assert docstring_after(find("docstring/TenseTransformationFuture"), now) == future


def test_no_verb_to_change_is_a_reason() -> None:
    outcome = find("docstring/TenseTransformationPast").perturb(function("The largest one."), 0)
    assert outcome == Unchanged("No verb of the docstring shows a tense that could change.")


def test_a_protected_verb_keeps_its_tense() -> None:
    problem = function("It returns what solves it.", body="    returns = x\n    return returns\n")
    outcome = find("docstring/TenseTransformationPast").perturb(problem, 0)
    assert isinstance(outcome, Perturbed)
    assert "It returns what solved it." in outcome.problem.prompt


@pytest.mark.parametrize(
    ("word", "part", "expected"),
    [
        ("numbers", "NOUN", ("number", "numbers")),
        ("Greatest", "ADJ", ("great", "greater", "greatest")),
        ("taken", "VERB", ("take", "taken", "takes", "taking", "took")),
        ("strlen", "NOUN", ()),
    ],
)
def test_forms_of_a_word(word: str, part: str, expected: tuple[str, ...]) -> None:
    assert forms(word, part) == expected


def test_inflection_and_case() -> None:
    assert [inflected("find", "VBD"), inflected("big", "JJS"), inflected("tidy-minded", "JJS")] == [
        "found",
        "biggest",
        "tidy-minded",
    ]
    assert [lemma("Returned", "VERB"), lemma("is", "AUX"), lemma("xyzzy", "NOUN")] == ["return", "be", "xyzzy"]
    assert [in_case_of("found", each) for each in ("find", "Find", "FIND", "I")] == [
        "found",
        "Found",
        "FOUND",
        "Found",
    ]


def test_all_forms_of_a_word_come_up_and_no_other() -> None:
    rule = find("docstring/EnglishInflectionalVariation")
    seen = {docstring_after(rule, "The words.", seed) for seed in range(40)}
    assert seen == {"The words.", "The word."}


def test_synonyms_have_the_form_of_the_word() -> None:
    assert {"figures", "acts"} <= set(synonyms(wordnet(), "numbers", "NOUN", "NNS"))
    assert "Yield" in synonyms(wordnet(), "Return", "VERB", "VB")
    assert "returned" not in synonyms(wordnet(), "returned", "VERB", "VBD")
    assert "largest" in synonyms(wordnet(), "biggest", "ADJ", "JJS")
    assert synonyms(wordnet(), "of", "ADP", "IN") == ()
    found = synonyms(wordnet(), "string", "NOUN", "NN")
    assert list(found) == sorted(found)
    assert all(each.isalpha() and each.islower() for each in found)


def test_a_synonym_takes_the_words_place_or_follows_it() -> None:
    known = synonyms(wordnet(), "number", "NOUN", "NN")
    substituted = {
        docstring_after(find("docstring/SynonymSubstitution"), "Of the number.", seed) for seed in range(80)
    }
    inserted = {docstring_after(find("docstring/SynonymInsertion"), "Of the number.", seed) for seed in range(80)}
    assert substituted - {"Of the number."} <= {f"Of the {each}." for each in known}
    assert inserted - {"Of the number."} <= {f"Of the number {each}." for each in known}
    assert min(len(substituted), len(inserted)) > 3


def test_words_that_say_little_have_no_synonym() -> None:
    rule = find("docstring/SynonymSubstitution")
    assert {docstring_after(rule, "Not only the other.", seed) for seed in range(20)} == {"Not only the other."}


def test_a_missing_wordnet_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEJURY_WORDNET_DIR", "/nowhere")
    rule = find("function_name/SynonymSubstitution")
    assert "/nowhere" in (rule.missing() or "")
    with pytest.raises(PerturbationError, match="/nowhere"):
        rule.perturb(function("Return it."), 0)
    with pytest.raises(PerturbationError, match="/nowhere"):
        wordnet()


def test_draws_keep_their_probability() -> None:
    choices = synonym_choices()
    word, random = Word("number", 0, 6, "NN", "NOUN", "ROOT", 0, True, False), Random(5)
    drawn = sum(choices.draw(word, random) is not None for _ in range(10_000))
    assert abs(drawn - 3500) < 5 * (10_000 * 0.35 * 0.65) ** 0.5


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("docstring/EnglishInflectionalVariation", "No word has another form."),
        ("docstring/SynonymSubstitution", "WordNet knows no other word for any."),
        ("function_name/InflectionalVariation", "No word has another form."),
        ("function_name/SynonymSubstitution", "WordNet knows no other word for any."),
    ],
)
def test_nothing_to_draw_is_told_from_chance(name: str, reason: str) -> None:
    assert find(name).perturb(function("Of the.", "strlen"), 0) == Unchanged(reason)
