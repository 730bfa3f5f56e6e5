"""What an upload holds and what importing it would do, before anything is stored."""

import re
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from sqlalchemy.orm import Session

from app.config import Settings
from app.errors import AppError, Problem
from app.services.code_languages import DEFAULT, language_title
from app.services.imports.batches import is_folder, read_batch, table_name
from app.services.imports.comparing import Comparison, compare
from app.services.imports.formats import SYSTEM_COLUMN, fields_of, guess_kind
from app.services.imports.label_studio import is_task, unfolded
from app.services.imports.material import Batch
from app.services.imports.problems import BadFile, ProblemList
from app.services.imports.reading import Row, read_rows
from app.services.imports.request import WHOLE_STUDIES, ImportRequest, Kind, Layout
from app.services.imports.sources import Bundle
from app.services.imports.storing import own_scores_note
from app.services.imports.study_bundle import is_study_bundle
from app.services.imports.study_bundle_about import read_about
from app.services.imports.tables import SAMPLE, Table
from app.services.imports.uploads import open_upload
from app.storage.models import Artifact
from app.words import gettext, human_number, ngettext

# A page should come at once; the run checks every row of a larger file before it stores any.
MAX_ROWS = 20_000
SHOWN_ROWS = 5
MAX_SHOWN = 600  # characters of a cell


@dataclass
class Preview:
    """The first rows, the mapping of columns, what is wrong, and what would be added."""

    kind: Kind
    layout: Layout | None = None
    columns: list[str] = field(default_factory=list)
    mapping: dict[str, str] = field(default_factory=dict)  # column -> field
    rows: list[Row] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    known: int = 0  # what is stored already
    checked: int = 0  # rows
    is_complete: bool = True
    notes: list[str] = field(default_factory=list)
    error: AppError | None = None
    problems: list[Problem] = field(default_factory=list)
    problem_count: int = 0
    language: str | None = None  # of the code, as the file says
    is_mapped: bool = False  # a person said which column holds what

    @property
    def is_unrecognised(self) -> bool:
        """Whether no column has a name that is known, and nobody said what they hold."""
        return not self.is_mapped and bool(self.mapping) and set(self.mapping.values()) == {SYSTEM_COLUMN}

    @property
    def language_in_words(self) -> str:
        """The language that the code of a new study would be in."""
        return language_title(self.language or DEFAULT)

    @property
    def takes_good_rows(self) -> bool:
        """Whether rows without errors can be imported alone: a whole study is taken whole, or not at all."""
        return self.kind not in WHOLE_STUDIES

    @property
    def new(self) -> int:
        """How much would be added."""
        return sum(self.counts.values())

    def obstacle(self, *, good_rows_only: bool) -> str | None:
        """Why the import can't start; None when it can."""
        if self.error or (self.problem_count and not good_rows_only):
            return gettext("The errors above stand in the way.")
        if self.is_unrecognised:
            return gettext("First say what each column holds, then check again.")
        if not self.new and self.is_complete:
            return gettext("There is nothing new to store.")
        return None

    @property
    def fields(self) -> tuple[str, ...]:
        """What a column may hold."""
        return fields_of(self.kind, self.layout) if self.kind not in WHOLE_STUDIES else ()


def guess_request(settings: Settings, artifact: Artifact, **known: Any) -> ImportRequest:
    """The request that the upload itself suggests."""
    kind: Kind = "outputs"
    layout: Layout | None = None
    try:
        with open_upload(settings, artifact) as bundle:
            if is_study_bundle(bundle):
                kind = "bundle"
                known = _named_as_exported(bundle, known)
            elif is_folder(bundle):
                kind = "codegen-metrics"
            else:
                kind, layout = _guess(_first_rows(bundle))
    except AppError:
        pass  # the preview says what is wrong
    return ImportRequest(sha256=artifact.sha256, file_name=artifact.file_name, kind=kind, layout=layout, **known)


