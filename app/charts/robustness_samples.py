"""What the numbers of robustness stand on: the samples that were run, and what is left out of the comparison."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from app.charts import pass_at_k_samples
from app.charts.exhibit import Exhibit
from app.charts.measured import Document
from app.charts.robustness_models import category_in_sentence, transformation_label
from app.charts.words import join, sentence
from app.words import gettext, human_number, ngettext


def what_was_run(document: Document) -> Exhibit:
    """Settings, and how many samples of nominal and changed prompts have a verdict."""
    found = pass_at_k_samples.what_was_run(document)
    return replace(found, reading=completeness(document))


def completeness(document: Document) -> str:
    """Whose samples lack a verdict, and what follows; or that none does."""
    found = pass_at_k_samples.lacking_verdicts(document)
    if not is_incomplete(document):
        return found
    end = gettext(
        "A sample counts in a category once it has a verdict on the nominal and on every changed prompt of its "
        "problem; a problem with too few such samples is left out of the model’s numbers and counted"
    )
    return " ".join([found, sentence(end)])


def is_incomplete(document: Document) -> bool:
    """Whether any sample of the shown models lacks a verdict."""
    return any(each["incomplete"] for model in document["models"] for each in model["generations"])


def left_out(document: Document) -> list[str]:
    """Which models are not shown, and which transformations count in no number: not asked yet, or not in the set."""
    groups: dict[tuple[str, tuple[str, ...]], dict[str, list[int]]] = {}
    for each in document["left_out"]:
        of_models = groups.setdefault((each["category"], tuple(each["models"])), {})
        of_models.setdefault(each["transformation"], []).append(each["seed"])
    told = [_left_out(category, models, seeds) for (category, models), seeds in groups.items()]
    return [*_set_aside(document["set_aside"]), *told]


def _set_aside(models: Sequence[str]) -> list[str]:
    """Models that were not asked all that others were."""
    if not models:
        return []
    text = ngettext(
        "%(models)s is not shown, since it was not asked all that others were, or not all of it was run yet; once "
        "it is chosen, all models are measured on what they have in common",
        "%(models)s are not shown, since they were not asked all that others were, or not all of it was run yet; "
        "once they are chosen, all models are measured on what they have in common",
        len(models),
        models=join(models),
    )
    return [sentence(text)]


def _left_out(category: str, models: Sequence[str], seeds: dict[str, list[int]]) -> str:
    values: dict[str, Any] = {
        "category": category_in_sentence(category),
        "transformations": join([_with_seeds(name, found) for name, found in seeds.items()]),
        "models": join(models),
    }
    if not models:
        text = gettext(
            "Of the %(category)s changes %(transformations)s count in no number: the set does not hold them yet",
            **values,
        )
    else:
        text = gettext(
            "Of the %(category)s changes %(transformations)s count in no number: they were not asked or run yet for "
            "%(models)s",
            **values,
        )
    return sentence(text)


def _with_seeds(transformation: str, seeds: Sequence[int]) -> str:
    return ngettext(
        "%(transformation)s (seed %(seeds)s)",
        "%(transformation)s (seeds %(seeds)s)",
        len(seeds),
        transformation=transformation_label(transformation),
        seeds=", ".join(human_number(each) for each in seeds),
    )
