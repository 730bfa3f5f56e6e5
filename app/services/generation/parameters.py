"""What is asked of a model, checked."""

import unicodedata
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from app.language_models.protocol import Sampling
from app.words import gettext

REPLAY = "replay"  # the backend that reads a file: how its samples were drawn is not known here
Stop = Annotated[str, Field(min_length=1, max_length=200)]


def _one_line(text: str) -> str:
    if any(unicodedata.category(each) in ("Cc", "Zl", "Zp") for each in text):
        raise ValueError(gettext("A label holds no line break, tab or other control character."))
    return text


# What tables call a model: each line of theirs has one.
Label = Annotated[str, AfterValidator(_one_line)]


class GenerationParameters(BaseModel):
    """One generation: which model, how tokens are chosen, how many samples of each problem, and how they are cut."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    spec: dict[str, Any]  # a ModelSpec, without secrets
    label: Annotated[Label, Field(min_length=1, max_length=200)]
    temperature: Annotated[float, Field(ge=0, le=5, allow_inf_nan=False)] = 0.0
    top_p: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 1.0
    max_tokens: Annotated[int, Field(ge=1, le=32_768)] = 512
    stop: Annotated[tuple[Stop, ...], Field(max_length=16)] = ()
    chat: bool = False
    samples: Annotated[int, Field(ge=1, le=1_000)] = 1
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    cut_rule: Annotated[str, Field(min_length=1, max_length=40)] = "function"
    prompt_mode: Literal["plain", "partial"] = "plain"

    @model_validator(mode="after")
    def _samples_differ(self) -> "GenerationParameters":
        if self.samples > 1 and self.temperature == 0 and self.spec.get("backend") != REPLAY:
            raise ValueError(
                gettext("At temperature 0 every sample is the same; ask for one, or raise the temperature.")
            )
        return self

    def sampling(self) -> dict[str, Any]:
        """How tokens are chosen, as a row stores it."""
        return self.model_dump(mode="json", include={"temperature", "top_p", "max_tokens", "stop", "chat"})


def sampling_of(stored: dict[str, Any]) -> Sampling:
    """What ``GenerationParameters.sampling`` wrote."""
    return Sampling(**(stored | {"stop": tuple(stored["stop"])}))