def preview(
    session: Session,
    settings: Settings,
    artifact: Artifact,
    request: ImportRequest,
    *,
    max_rows: int | None = MAX_ROWS,
) -> Preview:
    """Read the upload as the request says, and compare it with the study that it names."""
    shown = Preview(request.kind, request.layout, is_mapped=bool(request.mapping))
    problems = ProblemList()
    try:
        with open_upload(settings, artifact) as bundle:
            if request.kind not in WHOLE_STUDIES:
                with suppress(BadFile):  # reading all of it tells why, and what else is wrong
                    _show_table(bundle, request, shown)
            batch = read_batch(bundle, request, problems, max_rows=max_rows)
        shown.is_complete = not batch.is_sample if request.kind in WHOLE_STUDIES else batch.rows != max_rows
        _count(shown, batch, compare(session, request, batch, problems))
    except AppError as error:
        shown.error = error
        _add_its_own(error, problems)
    shown.problems, shown.problem_count = problems.listed, problems.count
    return shown


def _add_its_own(error: AppError, problems: ProblemList) -> None:
    """What the error itself lists, such as the damaged files of a bundle; a bad file's are on the list already."""
    for each in [] if isinstance(error, BadFile) else getattr(error, "problems", []):
        problems.add(each.message, row=each.row, column=each.column, remedy=each.remedy, file=each.file)


def _named_as_exported(bundle: Bundle, known: dict[str, Any]) -> dict[str, Any]:
    """A new study keeps the title that it was exported with, unless another one is given."""
    return known if known.get("study") or known.get("title") else known | {"title": read_about(bundle).title}


def _first_rows(bundle: Bundle) -> list[Row]:
    with bundle.open(table_name(bundle)) as stream:
        return list(islice(read_rows(stream, ProblemList()), SAMPLE))


def _guess(rows: list[Row]) -> tuple[Kind, Layout | None]:
    return ("grades", None) if rows and is_task(rows[0].values) else guess_kind(_columns(rows))


def _columns(rows: list[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row.values))


def _show_table(bundle: Bundle, request: ImportRequest, shown: Preview) -> None:
    rows = list(unfolded(_first_rows(bundle), request.kind, ProblemList()))[:SAMPLE]
    shown.rows, shown.columns = rows[:SHOWN_ROWS], _columns(rows)
    if not rows:
        return  # reading it as a whole tells why
    table = Table(rows, request, ProblemList())
    shown.layout = table.format.layout
    shown.mapping = {column: table.format.field_of(column) for column in shown.columns}


def _count(shown: Preview, batch: Batch, found: Comparison) -> None:
    shown.language = batch.language
    shown.checked, shown.notes = batch.rows, batch.notes + own_scores_note(batch)
    if batch.exported:
        shown.counts = batch.exported.counts
        return
    material, grades, scores = found.material, found.grades, found.scores
    shown.counts = {
        "problems": len(material.problems),
        "systems": len(material.systems),
        "outputs": len(material.outputs),
        "grades": len(grades.grades) if grades else len(batch.grades),
        "scores": scores.count if scores else len(batch.scores),
        "variants": len(found.variants.variants) if found.variants else 0,
    }
    plans = (grades, scores, found.variants)
    shown.known = material.known_outputs + sum(plan.known for plan in plans if plan)


# Characters that can't be seen, or that turn the direction of others (CVE-2021-42574).
HIDDEN = r"[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
UNSEEN = re.compile(rf"\t|\r\n|\r|\n| +(?=[\r\n]|$)|(?m:^) +|  +|{HIDDEN}")
MARKS = {"\t": "→\t", "\r\n": "\\r↵\n", "\r": "\\r", "\n": "↵\n"}


def _mark(found: str) -> str:
    if found in MARKS:
        return MARKS[found]
    return "·" * len(found) if found[0] == " " else f"[U+{ord(found):04X}]"


def visible(value: Any) -> list[tuple[str, bool]]:
    """A value as pieces of text, each with whether it is a mark for what can't be seen."""
    text = value if isinstance(value, str) else "" if value is None else str(value)
    cut = text[:MAX_SHOWN]
    pieces: list[tuple[str, bool]] = []
    position = 0
    for match in UNSEEN.finditer(cut):
        if match.start() > position:
            pieces.append((cut[position : match.start()], False))
        pieces.append((_mark(match[0]), True))
        position = match.end()
    pieces.append((cut[position:], False))
    if len(text) > len(cut):
        pieces.append((_more(len(text) - len(cut)), True))
    return [piece for piece in pieces if piece[0]]


def _more(characters: int) -> str:
    text = ngettext(
        "… %(count)s more character", "… %(count)s more characters", characters, count=human_number(characters)
    )
    return f" {text}"
