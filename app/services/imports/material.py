"""What a file holds, read and checked, before anything is stored."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.services.imports.study_bundle_about import StudyAbout
    from app.services.imports.study_bundle_reader import ExportedStudy

# How a grade names a reference instead of a system: "reference", "reference 2", …
REFERENCE = "reference"


@dataclass(slots=True)
class ProblemRow:
    """A problem as a file gives it; None where the file says nothing."""

    key: str
    row: int
    intent: str | None = None
    context: str | None = None
    tests: str | None = None
    references: tuple[str, ...] = ()
    image: str | None = None  # the name of a file of the same upload
    image_alt: str | None = None  # the picture in words


@dataclass(slots=True)
class OutputRow:
    """One system's text for one problem."""

    text: str
    row: int


@dataclass(slots=True)
class GradeRow:
    """One answer. The item is named by problem and system, or by a task made of both."""

    annotator: str
    label: object
    row: int
    problem: str | None = None
    system: str | None = None
    task: str | None = None
    text: str | None = None  # a comment, or the chosen labels as a JSON list
    identity: str | None = None  # an export's own name of the item, within instrument and problem
    instrument: str | None = None
    question: str | None = None
    at: datetime | None = None
    updated_at: datetime | None = None  # where it was changed after it was given
    surplus: bool = False
    swapped: bool = False
    merged_from: tuple[int, ...] = ()
    file: str | None = None
    column: str | None = None  # of a study folder's grade; a table's columns are the batch's


@dataclass(slots=True)
class ScoreRow:
    """One output's score in [0, 1]."""

    problem: str
    system: str
    metric: str
    score: float
    row: int
    file: str | None = None
    column: str | None = None  # as in a grade


@dataclass(slots=True)
class VariantRow:
    """A text made from a problem's own by a transformation."""

    problem: str
    transformation: str
    seed: int
    text: str
    row: int
    category: str = ""

    @property
    def key(self) -> tuple[str, str, int]:
        """What there is one of."""
        return self.problem, self.transformation, self.seed


@dataclass
class Batch:
    """All of one import, in the order of the file."""

    problems: dict[str, ProblemRow] = field(default_factory=dict)
    systems: dict[str, None] = field(default_factory=dict)  # a set that keeps its order
    outputs: dict[tuple[str, str], OutputRow] = field(default_factory=dict)  # by problem and system
    grades: list[GradeRow] = field(default_factory=list)
    scores: list[ScoreRow] = field(default_factory=list)
    variants: dict[tuple[str, str, int], VariantRow] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)  # of metrics, as tables print them
    notes: list[str] = field(default_factory=list)  # what a reader should know of how it was read
    columns: Mapping[str, list[str]] = field(default_factory=dict)  # field -> columns, as the file calls them
    file: str | None = None  # of the material, where the upload has several
    image_bytes: Callable[[str], bytes | None] = lambda _: None
    language: str | None = None  # of the code, where the file says it
    rows: int = 0
    signatures: dict[str, str] = field(default_factory=dict)  # of imported metrics, where an export says them
    kinds: dict[str, str] = field(default_factory=dict)  # of annotators, by pseudonym, in their order
    excluded: set[str] = field(default_factory=set)  # annotators whose grades count in no result
    about: "StudyAbout | None" = None  # the settings of an exported study
    exported: "ExportedStudy | None" = None  # all else of it but imported scores; it is read again when it is stored
    is_sample: bool = False  # only counted: too much for a preview
    own_scores: int = 0  # rows left out: scores that are computed here
    graded_separately: bool = False  # people graded identical outputs one by one

    @property
    def images(self) -> set[str]:
        """The names of the images that problems have."""
        found = {problem.image for problem in self.problems.values() if problem.image}
        return found | (self.exported.images if self.exported else set())

    def column(self, name: str, number: int = 0) -> str:
        """The file's column of a field (of several: that one); the field's own name where none is known."""
        columns = self.columns.get(name)
        return columns[min(number, len(columns) - 1)] if columns else name

    def output_column(self, system: str) -> str:
        """Where an output stands: in the one column of a long table, in its system's column of a wide one."""
        return self.column("output") if "output" in self.columns else system
