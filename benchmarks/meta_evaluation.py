"""Time and memory of everything after scoring, beside sacreBLEU's own paired bootstrap in the same run.

    python -m benchmarks.meta_evaluation           the CoNaLa study, or a generated one of its size
    python -m benchmarks.meta_evaluation --large   500 systems over 5,000 problems

Ours compares 82 systems by people and six metrics, from statistics; sacreBLEU compares 5 systems by BLEU and
chrF, from text. Both use 1,000 draws. Our time is the best of five runs; memory is a fresh process's peak.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import pytest

from app.statistics.corpus_scores import MetricInput, mean_of_segments
from app.statistics.meta_evaluation import meta_evaluate
from tests.shared_data import shared_data

DRAWS = 1000
MEAN_METRICS = ("rouge_l", "chrf", "meteor", "ruby", "codebleu")


def generated_study(systems: int, problems: int) -> tuple[list[str], MetricInput, list[MetricInput], np.ndarray]:
    """People, BLEU's ten sums and five mean metrics, all following the same quality with noise."""
    rng = np.random.default_rng(0)
    quality = rng.uniform(0.1, 0.7, (systems, 1))
    grades = rng.binomial(4, quality, (systems, problems)) / 4
    bleu = np.empty((systems, problems, 10))
    bleu[..., :2] = 12
    bleu[..., 6:] = (12, 11, 10, 9)
    for order in range(4):
        bleu[..., 2 + order] = rng.binomial(12 - order, quality ** (1 + order / 4), (systems, problems))
    means = [
        mean_of_segments(name, np.clip(grades + rng.normal(0, 0.2, grades.shape), 0, 1)) for name in MEAN_METRICS
    ]
    ids = np.arange(systems * problems).reshape(systems, problems)
    metrics = [MetricInput("bleu", bleu, corpus_bleu), *means]
    return [f"s{i}" for i in range(systems)], mean_of_segments("human", grades), metrics, ids


def has_published_study() -> bool:
    try:
        return shared_data("conala", "published").exists()
    except pytest.skip.Exception:
        return False


def published_study() -> tuple[list[str], MetricInput, list[MetricInput], np.ndarray]:
    from tests.statistics import conala_study as study  # noqa: PLC0415 - loads sacreBLEU

    return list(study.SYSTEMS), study.human(), study.metrics(), study.output_ids()


def corpus_bleu(totals: np.ndarray, count: int) -> np.ndarray:
    precision = totals[..., 2:6] / np.maximum(totals[..., 6:10], 1)
    brevity = np.exp(np.minimum(0, 1 - totals[..., 1] / totals[..., 0]))
    scores: np.ndarray = brevity * np.exp(np.log(np.maximum(precision, 1e-12)).mean(axis=-1))
    return scores


def texts(problems: int) -> tuple[dict[str, list[str]], list[list[str]]]:
    """Five systems' outputs and the references for sacreBLEU: the study's own, or generated tokens."""
    if has_published_study():
        from tests.statistics import conala_study as study  # noqa: PLC0415

        outputs = {s: [study.code_tokens(row[s]) for row in study.rows()] for s in study.SYSTEMS}
        return outputs, [[study.code_tokens(row["snippet"][0]) for row in study.rows()]]
    rng = np.random.default_rng(0)
    words = np.array([f"w{i}" for i in range(50)])
    reference = words[rng.integers(0, 50, (problems, 12))]
    noisy = {f"s{i}": np.where(rng.random(reference.shape) < 0.3 + i / 10, reference, "x").tolist() for i in range(5)}
    return {name: [" ".join(t) for t in rows] for name, rows in noisy.items()}, [
        [" ".join(t) for t in reference.tolist()]
    ]


def sacrebleu_seconds() -> float:
    """sacreBLEU's paired bootstrap of five systems by BLEU and chrF, once."""
    os.environ["SACREBLEU_SEED"] = "12345"
    from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415 - only the subprocess needs it
    from sacrebleu.metrics.chrf import CHRF  # noqa: PLC0415
    from sacrebleu.significance import PairedTest  # noqa: PLC0415

    outputs, references = texts(472)
    metrics = {"BLEU": BLEU(tokenize="none", force=True), "chrF": CHRF()}

    def run() -> None:
        PairedTest(list(outputs.items()), metrics, references, test_type="bs", n_samples=DRAWS)()

    return seconds(run, runs=1)


def seconds(call: Callable[[], object], runs: int = 5) -> float:
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return min(taken)


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def report_ours(*, large: bool) -> float:
    if large:
        names, human, metrics, ids = generated_study(500, 5000)
    elif has_published_study():
        names, human, metrics, ids = published_study()
    else:
        names, human, metrics, ids = generated_study(5, 472)
    inputs = sum(metric.statistics.nbytes for metric in (human, *metrics)) / 2**20
    before = peak_megabytes()
    found = []

    def run() -> None:
        found.append(meta_evaluate(names, human, metrics, output_ids=ids, draws=DRAWS, synthetic=not large).to_json())

    taken = seconds(run, runs=1 if large else 5)
    print(
        f"CodeJury: {len(found[0]['systems'])} systems, {found[0]['pairs']:,} pairs, {len(metrics)} metrics, "
        f"{found[0]['problems']['used']:,} problems, {DRAWS:,} draws: {taken:.3f} s; peak memory "
        f"{peak_megabytes():.0f} MB ({before:.0f} MB before, of which inputs {inputs:.0f} MB)"
    )
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large", action="store_true", help="500 systems over 5,000 problems")
    parser.add_argument("--sacrebleu", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.sacrebleu:
        print(f"{sacrebleu_seconds():.3f} {peak_megabytes():.0f}")
        return
    print(f"data: {'CoNaLa' if has_published_study() and not arguments.large else 'generated'}")
    ours = report_ours(large=arguments.large)
    if arguments.large:
        return
    command = [sys.executable, "-m", "benchmarks.meta_evaluation", "--sacrebleu"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    theirs = float(output[-2])
    print(f"sacreBLEU: 5 systems, BLEU and chrF, {DRAWS:,} draws: {theirs:.3f} s; peak memory {output[-1]} MB")
    print(f"ratio: {theirs / ours:.1f} times as long as CodeJury's whole analysis")


if __name__ == "__main__":
    main()
