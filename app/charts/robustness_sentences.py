"""What perturbed prompts do to models, in sentences computed from the numbers."""

from collections.abc import Sequence

from app.charts.measured import Document
from app.charts.reasons import reason_in_words
from app.charts.robustness_left_out import models_left_out, undefined
from app.charts.robustness_models import (
    DROP,
    RobustModel,
    RobustModels,
    category_in_sentence,
    category_label,
    estimate_of,
    group_of,
    is_significant,
    mean_whole,
    transformation_label,
    value_of,
    whole_of,
)
from app.charts.tables import number
from app.charts.words import join, percent, sentence
from app.words import gettext, ngettext


def categories(results: RobustModels, k: int = 1) -> str:
    """Under each category who keeps most of its pass@k, whether significantly, and what could be reached at all."""
    whole = _unshaken(results, k)
    parts = [whole] if whole else [_category(results, category, k) for category in results.categories]
    found = [part for part in parts if part]
    if not found:
        return nothing_measured(results, k)
    return " ".join([*extremes(results, k), *map(sentence, found), *_ceilings(results)])


def extremes(results: RobustModels, k: int = 1) -> list[str]:
    """Which category costs most and which least, on the mean over models or of the only one; nothing without both.

    Where a model is missing in a category, that is said, since the means are then not over the same models.
    """
    drops = {}
    for category in results.categories:
        cell = estimate_of(mean_whole(results, category), DROP, k)
        if cell is not None and cell["value"] is not None:
            drops[category] = cell
    most = max(drops, key=lambda each: drops[each]["value"], default="")
    least = min(drops, key=lambda each: drops[each]["value"], default="")
    if not drops or drops[most]["value"] == drops[least]["value"]:
        return []
    values = {
        "most": category_label(most),
        "share": percent(max(0.0, drops[most]["value"]), 1),
        "interval": _interval(drops[most]),
        "least": category_in_sentence(least),
        "least_share": percent(max(0.0, drops[least]["value"]), 1),
        "least_interval": _interval(drops[least]),
        "k": k,
    }
    if len(results.ranked) == 1:
        text = gettext(
            "%(most)s changes cost most, %(share)s of pass@%(k)s%(interval)s, and %(least)s changes least, "
            "%(least_share)s%(least_interval)s",
            **values,
        )
    else:
        text = gettext(
            "On the mean over the models %(most)s changes cost most, %(share)s of pass@%(k)s%(interval)s, and "
            "%(least)s changes least, %(least_share)s%(least_interval)s",
            **(values | {"most": category_in_sentence(most)}),
        )
    return [sentence(text), *models_left_out(results, k)]


def nothing_measured(results: RobustModels, k: int) -> str:
    """Why no number can be told."""
    for model in results.models:
        for category in results.categories:
            cell = estimate_of(whole_of(model, category), DROP, k)
            if cell is not None and cell["reason"]:
                return sentence(gettext("No drop can be told: %(reason)s", reason=reason_in_words(cell["reason"])))
    return gettext("No model has been executed on perturbed prompts of this benchmark yet.")


def _unshaken(results: RobustModels, k: int) -> str:
    """Of the only model, that it loses under no category, instead of one and the same sentence for each."""
    if len(results.ranked) != 1 or len(results.categories) < 2:
        return ""
    [model] = results.ranked
    drops = [value_of(whole_of(model, category), DROP, k) for category in results.categories]
    if any(drop is None or drop > 0 for drop in drops):
        return ""
    return gettext("%(model)s keeps all of its pass@%(k)s under the changes of each category", model=model.name, k=k)


def _category(results: RobustModels, category: str, k: int) -> str:
    known = [model for model in results.ranked if value_of(whole_of(model, category), DROP, k) is not None]
    if not known:
        return ""
    order = sorted(known, key=lambda model: value_of(whole_of(model, category), DROP, k) or 0.0)
    if len(order) == 1:
        return _alone(order[0], category, k)
    return f"{_first(order[0], category, k)}; {_lead(results, order, category, k)}"


def _alone(model: RobustModel, category: str, k: int) -> str:
    """What the one model keeps, and only what the interval shows."""
    drop, values = _kept(model, category, k)
    if drop["value"] <= 0:
        return gettext("Under %(category)s changes %(model)s keeps all of its pass@%(k)s", **values)
    if drop["low"] is not None and drop["low"] <= 0:
        return gettext(
            "Under %(category)s changes %(model)s keeps %(share)s of its pass@%(k)s%(interval)s, which can’t be told "
            "from all of it",
            **values,
        )
    return gettext("Under %(category)s changes %(model)s keeps %(share)s of its pass@%(k)s%(interval)s", **values)


def _first(model: RobustModel, category: str, k: int) -> str:
    drop, values = _kept(model, category, k)
    if drop["value"] <= 0:
        return gettext("Under %(category)s changes %(model)s keeps all of its pass@%(k)s", **values)
    return gettext(
        "Under %(category)s changes %(model)s keeps the greatest share of its pass@%(k)s, %(share)s%(interval)s",
        **values,
    )


