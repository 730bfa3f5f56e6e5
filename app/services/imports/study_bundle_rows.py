"""What a line of each file of an exported study holds, checked. A name that is not known is refused: it may be a
misspelled one, and a later format has another number.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AliasChoices, ConfigDict, Field

from app.services.imports.storable import BadValue, check_storable
from app.services.imports.study_bundle_about import At, Big, Name, Part, ShortName, Text

Count = Annotated[int, Field(ge=0, lt=2**31)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Identity = Annotated[str, Field(pattern=r"^[!-~]{1,64}$")]
Category = Annotated[Text, Field(max_length=80)]
FormKind = Literal["consent", "profile", "closing", "questionnaire"]
VariantKind = Literal["prompt", "code"]


def _storable(value: dict[str, Any] | None) -> dict[str, Any] | None:
    """Whatever the object holds, a database can hold it, too."""
    stack: list[Any] = [value]
    while stack:
        each = stack.pop()
        if isinstance(each, dict):
            stack += [*each, *each.values()]
        elif isinstance(each, list):
            stack += each
        elif isinstance(each, str):
            try:
                check_storable(each)
            except BadValue as error:
                raise ValueError(error.message) from error
    return value


Content = Annotated[dict[str, Any], AfterValidator(_storable)]


class Line(Part):
    """One object of a file."""

    model_config = ConfigDict(strict=True, extra="forbid")


class ProblemLine(Line):
    problem: Name
    intent: Text | None
    context: Text | None
    tests: Text | None
    references: list[Text]
    reference_items: list[Identity | None]
    image: str | None
    image_alt: Text | None = None
    entry_point: Annotated[Text, Field(max_length=200)] | None = None
    code_before: Text | None = None


class VariantLine(Line):
    problem: Name
    kind: VariantKind
    transformation: Category
    category: Annotated[Text, Field(max_length=40)]
    seed: Big
    original: Text | None
    text: Text


class ChangeScoreLine(Line):
    problem: Name
    kind: VariantKind
    transformation: Category
    seed: Big
    check: Annotated[Text, Field(max_length=40)]
    signature: Annotated[Text, Field(min_length=1, max_length=500)]
    score: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None


class ItemLine(Line):
    instrument: ShortName
    problem: Name
    item: Identity
    text: Text
    original: Text | None
    role: Literal["main", "practice", "loud", "silent", "repeat"]
    stratum: Category
    shuffle: Big
    gradable: bool
    is_reference: bool
    skips: Count
    retired_at: At | None
    variant: Annotated[tuple[VariantKind, Category, Big], Field(strict=False)] | None
    repeats: Identity | None
    expected: Content | None


class OutputLine(Line):
    problem: Name
    system: Name
    output: Text
    item: Identity
    intent: Text | None = None  # this and what follows repeats the problem, for whoever reads the file alone
    context: Text | None = None
    references: list[Text] = Field(default_factory=list)


class FormLine(Line):
    kind: FormKind
    number: Annotated[int, Field(ge=1, lt=2**31)]
    content: Content
    sha256: Hash
    created_at: At


class AnnotatorLine(Line):
    pseudonym: Name
    kind: Literal["person", "simulated", "imported"]
    source: Literal["link", "id", "prolific", "mturk"]
    order_seed: Big
    stage: Literal[
        "consent", "profile", "instructions", "practice", "grading", "closing", "done", "failed", "declined"
    ]
    stage_since: At | None
    practice_tries: Count
    created_at: At
    stopped_at: At | None
    excluded_at: At | None
    excluded_reason: Text | None
    name: Annotated[Text, Field(max_length=200)] | None = None
    external_id: Annotated[Text, Field(max_length=200)] | None = None
    crowd: Content | None = None


class ResponseLine(Line):
    worker: Name
    kind: FormKind
    number: int
    answers: Content
    created_at: At


class _OfItem(Line):
    worker: Name
    instrument: ShortName
    problem: Name
    item: Identity


class AssignmentLine(_OfItem):
    position: Count
    slot: Count | None
    state: Literal["claimed", "graded", "skipped", "lapsed"]
    surplus: bool
    swapped: bool
    skip_reason: Text | None
    flag_note: Text | None
    claimed_at: At
    lease_until: At
    finished_at: At | None


class GradeLine(_OfItem):
    """The columns of the long table. What other files say as well is read for its type only."""

    question: ShortName
    label: Number | None
    text: Text | None
    questionnaire: int | None
    surplus: bool
    submitted_at: At = Field(validation_alias=AliasChoices("submitted_at", "created_at"))  # as it was called at first
    updated_at: At
    # Told by other files, too:
    task: Text = ""
    kind: str | None = None
    role: str | None = None
    system: Name | None = None
    systems: Text = ""
    is_reference: bool = False
    stratum: Text = ""
    transformation: Text | None = None
    variant_seed: Big | None = None
    repeats: Text | None = None
    started_at: At | None = None
    position: Count | None = None
    swapped: bool = False
    excluded: bool = False
    skipped: bool = False
    reason: Text | None = None
    active_ms: int | None = None
    first_key_ms: int | None = None
    changes: int | None = None
    seed: Big | None = None


class EventLine(_OfItem):
    question: ShortName | None
    kind: Literal["grade", "change", "withdraw", "skip", "flag", "import"]
    value: Number | None
    previous: Number | None
    text: Text | None
    previous_text: Text | None
    questionnaire: int | None
    surplus: bool
    submission: Annotated[str, Field(pattern=r"^[0-9A-Za-z:-]{1,64}$")] | None
    part: Count
    details: Content | None
    created_at: At


class ScoreLine(Line):
    problem: Name
    system: Name
    metric: ShortName
    score: Annotated[float, Field(ge=0, le=1)]
