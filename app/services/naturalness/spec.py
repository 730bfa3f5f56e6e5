"""What a survey of a perturbed set asks about. Kept in the audit trail, so that it can be drawn again."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from app.errors import InvalidInput
from app.services.sampling.checked import SEED, checked
from app.words import N_, gettext

Count = Annotated[int, Field(ge=0, le=100_000)]


class SurveySpec(BaseModel):
    """How many prompts are asked about, one by one and in pairs of an original and what was made of it.

    Of each category the same number of changed prompts is drawn, and of each transformation within it, as far as
    there are enough. ``transformations``: none named means all.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    unperturbed: Count = 100
    perturbed: Count = 100
    pairs: Count = 100
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    annotators: Annotated[int, Field(ge=1, le=100)] = 5
    transformations: tuple[Annotated[str, Field(max_length=100)], ...] = ()

    @property
    def asks_naturalness(self) -> bool:
        """Whether prompts are asked about one by one."""
        return self.unperturbed + self.perturbed > 0


# What each field is called on the page, and what it takes.
COUNT = N_("%(field)s: enter a whole number from 0 to 100,000.")
FIELDS = {
    "unperturbed": (N_("Unperturbed prompts"), COUNT),
    "perturbed": (N_("Perturbed prompts"), COUNT),
    "pairs": (N_("Pairs"), COUNT),
    "seed": (N_("Seed"), SEED),
    "annotators": (N_("Annotators for each item"), N_("%(field)s: enter a whole number from 1 to 100.")),
}


def parse_survey(values: dict[str, Any]) -> SurveySpec:
    """The survey that someone asked for; InvalidInput names what can't be used."""
    spec = checked(SurveySpec, values, FIELDS, N_("This survey can't be made: %(reasons)s"))
    if not spec.asks_naturalness and not spec.pairs:
        raise InvalidInput(
            gettext("This survey asks about nothing."), remedy=gettext("Ask for prompts, for pairs, or for both.")
        )
    return spec
