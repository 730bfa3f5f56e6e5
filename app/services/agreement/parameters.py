"""What can be chosen of the measuring."""

from pydantic import BaseModel, ConfigDict, Field


class AgreementParameters(BaseModel):
    """``draws`` of the items for every interval; ``seed`` of None stands for the study's."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    draws: int = Field(10_000, ge=100, le=100_000)
    seed: int | None = Field(None, ge=0, lt=2**63)