def _kept(model: RobustModel, category: str, k: int) -> tuple[Document, dict[str, str | int]]:
    drop = estimate_of(whole_of(model, category), DROP, k) or {}
    return drop, {
        "category": category_in_sentence(category),
        "model": model.name,
        "k": k,
        "share": percent(max(0.0, 1 - drop["value"]), 1),
        "interval": _kept_interval(drop),
    }


def _kept_interval(drop: Document) -> str:
    if drop["low"] is None:
        return ""
    low, high = (number(100 * (1 - drop[end]), 1) for end in ("high", "low"))
    return gettext(" (95 %% interval %(low)s to %(high)s)", low=low, high=high)


def _lead(results: RobustModels, order: Sequence[RobustModel], category: str, k: int) -> str:
    """The first beside the second."""
    first, second = order[0], order[1]
    drops = [value_of(whole_of(model, category), DROP, k) or 0.0 for model in (first, second)]
    values = {"other": second.name, "share": percent(max(0.0, 1 - drops[1]), 1)}
    if drops[0] == drops[1]:
        return gettext("%(other)s keeps just as much", other=second.name)
    found = results.difference(first.name, second.name, category, DROP) if k == 1 else None
    if found is None:
        return gettext("%(other)s comes next with %(share)s", **values)
    if is_significant(found):
        return gettext("that is significantly more than %(other)s (%(share)s)", **values)
    return gettext("the difference to %(other)s (%(share)s) is not significant", **values)


def _ceilings(results: RobustModels) -> list[str]:
    """How far a model can come: where canonical solutions themselves fail, nobody can keep all."""
    low, is_known = {}, False
    for category in results.categories:
        for model in results.models:
            ceiling = (whole_of(model, category) or {}).get("ceiling")
            if ceiling and ceiling["value"] is not None:
                is_known = True
                if ceiling["value"] < 1:
                    low[category] = ceiling["value"]
    if not low:
        text = gettext("The ceiling is 100 %%: the canonical solutions pass on all perturbed prompts")
        return [sentence(text)] if is_known else []
    named = [f"{percent(value, 1)} ({category_in_sentence(category)})" for category, value in low.items()]
    text = gettext(
        "Not every problem can be kept: of the canonical solutions themselves %(shares)s pass on all perturbed "
        "prompts",
        shares=join(named),
    )
    return [sentence(text)]


def transformations(results: RobustModels, k: int = 1) -> str:
    """Which single transformation costs each model most, and which costs nothing that could be seen."""
    parts = [part for model in results.ranked if (part := _worst(results, model, k))]
    if not parts:
        return nothing_measured(results, k)
    return " ".join([*map(sentence, parts), *_harmless(results, k), *_blank(results, k)])


def _blank(results: RobustModels, k: int) -> list[str]:
    """Why models have no drop under any transformation: an empty column of the map."""
    return undefined(
        (model.name, estimate_of(group_of(model, category, name), DROP, k))
        for model in results.models
        if not _drops(results, model, k)
        for category in results.categories
        for name in results.groups(category)
    )


def _drops(results: RobustModels, model: RobustModel, k: int) -> dict[tuple[str, str], Document]:
    found = {}
    for category in results.categories:
        for name in results.groups(category):
            cell = estimate_of(group_of(model, category, name), DROP, k)
            if cell is not None and cell["value"] is not None:
                found[category, name] = cell
    return found


def _worst(results: RobustModels, model: RobustModel, k: int) -> str:
    drops = _drops(results, model, k)
    if not drops:
        return ""
    key = max(drops, key=lambda each: drops[each]["value"])
    cell = drops[key]
    if cell["value"] <= 0:
        return gettext("%(model)s loses nothing under any single transformation", model=model.name)
    return gettext(
        "%(model)s loses most under %(transformation)s, %(share)s of its pass@%(k)s%(interval)s",
        model=model.name,
        transformation=_named(key),
        share=percent(cell["value"], 1),
        k=k,
        interval=_interval(cell),
    )


def _named(key: tuple[str, str]) -> str:
    category, name = key
    return gettext(
        "%(transformation)s (%(category)s)",
        transformation=transformation_label(name),
        category=category_in_sentence(category),
    )


def _interval(cell: Document) -> str:
    if cell["low"] is None:
        return ""
    low, high = (number(100 * cell[end], 1) for end in ("low", "high"))
    return gettext(" (95 %% interval %(low)s to %(high)s)", low=low, high=high)


def _harmless(results: RobustModels, k: int) -> list[str]:
    """How many transformations cost no model anything that these problems could show."""
    by_model = [_drops(results, model, k) for model in results.ranked]
    keys = list(dict.fromkeys(key for drops in by_model for key in drops))
    calm = [key for key in keys if all(_is_calm(drops.get(key)) for drops in by_model)]
    if not calm or len(calm) == len(keys):
        return []
    text = ngettext(
        "Under %(count)s of %(total)s transformations no model has a loss that could be told from none",
        "Under %(count)s of %(total)s transformations no model has a loss that could be told from none",
        len(calm),
        count=len(calm),
        total=len(keys),
    )
    return [sentence(text)]


def _is_calm(cell: Document | None) -> bool:
    return cell is not None and (cell["value"] <= 0 or (cell["low"] is not None and cell["low"] <= 0))
