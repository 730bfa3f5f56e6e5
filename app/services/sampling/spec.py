"""What is to be drawn. Kept in the audit trail, so that a sample can be drawn again."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.errors import InvalidInput
from app.words import gettext

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


def parse_spec(values: dict[str, Any]) -> SampleSpec:
    """The sample that someone asked for; InvalidInput names what can't be used."""
    try:
        spec = SampleSpec.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = " ".join(map(str, first["loc"]))
        raise InvalidInput(
            gettext("This sample can't be drawn: %(where)s: %(reason)s.", where=where, reason=first["msg"])
        ) from error
    if spec.by == "score" and not spec.metric:
        raise InvalidInput(
            gettext("Strata by score need a metric."),
            remedy=gettext("Choose the metric whose scores make the strata."),
        )
    return spec
