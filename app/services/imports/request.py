"""What was asked for: which upload, read how, into which study. Kept as the payload of the run."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Kind = Literal["outputs", "grades", "scores", "variants", "codegen-metrics", "bundle"]
Layout = Literal["long", "wide"]
Scale = Literal["0-1", "0-100"]
KINDS: tuple[Kind, ...] = ("outputs", "grades", "scores", "variants", "codegen-metrics", "bundle")
WHOLE_STUDIES: tuple[Kind, ...] = ("codegen-metrics", "bundle")  # not one table, but files that belong together


class ImportRequest(BaseModel):
    """One import. Either ``study`` (the slug of one that exists) or ``title`` (of a new one) is given."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: str
    file_name: str
    kind: Kind
    layout: Layout | None = None
    mapping: dict[str, str] = Field(default_factory=dict)  # column -> field, where the guess is not right
    scale: Scale = "0-1"  # of imported scores
    good_rows_only: bool = False
    published_metrics: tuple[str, ...] = ("ruby",)  # which of a published folder's scores to take; "all"
    name: str | None = None  # of the study inside a published folder that holds several
    merged_grades: bool = False  # a published folder's merged grades instead of the graders' own files
    study: str | None = None
    title: str | None = None  # a bundle brings its own
    seed: int | None = Field(None, ge=0, lt=2**63)
    language: str | None = None  # of a new study's code; None: what the file says
    merge_identical: bool | None = None  # of a new study; None: what suits the file
    include_references: bool | None = None
