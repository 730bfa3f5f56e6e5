"""The forms by which an admin sets a study's way: flat fields here, nested options in the service."""

import re
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from app.errors import InvalidInput
from app.services.study_options import StudyOptions, parse_options
from app.web.forms import EmptyIsNone, FormModel, Prose
from app.words import gettext

Count = Annotated[Annotated[int, Field(ge=1, le=1_000_000)] | None, EmptyIsNone]
Every = Annotated[int, Field(ge=0, le=1000)]
Code = Annotated[str, Field(max_length=100)]


def _address(text: str) -> str:
    if text and not re.fullmatch(r"https?://\S+", text):
        raise ValueError(gettext("An address begins with https:// and holds no spaces."))
    return text


def _parameter(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-]+", text):
        raise ValueError(gettext("Use letters, digits, - and _ only."))
    return text


Address = Annotated[str, Field(max_length=2000), AfterValidator(_address)]


def _utc(value: Any) -> Any:
    """As <input type="datetime-local"> sends it; the page says that it means UTC."""
    if value == "":
        return None
    try:
        return datetime.fromisoformat(value).replace(tzinfo=UTC)
    except ValueError:
        raise ValueError(gettext("Enter a day and a time.")) from None


Moment = Annotated[datetime | None, BeforeValidator(_utc)]


def _quotas(text: str) -> str:
    for line in filter(str.strip, text.splitlines()):
        name, colon, number = line.rpartition(":")
        if not colon or not name.strip() or not (number.strip().isascii() and number.strip().isdecimal()):
            raise ValueError(gettext("Write one quota a line: the stratum, a colon, the most grades."))
    return text


class OptionsForm(FormModel):
    """All settings of the way."""

    practice_pass_mark: Annotated[int, Field(ge=0, le=100)]
    practice_tries: Annotated[int, Field(ge=1, le=10)]
    practice_on_failing: Literal["stop", "go on"]
    loud_every: Every
    silent_every: Every
    repeat_every: Every
    most_failed: Annotated[int, Field(ge=0, le=100)]
    items: Count = None
    minutes: Count = None
    pause_after: Count = None
    pause: Annotated[int, Field(ge=1, le=1440)]
    quotas: Annotated[Prose, AfterValidator(_quotas), Field(max_length=10_000)] = ""
    retire_after: Annotated[Annotated[int, Field(ge=1, le=100)] | None, EmptyIsNone] = None
    done_code: Code = ""
    done_address: Address = ""
    failed_code: Code = ""
    failed_address: Address = ""
    declined_code: Code = ""
    declined_address: Address = ""
    id_parameter: Annotated[str, Field(min_length=1, max_length=80), AfterValidator(_parameter)]

    def options(self) -> StudyOptions:
        """As the study keeps them."""
        return parse_options(
            {
                "practice": {
                    "pass_mark": self.practice_pass_mark / 100,
                    "tries": self.practice_tries,
                    "on_failing": self.practice_on_failing,
                },
                "checks": self.model_dump(include={"loud_every", "silent_every", "repeat_every", "most_failed"}),
                "limits": self.model_dump(include={"items", "minutes", "pause_after", "pause"}),
                "quotas": dict(map(_quota, filter(str.strip, self.quotas.splitlines()))),
                "retire_after": self.retire_after,
                "endings": {
                    name: {"code": getattr(self, f"{name}_code"), "address": getattr(self, f"{name}_address")}
                    for name in ("done", "failed", "declined")
                },
                "id_parameter": self.id_parameter,
            }
        )


def _quota(line: str) -> tuple[str, int]:
    name, _, number = line.rpartition(":")
    return name.strip(), int(number)


def options_values(options: StudyOptions) -> dict[str, Any]:
    """The form's values for these options."""
    practice, endings = options.practice, options.endings
    values: dict[str, Any] = {
        "practice_pass_mark": round(practice.pass_mark * 100),
        "practice_tries": practice.tries,
        "practice_on_failing": practice.on_failing,
        "quotas": "\n".join(f"{name}: {most}" for name, most in sorted(options.quotas.items())),
        "retire_after": options.retire_after,
        "id_parameter": options.id_parameter,
    }
    for name in ("done", "failed", "declined"):
        ending = getattr(endings, name)
        values |= {f"{name}_code": ending.code, f"{name}_address": ending.address}
    return values | options.checks.model_dump() | options.limits.model_dump()


class InvitationForm(FormModel):
    """A link and its limits, or so many links for one person each; an empty limit is none."""

    label: Annotated[str, Field(max_length=200)] = ""
    source: Literal["link", "id", "prolific", "mturk"] = "link"
    max_uses: Count = None
    count: Annotated[Annotated[int, Field(ge=1, le=1000)] | None, EmptyIsNone] = None
    opens_at: Moment = None
    expires_at: Moment = None
    answer: Literal["page", "csv"] = "page"

    def check(self) -> None:
        """Refuse limits that contradict each other."""
        if self.count and (self.max_uses or self.source != "link"):
            raise InvalidInput(
                gettext("Single-use links are for people without a platform, and each is for one person."),
                remedy=gettext("Leave “People at most” empty, and choose the plain link."),
            )


class FeedbackForm(FormModel):
    """The explanation of a practice item or check; right answers come beside it, one field a question."""

    feedback: Annotated[Prose, Field(max_length=5_000)] = ""


class CheckForm(FeedbackForm):
    """What a stored item is used as, too."""

    role: Literal["practice", "loud", "silent"]


class LinesForm(FormModel):
    """Pasted lines of JSON."""

    lines: Annotated[Prose, Field(min_length=1, max_length=1_000_000)]
