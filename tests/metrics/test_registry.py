"""The list of metrics, and what each of them promises by its name and signature."""

import re

import pytest

from app.metrics import Metric, MetricError, available, create
from app.metrics.registry import register
from tests.metrics.encoders import need_encoder


@pytest.mark.parametrize("name", available())
def test_each_is_a_metric_with_a_full_signature(name: str) -> None:
    need_encoder(name)
    metric = create(name)
    assert isinstance(metric, Metric)
    assert metric.name == name
    assert metric.label
    keys = [part.split(":")[0] for part in metric.signature.split("|")]
    assert metric.signature.startswith(f"metric:{name}|")
    assert re.search(r"\|version:\w+$", metric.signature)
    assert keys[1:-1] == sorted(keys[1:-1])
    assert metric.signature == create(name).signature


def test_the_text_metrics_are_there() -> None:
    assert {"bleu", "rouge_l", "meteor", "chrf"} <= set(available())
    assert list(available()) == sorted(available())


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("bleu", {"tokenizer:code", "smoothing:exp", "references:all", "effective:segments"}),
        ("rouge_l", {"tokenizer:code", "measure:f1", "references:best"}),
        ("meteor", {"tokenizer:code", "alpha:0.9", "beta:3.0", "gamma:0.5", "stemmer:nltk-porter"}),
        ("chrf", {"characters:6", "words:0", "beta:2", "whitespace:no", "corpus:mean"}),
    ],
)
def test_signatures_name_what_decides_the_scores(name: str, parts: set[str]) -> None:
    assert parts <= set(create(name).signature.split("|"))


def test_an_unknown_metric_names_the_known() -> None:
    with pytest.raises(MetricError, match=r"no metric 'blue'.*bleu.*rouge_l"):
        create("blue")


def test_an_unknown_option_is_named() -> None:
    with pytest.raises(MetricError, match=r"'bleu'.*'colour'"):
        create("bleu", colour="red")


def test_two_metrics_cannot_share_a_name() -> None:
    with pytest.raises(MetricError, match="Two metrics are called 'bleu'"):
        register("bleu")(object)
