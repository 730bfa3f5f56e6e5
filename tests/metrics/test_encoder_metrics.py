"""CodeBERTScore and embedding cosine: by their definitions, worked by hand, and what all text metrics promise."""

import subprocess
import sys

import numpy as np
import pytest

from app.metrics import Metric, MetricError, Segment, create
from app.metrics.codebertscore import f_beta
from tests.metrics.encoders import NAMES, need_encoder

pytestmark = [pytest.mark.xdist_group("language_models"), pytest.mark.filterwarnings("ignore::DeprecationWarning")]
SEGMENTS = [
    Segment("def add(a, b):\n    return a + b", ("def add(x, y):\n    return x + y", "print('no')")),
    Segment("print('hello')", ("import os",)),
    Segment("x = " + "1 + " * 400 + "1", ("x = 401",)),
    Segment("(", ("(",)),
]


@pytest.fixture(scope="module", params=NAMES)
def metric(request: pytest.FixtureRequest) -> Metric:
    need_encoder(request.param)
    return create(request.param, device="cpu")


def test_the_definition_on_a_case_worked_by_hand() -> None:
    """Two tokens against three: best matches (0.9, 0.6) of the output's, (0.9, 0.5, 0.6) of the reference's.

    Precision 0.75, recall 2/3: F1 = 2 · 0.75 · 2/3 / (0.75 + 2/3) = 12/17, F3 = 10 · 0.5 / (9 · 0.75 + 2/3) = 60/89.
    """
    similarities = np.array([[0.9, 0.2, 0.1], [0.3, 0.5, 0.6]])
    assert f_beta(similarities, 1) == pytest.approx(12 / 17)
    assert f_beta(similarities, 3) == pytest.approx(60 / 89)
    assert f_beta(np.zeros((0, 3)), 1) == 0
    assert f_beta(np.full((1, 1), -0.5), 1) == 0


def test_scores_are_those_of_the_vectors(metric: Metric) -> None:
    """From the encoder's vectors by loops over tokens, as BERTScore is written down (Zhang et al. 2020, 3.2)."""
    from app.language_models import ModelSpec
    from app.language_models.embeddings import Encoder

    encoder = Encoder(ModelSpec("hugging_face", "packaged:minilm", device="cpu"))
    output, reference = "add(a, b) - 1", "sum(a, b)"
    if metric.name == "embedding_cosine":
        one, other = encoder.sentences([output, reference])
        expected = float(one @ other)
    else:
        one, other = encoder.tokens([output, reference])
        assert one.tokens == ("add", "(", "a", ",", "b", ")", "-", "1")
        kept, against = one.vectors[[0, 2, 4, 7]], other.vectors[[0, 2, 4]]
        cosines = [[a @ b / np.linalg.norm(a) / np.linalg.norm(b) for b in against] for a in kept]
        precision = sum(max(row) for row in cosines) / 4
        recall = sum(max(row[place] for row in cosines) for place in range(3)) / 3
        beta = int(metric.name[-1]) ** 2
        expected = (1 + beta) * precision * recall / (beta * precision + recall)
    [score] = metric.score_segments([Segment(output, (reference,))]).scores
    assert score == pytest.approx(expected, abs=2e-5)


def test_scores_stay_in_range_and_do_not_depend_on_each_other(metric: Metric) -> None:
    together = metric.score_segments(SEGMENTS)
    alone = [float(metric.score_segments([segment]).scores[0]) for segment in SEGMENTS]
    assert together.scores.tolist() == pytest.approx(alone, abs=1e-5)
    assert ((together.scores >= 0) & (together.scores <= 1)).all()
    assert together.statistics.shape == (4, 1)
    assert together.scores[0] > together.scores[1]
    assert metric.corpus_score(together.statistics.sum(axis=0), 4) == pytest.approx(together.scores.mean())


def test_an_identical_text_scores_one_and_a_blank_one_nothing(metric: Metric) -> None:
    text = "for x in range(10):\n    print(x)"
    pairs = [
        Segment(text, (text,)),
        Segment("(", ("(",)),
        Segment(" \n", (text,)),
        Segment(text, ("",)),
        Segment("", ("",)),
    ]
    assert metric.score_segments(pairs).scores.tolist() == [1, 1, 0, 0, 0]
    assert metric.score_segments([]).statistics.shape[0] == 0


def test_references_are_needed(metric: Metric) -> None:
    with pytest.raises(MetricError, match="Segment 1 of 1 has no reference"):
        metric.score_segments([Segment("x", ())])


@pytest.mark.parametrize("text", ["\ud800", "a\0b", "\U0001f600", "y" * 1_000_000, "x=1;\n" * 200_000])
def test_odd_and_endless_texts_are_scored(metric: Metric, text: str) -> None:
    [score] = metric.score_segments([Segment(text, ("x = 1",))]).scores
    assert 0 <= score < 1


def test_the_model_is_in_the_signature(metric: Metric) -> None:
    assert "|model:packaged:minilm@" in metric.signature
    assert "|model:org/coder@v2|" in create(metric.name, model="org/coder", revision="v2").signature


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_model_is_told_when_it_is_used(name: str) -> None:
    need_encoder(name)
    with pytest.raises(MetricError, match="no model at /no/such"):
        create(name, model="/no/such").score_segments([Segment("x", ("x",))])


def test_metrics_are_listed_and_made_without_model_libraries() -> None:
    """As on a machine that lacks them: the import fails there; the first score says what to install."""
    program = (
        "import sys\n"
        "sys.modules |= dict.fromkeys(('torch', 'transformers'))\n"
        "from app.metrics import MetricError, Segment, available, create\n"
        f"made = [create(name, model='org/coder') for name in {NAMES!r}]\n"
        f"assert set({NAMES!r}) <= set(available()), available()\n"
        "for metric in made:\n"
        "    assert 'org/coder@main' in metric.signature\n"
        "    try:\n"
        "        metric.score_segments([Segment('x', ('x',))])\n"
        "    except MetricError as error:\n"
        "        print(error)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.count("make setup-models") == 3
