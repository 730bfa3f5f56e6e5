"""What the charts of robustness are given, and what its categories, transformations and numbers are called."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.words import N_, gettext

Document = Mapping[str, Any]

CATEGORIES = {
    "docstring": N_("Docstring"),
    "function_name": N_("Function name"),
    "syntax": N_("Syntax"),
    "format": N_("Format"),
}
# Inside a sentence: "under docstring changes".
IN_SENTENCES = {
    "docstring": N_("docstring"),
    "function_name": N_("function name"),
    "syntax": N_("syntax"),
    "format": N_("format"),
}
NOMINAL, PASS, DROP, RELATIVE = "nominal", "robust_pass", "robust_drop", "robust_relative"
MEASURES = (NOMINAL, PASS, DROP, RELATIVE)
LOWER_IS_BETTER = (DROP, RELATIVE)
SHORT = {PASS: "RP", DROP: "RD", RELATIVE: "RR"}


@dataclass(frozen=True)
class RobustModel:
    """A model under one setting: its name, and what was measured of it, by category ("docstring", …).

    categories: CategoryRobustness.to_json(). over_seeds: of each category that has it a list of RobustnessAtS as
    documents (asdict), for the curve over s. is_canonical: it replays the canonical solutions, the ceiling.
    """

    name: str
    categories: Mapping[str, Document]
    over_seeds: Mapping[str, Sequence[Document]] = field(default_factory=dict)
    is_canonical: bool = False


@dataclass(frozen=True)
class RobustModels:
    """Models on one benchmark under the same transformations and seeds.

    mean: the mean over the models, by category, as CategoryRobustness.to_json() of mean_over_models; empty for one
    model. compared: RobustnessComparison.to_json() of the models A and B under a category, by (A, B, category), at
    k = 1; sentences say nothing of significance where the pair is missing, in either order.
    """

    benchmark: str
    models: Sequence[RobustModel]
    mean: Mapping[str, Document] = field(default_factory=dict)
    compared: Mapping[tuple[str, str, str], Document] = field(default_factory=dict)

    @property
    def ranked(self) -> Sequence[RobustModel]:
        """Those that count in means, marks and rankings: not the canonical solutions, unless they are alone."""
        return [model for model in self.models if not model.is_canonical] or self.models

    @property
    def categories(self) -> list[str]:
        """Those that any model has: the paper's four in its order, then others."""
        held = {name: None for model in self.models for name in model.categories}
        return [*(name for name in CATEGORIES if name in held), *(name for name in held if name not in CATEGORIES)]

    def groups(self, category: str) -> list[str]:
        """The transformations of a category that any model has."""
        documents = [model.categories[category] for model in self.models if category in model.categories]
        return list(dict.fromkeys(each["name"] for document in documents for each in document["transformations"]))

    def difference(self, a: str, b: str, category: str, measure: str) -> Document | None:
        """The TwoSystemComparison of A and B, seen from A; None where it was not made or is undefined."""
        for (first, second), sign in (((a, b), 1), ((b, a), -1)):
            found = self.compared.get((first, second, category))
            if found is not None and found[measure] is not None:
                return found[measure] if sign == 1 else _turned(found[measure])
        return None


def _turned(found: Document) -> Document:
    return {**found, "difference": -found["difference"], "low": -found["high"], "high": -found["low"]}


def is_significant(found: Document, level: float = 0.05) -> bool:
    """Whether a TwoSystemComparison tells two models apart: by its interval and by its p-value."""
    excludes_0 = found["low"] > 0 or found["high"] < 0
    return bool(excludes_0 and found["p_randomisation"] <= level)


def category_label(category: str) -> str:
    """In the reader's language, where it is one of the paper's four."""
    return gettext(CATEGORIES[category]) if category in CATEGORIES else category


def category_in_sentence(category: str) -> str:
    """The same where a sentence goes on: "function name"."""
    return gettext(IN_SENTENCES[category]) if category in IN_SENTENCES else category


def transformation_label(name: str) -> str:
    """As the paper calls it: "docstring/ButterFingers" is ButterFingers."""
    return name.partition("/")[2] or name


def transformation_of_category(name: str) -> str:
    """Where those of several categories stand together: "ButterFingers (docstring)"."""
    category, _, label = name.partition("/")
    if category not in CATEGORIES or not label:
        return transformation_label(name)
    return gettext("%(name)s (%(category)s)", name=label, category=category_in_sentence(category))


def measure_label(measure: str, k: int, seeds: int | None) -> str:
    """As the paper's tables have it, with the direction that is better: "RP5@1 ↑".

    seeds: None where a row holds numbers over different seeds, which is "RP_s@1 ↑".
    """
    if measure == NOMINAL:
        return gettext("Nominal pass@%(k)s ↑", k=k)
    arrow = "↓" if measure in LOWER_IS_BETTER else "↑"
    return f"{SHORT[measure]}{'_s' if seeds is None else seeds}@{k} {arrow}"


def at(group: Document | None, k: int) -> Document | None:
    """The RobustnessAtK of a GroupRobustness; None where there is none."""
    return None if group is None else next((each for each in group["at"] if each["k"] == k), None)


def estimate_of(group: Document | None, measure: str, k: int) -> Document | None:
    """The Estimate of a measure; None where it was not computed."""
    found = at(group, k)
    return None if found is None else found[measure]


def value_of(group: Document | None, measure: str, k: int) -> float | None:
    """Its value; None where it is missing or undefined."""
    found = estimate_of(group, measure, k)
    return None if found is None else found["value"]


def whole_of(model: RobustModel, category: str) -> Document | None:
    """A model's GroupRobustness under a whole category."""
    return model.categories[category]["whole"] if category in model.categories else None


def group_of(model: RobustModel, category: str, name: str) -> Document | None:
    """A model's GroupRobustness under one transformation."""
    groups = model.categories[category]["transformations"] if category in model.categories else ()
    return next((each for each in groups if each["name"] == name), None)


def seeds_of(results: RobustModels, category: str) -> int:
    """The most seeds of a transformation of the category: the paper's s."""
    return max((whole["seeds"] for model in results.models if (whole := whole_of(model, category))), default=0)


def mean_whole(results: RobustModels, category: str) -> Document | None:
    """The mean over ranked models under a category, or what the only one has; None where neither is there."""
    if category in results.mean:
        found: Document = results.mean[category]["whole"]
        return found
    return whole_of(results.ranked[0], category) if len(results.ranked) == 1 else None
