"""What is to be drawn. Kept in the audit trail, so that a sample can be drawn again."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from app.errors import InvalidInput
from app.services.sampling.checked import SEED, checked
from app.words import N_, gettext

Count = Annotated[int, Field(ge=0, le=1_000_000)]
NOMINAL, PERTURBED, REFERENCES = "nominal", "perturbed", "reference"


class SampleSpec(BaseModel):
    """One sample. A count of None means all there is.

    ``source``: prompts (unchanged and changed ones, one by one), pairs (a prompt beside what was made of it) or
    outputs. ``by``: what the strata are. Of each stratum the same number is drawn, as far as there are enough.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: Literal["prompts", "pairs", "outputs"]
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    unchanged: Count | None = 100  # of prompts
    changed: Count | None = 100  # of prompts and pairs
    transformations: tuple[str, ...] = ()  # none named: all
    seeds: tuple[int, ...] = ()  # of the transformations; none named: all
    outputs: Count | None = None
    systems: tuple[str, ...] = ()  # none named: all
    with_references: bool = True
    by: Literal["", "transformation", "system", "score"] = ""
    metric: str = ""  # whose scores make the strata
    only_these: bool = False  # other items of the instrument that nobody has graded rest
    bins: Annotated[int, Field(ge=2, le=20)] = 4


# What each field is called on the page, and what it takes.
COUNT = N_("%(field)s: enter a whole number from 0 to 1,000,000, or nothing for all.")
FIELDS = {
    "unchanged": (N_("Unchanged prompts"), COUNT),
    "changed": (N_("Changed prompts"), COUNT),
    "outputs": (N_("Outputs"), COUNT),
    "seed": (N_("Seed"), SEED),
    "bins": (N_("Ranges, each with as many outputs"), N_("%(field)s: enter a whole number from 2 to 20.")),
}


def parse_spec(values: dict[str, Any]) -> SampleSpec:
    """The sample that someone asked for; InvalidInput names what can't be used."""
    spec = checked(SampleSpec, values, FIELDS, N_("This sample can't be drawn: %(reasons)s"))
    if spec.by == "score" and not spec.metric:
        raise InvalidInput(
            gettext("Strata by score need a metric."),
            remedy=gettext("Choose the metric whose scores make the strata."),
        )
    return spec
