"""Settings of a study's way from invitation to thanks. All can change while the study runs; each has a default."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.errors import InvalidInput
from app.storage.models import Study
from app.words import gettext

Code = Annotated[str, Field(max_length=100)]
Address = Annotated[str, Field(max_length=2_000, pattern=r"^(https?://\S+)?$")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Ending(_Part):
    """What the platform is told at the end: a code to show, or an address to go back to with {code} in it."""

    code: Code = ""
    address: Address = ""


class Endings(_Part):
    """One for each way in which the work can end."""

    done: Ending = Ending()
    failed: Ending = Ending()
    declined: Ending = Ending()


class Practice(_Part):
    """Practice items come first. ``pass_mark``: the share to get right; after ``tries`` failed rounds it ends."""

    pass_mark: Annotated[float, Field(ge=0, le=1)] = 0.8
    tries: Annotated[int, Field(ge=1, le=10)] = 2
    on_failing: Literal["stop", "go on"] = "stop"


class Checks(_Part):
    """One check of each kind among so many items, at a seeded place; 0 means none.

    A loud check says afterwards that it was one and what was right, a silent one doesn't; a repeat shows an item
    again. ``most_failed``: after so many failed checks the annotator's work ends; 0 means never.
    """

    loud_every: Annotated[int, Field(ge=0, le=1000)] = 0
    silent_every: Annotated[int, Field(ge=0, le=1000)] = 0
    repeat_every: Annotated[int, Field(ge=0, le=1000)] = 0
    most_failed: Annotated[int, Field(ge=0, le=100)] = 0

    @property
    def are_any(self) -> bool:
        """Whether checks come between the items."""
        return bool(self.loud_every or self.silent_every or self.repeat_every)


class Limits(_Part):
    """For each annotator; None means no limit. After ``pause_after`` minutes a break of ``pause`` minutes is due."""

    items: Annotated[int, Field(ge=1)] | None = None
    minutes: Annotated[int, Field(ge=1)] | None = None
    pause_after: Annotated[int, Field(ge=1)] | None = None
    pause: Annotated[int, Field(ge=1)] = 5


class StudyOptions(_Part):
    """All of it. ``quotas``: the most grades for a stratum's items; ``retire_after``: skips that retire an item."""

    practice: Practice = Practice()
    checks: Checks = Checks()
    limits: Limits = Limits()
    quotas: dict[Annotated[str, Field(max_length=80)], Annotated[int, Field(ge=0)]] = {}
    retire_after: Annotated[int, Field(ge=1, le=100)] | None = None
    endings: Endings = Endings()
    id_parameter: Annotated[str, Field(max_length=80, pattern=r"^[A-Za-z0-9_-]+$")] = "id"


def options_of(study: Study) -> StudyOptions:
    """The study's options, defaults filled in."""
    return StudyOptions.model_validate(study.options)


def parse_options(values: dict[str, Any]) -> StudyOptions:
    """Options that someone sent; InvalidInput names the first that can't be used."""
    try:
        return StudyOptions.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = " ".join(str(part).replace("_", " ") for part in first["loc"])
        raise InvalidInput(
            gettext("This setting can't be used: %(where)s: %(reason)s.", where=where, reason=first["msg"])
        ) from error
