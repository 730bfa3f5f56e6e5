"""Words of a docstring: where they stand in it, whatever its lines and spaces, and what they are."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

from app.perturbations import find
from app.perturbations.parts_of_speech import lacking_packages, read_words
from app.perturbations.prose import Prose, read_prose
from tests.perturbations.problems import human_eval, ready
from tests.shared_data import ROOT

pytestmark = pytest.mark.xdist_group("words")


@pytest.fixture(scope="module", autouse=True)
def _words() -> None:
    ready(find("docstring/EnglishInflectionalVariation"))


def test_words_stand_where_they_say() -> None:
    for problem in human_eval():
        prose = read_prose(problem)
        assert isinstance(prose, Prose)
        words = read_words(prose.text)
        assert ["".join(prose.text[each.start : each.end].split()) for each in words] == [
            "".join(each.text.split()) for each in words
        ]
        assert "".join(each.text for each in words) == "".join(prose.text.split())
        assert all(0 <= each.head < len(words) for each in words)


def test_lines_and_paragraphs() -> None:
    words = read_words("  Return the\n      words.\n\n\n    Then stop.")
    assert [each.text for each in words] == ["Return", "the", "words", ".", "Then", "stop", "."]
    assert [each.text for each in words if each.begins_sentence] == ["Return", "Then"]
    assert [words[each.head].text for each in words if each.text in ("the", "Then")] == ["words", "stop"]
    assert [(each.tag, each.part) for each in words[:3]] == [("VB", "VERB"), ("DT", "DET"), ("NNS", "NOUN")]
    assert read_words("") == read_words(" \n \n") == ()


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.perturbations.parts_of_speech.PACKAGES", ("spacy", "no_such_package"))
    assert lacking_packages() == "no_such_package is not installed; run `make setup`."
    assert lacking_packages() == find("docstring/TenseTransformationPast").missing()


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed, so that nothing could import it")
def test_reading_words_imports_no_torch() -> None:
    """A web process that tries a transformation would keep some 200 MB of it; later it can still be imported."""
    script = (
        "import sys\n"
        "from app.perturbations.parts_of_speech import read_words\n"
        "print(read_words('Return the largest.')[0].part, 'torch' in sys.modules)\n"
        "import torch\n"
        "print(int(torch.ones(2).sum()))\n"
    )
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert told.stdout.split() == ["VERB", "False", "2"]
