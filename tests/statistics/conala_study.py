"""The CoNaLa study as arrays: published segment scores, BLEU statistics, consensus grades, raw grades."""

import re
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU

from app.statistics.corpus_scores import MetricInput, mean_of_segments
from app.statistics.merging import merge_grades
from tests.shared_data import load_json

Floats = NDArray[np.float64]

SYSTEMS = ("baseline", "tranx-annot", "best-tranx", "best-tranx-rerank", "codex")
# Metrics whose corpus score is the mean of segment scores: our name -> the published key.
MEAN_METRICS = {
    "rouge_l": "rougel",
    "chrf": "chrf",
    "meteor": "meteor",
    "ruby": "ruby",
    "codebleu": "codebleu",
}


@cache
def rows() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = load_json("conala", "published", "conala-all-grades.json")
    return found


def tables() -> dict[str, Any]:
    found: dict[str, Any] = load_json("conala", "published", "tables.json")
    return found


def consensus_grades() -> Floats:
    """The published M-MSR grades, 0-4, shape (5, 472)."""
    return np.array([[row[f"grade-{system}"] for row in rows()] for system in SYSTEMS], dtype=np.float64)


def output_ids() -> NDArray[np.intp]:
    numbers: dict[str, int] = {}
    return np.array([[numbers.setdefault(row[s], len(numbers)) for row in rows()] for s in SYSTEMS])


def human(grades: Floats | None = None) -> MetricInput:
    return mean_of_segments("human", (consensus_grades() if grades is None else grades) / 4)


def metrics() -> list[MetricInput]:
    means = [
        mean_of_segments(name, np.array([[row[f"{key}-{system}"] for row in rows()] for system in SYSTEMS]))
        for name, key in MEAN_METRICS.items()
    ]
    return [MetricInput("bleu", bleu_statistics(), corpus_bleu), *means]


def code_tokens(text: str) -> str:
    text = re.sub(r"([^A-Za-z0-9_])", r" \1 ", text)
    text = re.sub(r"([a-z])([A-Z])", r"\1 \2", text)
    return " ".join(text.replace('"', "`").replace("'", "`").split())


@cache
def bleu_statistics() -> Floats:
    """Hypothesis length, reference length, matches and totals of 1- to 4-grams, shape (5, 472, 10)."""
    bleu = BLEU(tokenize="none", force=True)
    references = [[code_tokens(reference) for reference in row["snippet"]] for row in rows()]
    width = max(map(len, references))
    streams = [[refs[i] if i < len(refs) else None for refs in references] for i in range(width)]
    return np.array(
        [
            # a problem with fewer references than others has None there, which sacreBLEU takes but does not say
            bleu._extract_corpus_statistics([code_tokens(row[system]) for row in rows()], streams)  # type: ignore[arg-type]
            for system in SYSTEMS
        ],
        dtype=np.float64,
    )


def corpus_bleu(totals: Floats, count: int) -> Floats:
    """sacreBLEU's formula; no smoothing, which sums over many problems never need."""
    length, reference = totals[..., 0], totals[..., 1]
    matches, possible = totals[..., 2:6], totals[..., 6:10]
    precision = matches / np.maximum(possible, 1)
    brevity = np.exp(np.minimum(0, 1 - reference / np.maximum(length, 1)))
    logs = np.log(np.where(precision > 0, precision, 1)).mean(axis=-1)
    return np.where((precision > 0).all(axis=-1), brevity * np.exp(logs), 0.0)


@cache
def merged_grades() -> tuple[tuple[str, str, float], ...]:
    """The published merged grades as (task, worker, label); a task is named "problem|system"."""
    published = load_json("conala", "published", "conala-human-grades.json")
    return tuple(
        (f"{problem}|{system}", worker, float(grade))
        for problem, row in enumerate(published)
        for system in SYSTEMS
        for worker, grade in row[f"grade-{system}"].items()
    )


def raw_grades(seed: int = 0) -> list[tuple[str, str, float]]:
    """The sixteen raw files as (task, worker, label): rows with the same intent merged by the seeded rule."""
    problem_of = {row["intent"]: problem for problem, row in enumerate(rows())}
    found: dict[tuple[str, str, str], list[float]] = {}
    for number in range(1, 17):
        for row in load_json("conala", f"grader{number}.conala.json"):
            for system in SYSTEMS:
                grade = row.get(f"grade-{system}", -1)
                if grade >= 0:
                    key = (f"grader{number}", str(problem_of[row["intent"]]), system)
                    found.setdefault(key, []).append(grade)
    return [
        (f"{problem}|{system}", worker, merge_grades(grades, key=(worker, problem, system), seed=seed))
        for (worker, problem, system), grades in found.items()
    ]


def grade_matrix(values: dict[str, float]) -> Floats:
    """Consensus by task, to shape (5, 472)."""
    return np.array([[values[f"{problem}|{system}"] for problem in range(472)] for system in SYSTEMS])
