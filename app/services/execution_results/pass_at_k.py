"""pass@k of a benchmark's models as one document, which pages, files and the API show.

It is worked out when somebody asks and kept until a run has written or executed something more: the draws of the
problems serve all models at once, so that even many models take well under a second.
"""

from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from app import __version__
from app.errors import InvalidInput, NotFound
from app.ids import content_hash
from app.services.analysis.computation import canonical_json
from app.services.execution_results.compared_models import ComparedModel, compared_models, setting_of
from app.services.execution_results.samples import Tally, benchmark_stamp, tallies_of
from app.services.kept import kept_while
from app.statistics.corpus_scores import mean_of_segments
from app.statistics.errors import StatisticsError
from app.statistics.pass_at_k import PassAtK, mean_estimates, problem_estimates
from app.statistics.pass_at_k_runs import pass_at_k_over_seeds
from app.statistics.two_systems import compare_two_systems
from app.storage.models import Benchmark
from app.words import gettext

Document = dict[str, Any]
Floats = NDArray[np.float64]
Pair = tuple[str, str]

SHOWN = (1, 5, 10, 100)
CURVE = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
DRAWS, SEED = 10_000, 0
PACKAGES = ("numpy",)


def benchmark_results(session: Session, benchmark: Benchmark) -> Document:
    """The benchmark's models with pass@k, what each lacks, and each problem's shares."""
    stamp = benchmark_stamp(session, benchmark)
    return kept_while(session, ("pass@k", benchmark.id), stamp, lambda: _work_out(session, benchmark))


def compared_pair(session: Session, benchmark: Benchmark, pair: Pair) -> Document:
    """The two models' pass@1, compared by the paired bootstrap over problems; NotFound for a name not there."""
    if pair[0] == pair[1]:
        raise InvalidInput(
            gettext("A model can’t be compared with itself."), remedy=gettext("Choose two different models.")
        )
    key = ("pass@1", benchmark.id, *pair)
    return kept_while(
        session, key, benchmark_stamp(session, benchmark), lambda: _compare_named(session, benchmark, pair)
    )


def _compare_named(session: Session, benchmark: Benchmark, pair: Pair) -> Document:
    models = {each.name: each for each in compared_models(tallies_of(session, benchmark))}
    for name in pair:
        if name not in models:
            raise NotFound(gettext("This benchmark has no results of a model %(name)s.", name=repr(name)))
    found, reverse = _both_ways(models[pair[0]], models[pair[1]])
    return found | {"p_b_greater": reverse["comparison"]["p_a_greater"] if reverse["comparison"] else None}


def _work_out(session: Session, benchmark: Benchmark) -> Document:
    tallies = tallies_of(session, benchmark)
    models = compared_models(tallies)
    ks = _ks(models)
    values = _values(models, ks)
    found = [_model(each, row) for each, row in zip(models, values, strict=True)]
    return {
        "benchmark": {"slug": benchmark.slug, "name": benchmark.name, "sha256": benchmark.file_hash},
        "signature": _signature(benchmark, models, ks),
        "shown": [k for k in SHOWN if k in ks],
        "models": found,
        "compared": _leading_pair(models, found),
        "not_executed": [pending_generation(each) for each in tallies if not each.counted],
        "problems": _problems(models),
    }


def _ks(models: Sequence[ComparedModel]) -> tuple[int, ...]:
    """All that tables show, and for the curve as far as the most samples of a problem go."""
    most = max((int(run.samples.max(initial=0)) for each in models for run in each.runs), default=0)
    return tuple(sorted({*SHOWN, *(k for k in CURVE if k <= most)}))


def _values(models: Sequence[ComparedModel], ks: Sequence[int]) -> list[tuple[list[Document], list[Document]]]:
    """Of each model pass@k, and the same of its seeds if there are several."""
    once = [each for each in models if len(each.seeds) == 1]
    at_once = iter(_of_one_seed(once, ks))
    return [(next(at_once), []) if len(each.seeds) == 1 else _of_seeds(each, ks) for each in models]


def _of_one_seed(models: Sequence[ComparedModel], ks: Sequence[int]) -> list[list[Document]]:
    """As mean_pass_at_k finds it, with one set of draws for all models: they have the same problems."""
    if not models:
        return []
    counts = [each.runs[0] for each in models]
    values = np.array([problem_estimates(run, k) for run in counts for k in ks])
    estimates = mean_estimates(values, [*ks] * len(models), draws=DRAWS, seed=SEED)
    found = []
    for row, run in enumerate(counts):
        mine = estimates[row * len(ks) : (row + 1) * len(ks)]
        short = [int(np.count_nonzero(run.samples < k)) for k in ks]
        passes = zip(ks, mine, short, strict=True)
        found.append([asdict(PassAtK(k, each, len(run.problems), few)) for k, each, few in passes])
    return found


