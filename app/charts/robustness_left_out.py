"""What has no value and why: problems that lack judged samples, models that are in no mean, drops of nothing."""

from collections.abc import Iterable

from app.charts.measured import Document
from app.charts.reasons import reason_in_words
from app.charts.robustness_models import (
    NOMINAL,
    RobustModel,
    RobustModels,
    at,
    category_in_sentence,
    mean_whole,
    transformation_label,
    value_of,
    whole_of,
)
from app.charts.words import join, sentence
from app.words import gettext, human_number, ngettext


def undefined(estimates: Iterable[tuple[str, Document | None]]) -> list[str]:
    """Why there are dashes in a table, from its estimates and whose each is; of one that was not measured nothing."""
    reasons: dict[str, dict[str, None]] = {}
    for name, found in estimates:
        if found is not None and found["value"] is None:
            reasons.setdefault(found["reason"], {})[name] = None
    return [
        gettext("No value for %(metrics)s: %(reason)s.", metrics=join(list(names)), reason=reason_in_words(reason))
        for reason, names in reasons.items()
    ]


def problems_left_out(results: RobustModels, k: int) -> list[str]:
    """Of each model and category, where not all problems count; categories that lack as many, together."""
    return [
        sentence(gettext("%(model)s, %(category)s: %(left_out)s", model=model.name, category=names, left_out=found))
        for model in results.models
        for found, names in _together(
            (_problems(model, category, whole_of(model, category), k), category_in_sentence(category))
            for category in results.categories
            if category in model.categories
        )
    ]


def problems_left_out_of(model: RobustModel, k: int) -> list[str]:
    """The same under each transformation and each whole category of one model."""
    groups = [
        (_problems(model, category, group, k), _name(category, group))
        for category, document in model.categories.items()
        for group in [*document["transformations"], document["whole"]]
    ]
    if len({found for found, _ in groups}) == 1:  # everywhere alike: no name tells more
        return [sentence(groups[0][0])] if groups[0][0] else []
    return [
        sentence(gettext("%(name)s: %(left_out)s", name=names, left_out=found)) for found, names in _together(groups)
    ]


def _together(parts: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """What is left out, and all names of which just that is told; of those where nothing is, nothing."""
    names: dict[str, list[str]] = {}
    for found, name in parts:
        if found:
            names.setdefault(found, []).append(name)
    return [(found, join(each)) for found, each in names.items()]


def _name(category: str, group: Document) -> str:
    if group["name"] == category:
        return gettext("all of the category %(category)s", category=category_in_sentence(category))
    return gettext(
        "%(transformation)s (%(category)s)",
        transformation=transformation_label(group["name"]),
        category=category_in_sentence(category),
    )


def _problems(model: RobustModel, category: str, group: Document | None, k: int) -> str:
    """Nothing where all count, or none: then a reason stands in place of the numbers."""
    found = at(group, k)
    if found is None or not found["problems_left_out"]:
        return ""
    return ngettext(
        "%(count)s of %(total)s problem left out: not all samples are judged",
        "%(count)s of %(total)s problems left out: not all samples are judged",
        model.categories[category]["problems"],
        count=human_number(found["problems_left_out"]),
        total=human_number(model.categories[category]["problems"]),
    )


def models_left_out(results: RobustModels, k: int) -> list[str]:
    """Under which categories the mean is not over all models, and who is missing."""
    if len(results.ranked) < 2:
        return []
    return [part for category in results.categories for part in _missing(results, category, k)]


def _missing(results: RobustModels, category: str, k: int) -> list[str]:
    names = [each.name for each in results.ranked if value_of(whole_of(each, category), NOMINAL, k) is None]
    if not names:
        return []
    values = {"category": category_in_sentence(category), "models": join(names)}
    if at(mean_whole(results, category), k) is None:
        text = gettext("There is no mean under %(category)s changes: no value of %(models)s", **values)
        return [sentence(text)]
    text = gettext(
        "Under %(category)s changes the mean is over %(known)s of %(all)s models: no value of %(models)s",
        known=human_number(len(results.ranked) - len(names)),
        all=human_number(len(results.ranked)),
        **values,
    )
    return [sentence(text)]
