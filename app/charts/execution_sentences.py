"""What pass@k and the agreement of tests and people come to, in sentences computed from the numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.charts.pass_at_k_models import Model, Models, is_confirmed, leads_in_draws
from app.charts.reasons import reason_in_words
from app.charts.tables import number
from app.charts.words import in_words, join, percent, sentence, short
from app.words import gettext, human_number, ngettext

Document = Mapping[str, Any]


def pass_at_k(results: Models) -> str:
    """Who solves most at the first try, whether significantly, and what more samples bring."""
    known = [model for model in results.ranked if _value(model, 1) is not None]
    if not known:
        return _none(results)
    order = sorted(known, key=lambda model: -(_value(model, 1) or 0.0))
    best = [model for model in order if _value(model, 1) == _value(order[0], 1)]
    start = _tie(best) if len(best) > 1 else _first(results, order)
    return " ".join([sentence(start), *_more_samples(best[0])])


def _value(model: Model, k: int) -> float | None:
    cell = model.at(k)
    return None if cell is None else cell["estimate"]["value"]


def _none(results: Models) -> str:
    cells = [cell for model in results.ranked if (cell := model.at(1)) is not None]
    if not cells:
        return gettext("No model has been executed on this benchmark yet.")
    why = reason_in_words(cells[0]["estimate"]["reason"])
    return sentence(gettext("No model has a pass@1: %(reason)s", reason=why))


def _tie(best: Sequence[Model]) -> str:
    value = percent(_value(best[0], 1) or 0.0, 1)
    names = join([model.name for model in best])
    return gettext("%(models)s solve equally many problems at the first try, %(value)s", models=names, value=value)


def _first(results: Models, order: Sequence[Model]) -> str:
    leader = order[0]
    values = {"model": leader.name, "value": _with_interval(leader, 1)}
    if len(order) == 1:
        return gettext("%(model)s solves this share of the problems at the first try: %(value)s", **values)
    values |= {"other": order[1].name, "other_value": percent(_value(order[1], 1) or 0.0, 1)}
    found = results.compared.get((leader.name, order[1].name))
    if found is None:
        return gettext(
            "%(model)s solves the most problems at the first try, %(value)s; %(other)s solves %(other_value)s",
            **values,
        )
    if leads_in_draws(found["p_a_greater"]) and is_confirmed(found):
        return gettext(
            "%(model)s solves the most problems at the first try, %(value)s, "
            "significantly more than %(other)s (%(other_value)s)",
            **values,
        )
    return gettext(
        "%(model)s solves the most problems at the first try, %(value)s, "
        "but not significantly more than %(other)s (%(other_value)s)",
        **values,
    )


def _with_interval(model: Model, k: int) -> str:
    value, cell = percent(_value(model, k) or 0.0, 1), model.at(k)
    if cell is None or cell["estimate"]["low"] is None:
        return value
    low, high = (number(100 * cell["estimate"][end], 1) for end in ("low", "high"))
    return gettext("%(value)s (95 %% interval %(low)s to %(high)s)", value=value, low=low, high=high)


def _more_samples(model: Model) -> list[str]:
    """The largest k that is known, if it is more than 1."""
    last = model.known[-1]
    if last["k"] == 1:
        return []
    text = gettext(
        "Of %(k)s samples of %(model)s at least one passes for %(value)s of the problems",
        k=in_words(last["k"]),
        model=model.name,
        value=percent(last["estimate"]["value"], 1),
    )
    return [sentence(text)]


def agreement(document: Document) -> str:
    """How people grade what passes and what fails, how often execution and people agree, and the exceptions."""
    superiority = document["superiority"]
    if superiority["value"] is None:
        start = sentence(
            gettext("Tests and people can’t be compared: %(reason)s", reason=reason_in_words(superiority["reason"]))
        )
        return " ".join([start, *([] if not document["outputs"] else _exceptions(document))])
    means = gettext(
        "People give outputs that pass %(passing)s on average and those that fail %(failing)s",
        passing=number(document["mean_passing"]["value"], 2),
        failing=number(document["mean_failing"]["value"], 2),
    )
    return " ".join([sentence(means), sentence(_chance(superiority)), *_exceptions(document)])


def _chance(superiority: Document) -> str:
    values = {"share": percent(superiority["value"], 1)}
    if superiority["low"] is None:
        return gettext(
            "Of an output that passes and one that fails the first has the higher grade in %(share)s "
            "(50 %% is chance)",
            **values,
        )
    values |= {end: number(100 * superiority[end], 1) for end in ("low", "high")}
    if superiority["low"] <= 0.5 <= superiority["high"]:
        return gettext(
            "Of an output that passes and one that fails the first has the higher grade in %(share)s, "
            "which can’t be told from chance (95 %% interval %(low)s to %(high)s)",
            **values,
        )
    return gettext(
        "Of an output that passes and one that fails the first has the higher grade in %(share)s "
        "(95 %% interval %(low)s to %(high)s; 50 %% is chance)",
        **values,
    )


def _exceptions(document: Document) -> list[str]:
    low, high = len(document["passes_but_low"]), len(document["fails_but_high"])
    limits = {"low": short(document["low"]), "high": short(document["high"])}
    if not low and not high:
        text = gettext(
            "No output passes with a grade of at most %(low)s, and none fails with one of at least %(high)s", **limits
        )
        return [sentence(text)]
    passes = ngettext(
        "%(count)s output passes, but people gave it at most %(low)s",
        "%(count)s outputs pass, but people gave them at most %(low)s",
        low,
        count=human_number(low),
        **limits,
    )
    fails = ngettext(
        "%(count)s fails, but people gave it at least %(high)s",
        "%(count)s fail, but people gave them at least %(high)s",
        high,
        count=human_number(high),
        **limits,
    )
    return [sentence(f"{passes}; {fails}")]
