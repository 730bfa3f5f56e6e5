"""CamelCase: ``has_close_elements`` becomes ``hasCloseElements``, and the other way round."""

import re

from app.perturbations.function_name.rule import renamed_as_released
from app.perturbations.name_parts import camel_case, snake_case, split_name
from app.perturbations.protocol import Category, Mode, Outcome, Problem, Rule, Unchanged
from app.perturbations.registry import register
from app.perturbations.renaming import renamed

ONE_WORD = "The name is one word."


@register
class CamelCase(Rule):
    """Names of one word have neither style, and stay."""

    category = Category.FUNCTION_NAME
    label = "CamelCase"
    released_name = "FuncRenameCamelCase"

    def perturb(self, problem: Problem, seed: int, mode: Mode = Mode.PAPER) -> Outcome:
        """See ``Transformation``."""
        self.check(problem, mode)
        if mode is Mode.RELEASED:
            return renamed_as_released(problem, _as_released(problem.entry_point), ONE_WORD)
        new = _other_style(problem.entry_point)
        if new == problem.entry_point:
            return Unchanged(ONE_WORD)
        return renamed(problem, new)


def _other_style(name: str) -> str:
    parts = split_name(name)
    other = camel_case(parts.words) if parts.is_snake else snake_case([each.lower() for each in parts.words])
    return parts.before + other + parts.behind


def _as_released(name: str) -> str:
    if "_" in name:
        first, *others = name.split("_")
        return first + "".join(each[0].upper() + each[1:] for each in others if each)
    return re.sub(r"[A-Z]", lambda capital: f"_{capital[0].lower()}", name)