def _of_seeds(model: ComparedModel, ks: Sequence[int]) -> tuple[list[Document], list[Document]]:
    over = pass_at_k_over_seeds(model.runs, ks, draws=DRAWS, seed=SEED)
    fewest = np.min([run.samples for run in model.runs], axis=0)
    values = [PassAtK(each.k, each.mean, len(fewest), int(np.count_nonzero(fewest < each.k))) for each in over]
    return [asdict(each) for each in values], [asdict(each) for each in over]


def _model(model: ComparedModel, values: tuple[list[Document], list[Document]]) -> Document:
    return {
        "name": model.name,
        "is_canonical": model.is_canonical,
        **setting_of(model.generation),
        "generations": [told_generation(each) for each in model.seeds],
        "pass_at_k": values[0],
        "seeds": values[1],
    }


def told_generation(tally: Tally) -> Document:
    """What a generation's samples became, as documents tell it."""
    each = tally.generation
    return {
        "generation": each.id,
        "label": each.label,
        "seed": each.seed,
        "signature": each.signature,
        "samples_expected": tally.expected,
        "samples_counted": tally.counted,
        "outcomes": dict(sorted(tally.outcomes.items())),
        "incomplete": tally.incomplete,
        "walls": [list(wall) for wall in sorted(tally.walls, key=str)],
    }


def pending_generation(tally: Tally) -> Document:
    """The same of one that has no verdict yet, with its label."""
    return {"label": tally.generation.label, **told_generation(tally)}


def _leading_pair(models: Sequence[ComparedModel], found: Sequence[Document]) -> list[Document]:
    """The two that solve most, for the sentence; canonical solutions are no model."""
    known = [
        (document["pass_at_k"][0]["estimate"]["value"], model)
        for document, model in zip(found, models, strict=True)
        if document["pass_at_k"][0]["estimate"]["value"] is not None and not model.is_canonical
    ]
    best = [model for _, model in sorted(known, key=lambda each: -each[0])[:2]]
    return _both_ways(*best) if len(best) == 2 else []


def _both_ways(a: ComparedModel, b: ComparedModel) -> list[Document]:
    """The comparison of pass@1 in both orders, since P(A > B) and P(B > A) don't add up to 1."""
    return [_compare(a, b), _compare(b, a)]


def _compare(a: ComparedModel, b: ComparedModel) -> Document:
    """As any metric; of several seeds each problem has the mean."""
    pair = np.array([_problem_means(a), _problem_means(b)])
    names = {"a": a.name, "b": b.name}
    try:
        found = compare_two_systems(mean_of_segments("pass@1", pair), 0, 1, draws=DRAWS, seed=SEED)
    except StatisticsError as error:
        return names | {"reason": str(error), "comparison": None}
    return names | {"reason": None, "comparison": asdict(found)}


def _problem_means(model: ComparedModel) -> Floats:
    return np.asarray(np.mean([problem_estimates(run, 1) for run in model.runs], axis=0))


def _problems(models: Sequence[ComparedModel]) -> list[Document]:
    """Of each problem how many samples of each model count and how many pass; seeds added up."""
    if not models:
        return []
    samples = np.array([np.sum([run.samples for run in each.runs], axis=0) for each in models])
    passed = np.array([np.sum([run.passed for run in each.runs], axis=0) for each in models])
    return [
        {"problem": key, "samples": samples[:, place].tolist(), "passed": passed[:, place].tolist()}
        for place, key in enumerate(models[0].runs[0].problems)
    ]


def _signature(benchmark: Benchmark, models: Sequence[ComparedModel], ks: Sequence[int]) -> Document:
    inputs = [
        [benchmark.layout, benchmark.file_hash],
        [[each.name, setting_of(each.generation), [_counts(seed) for seed in each.seeds]] for each in models],
    ]
    return {
        "codejury": __version__,
        "parameters": {"draws": DRAWS, "seed": SEED, "k": list(ks)},
        "inputs_sha256": content_hash(canonical_json(inputs)),
        "packages": {name: version(name) for name in PACKAGES},
    }


def _counts(tally: Tally) -> list[Any]:
    counts = tally.counts
    return [tally.generation.seed, list(counts.problems), counts.samples.tolist(), counts.passed.tolist()]
