"""Are a perturbed set's changes natural? What people say by category and transformation, and checks beside people."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.perturbations import Category
from app.services.agreement.changes import Changes
from app.services.agreement.inputs import Strata
from app.statistics.robustness_checks import checks_against_people
from app.statistics.robustness_survey import robustness_survey
from app.statistics.survey import SurveyGrades

# Which checks compare what: those of one kind of text first.
ORDER = ("codebleu_syntax", "codebleu_dataflow", "cosine_code", "cosine_docstring", "cosine_name")


def inputs_of(changes: Changes) -> list[Any]:
    """All of the changes that decides the result."""
    return [dict(changes.category_of), {name: dict(each) for name, each in changes.scores.items()}]


def measure_naturalness(
    grades: tuple[SurveyGrades, SurveyGrades],
    nominal: frozenset[str],
    strata: tuple[Strata, Strata],
    changes: Changes,
    *,
    scale: Sequence[float],
    draws: int,
    seed: int,
) -> dict[str, Any]:
    """grades, strata: of naturalness and of similarity, strata by transformation. The document's ``checks`` are by
    question; a question that is not asked has none."""
    ordered = [_in_order(each, changes.category_of) for each in strata]
    survey = robustness_survey(
        *grades, nominal, *ordered, category_of=changes.category_of, scale=scale, draws=draws, seed=seed
    )
    checks = {
        question: _checks(given, parts, changes, draws=draws, seed=seed)
        for question, given, parts in zip(("naturalness", "similarity"), grades, ordered, strict=True)
        if parts
    }
    return {"survey": survey.to_json(), "checks": checks, "signatures": dict(changes.signatures)}


def _in_order(strata: Strata, category_of: Mapping[str, str]) -> Strata:
    """Transformations by their categories, in the paper's order of these."""
    places = {str(category): place for place, category in enumerate(Category)}
    names = sorted(strata, key=lambda name: (places.get(category_of[name], len(places)), name))
    return {name: strata[name] for name in names}


def _checks(grades: SurveyGrades, strata: Strata, changes: Changes, *, draws: int, seed: int) -> dict[str, Any]:
    """Of changed prompts only: an unchanged one is the same as itself by any check."""
    changed = frozenset(item for items in strata.values() for item in items)
    known = {name: changes.scores[name] for name in ORDER if name in changes.scores}
    scores = {name: {item: each[item] for item in each if item in changed} for name, each in known.items()}
    return checks_against_people(
        grades.of(changed), {name: each for name, each in scores.items() if each}, draws=draws, seed=seed
    ).to_json()
