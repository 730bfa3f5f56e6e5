"""An upload to a batch: the one place that knows which reader reads which kind of file."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath

from app.config import Settings
from app.errors import InvalidInput
from app.services.imports.cells import Cells
from app.services.imports.codegen_metrics import StudyReader
from app.services.imports.grades import read_grades
from app.services.imports.images import NOT_TAKEN, SUFFIXES
from app.services.imports.label_studio import unfolded
from app.services.imports.material import Batch
from app.services.imports.outputs import read_long, read_wide
from app.services.imports.problems import ProblemList
from app.services.imports.published_scores import read_published_scores
from app.services.imports.reading import read_rows
from app.services.imports.request import ImportRequest
from app.services.imports.scores import read_scores
from app.services.imports.sources import Bundle
from app.services.imports.study_bundle import read_study_bundle
from app.services.imports.study_folder import StudyFolder, find_files
from app.services.imports.tables import Table
from app.services.imports.variants import read_variants
from app.words import gettext

Tick = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Pace:
    """Who is told of each row, and after how many rows to stop."""

    tick: Tick
    max_rows: int | None

    def rows(self, table: Table) -> Iterator[Cells]:
        """The table's rows at this pace."""
        for number, cells in enumerate(islice(table, self.max_rows), start=1):
            self.tick(number)
            yield cells


def upload_limit(settings: Settings) -> int:
    """The most bytes that one upload may have."""
    return settings.max_upload_mb << 20


def read_batch(
    bundle: Bundle,
    request: ImportRequest,
    problems: ProblemList,
    *,
    tick: Tick = lambda _: None,
    max_rows: int | None = None,
) -> Batch:
    """Everything that the upload holds (of a table: the first rows); what is wrong with it goes to the list."""
    if bundle.is_plain_gz:
        problems.hint = gettext("The file's name ends in .gz, but it isn't gzip: it was read as plain text.")
    batch = Batch(
        notes=[problems.hint] if problems.hint else [],
        image_bytes=lambda name: bundle.read(name) if name in bundle.names else None,
    )
    if request.kind == "bundle":
        read_study_bundle(bundle, problems, batch, tick, max_rows)
    elif request.kind == "codegen-metrics":
        reader = _study_reader(bundle, request, problems, batch, tick)
        reader.read_material()
        reader.read_grades()
        if reader.folder.scores and request.published_metrics:
            read_published_scores(reader, reader.folder.scores, request.published_metrics)
    else:
        _read_table(bundle, request, problems, batch, Pace(tick, max_rows))
    _check_images(batch, bundle, problems)
    return batch


def _study_reader(
    bundle: Bundle, request: ImportRequest, problems: ProblemList, batch: Batch, tick: Tick
) -> StudyReader:
    folder = find_files(bundle.names, request.name, problems)
    if request.merged_grades:
        if folder.merged_grades is None:
            problems.stop(gettext("The folder has no file of merged grades (NAME-human-grades.json)."))
        folder = StudyFolder(folder.merged_grades, scores=folder.scores, images=folder.images)
    return StudyReader(bundle, folder, batch, problems, tick)


def _read_table(bundle: Bundle, request: ImportRequest, problems: ProblemList, batch: Batch, pace: Pace) -> None:
    with bundle.open(table_name(bundle)) as stream:
        table = Table(unfolded(read_rows(stream, problems), request.kind, problems), request, problems)
        rows = pace.rows(table)
        if request.kind == "grades":
            read_grades(rows, batch)
        elif request.kind == "scores":
            read_scores(rows, request.scale, batch)
        elif request.kind == "variants":
            read_variants(rows, batch)
        elif table.format.layout == "long":
            read_long(rows, batch)
        else:
            read_wide(rows, batch)
        batch.columns = table.format.columns


def is_folder(bundle: Bundle) -> bool:
    """Whether the upload is a published study folder and no single table."""
    return len(_tables(bundle)) > 1


def _tables(bundle: Bundle) -> list[str]:
    return [name for name in bundle.names if _suffix(name) not in (*SUFFIXES, *NOT_TAKEN)]


def _suffix(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


def _refuse_other_pictures(bundle: Bundle) -> None:
    """Said before a picture could be taken for a second table, or be missed where a row names it."""
    if found := next((name for name in bundle.names if _suffix(name) in NOT_TAKEN), None):
        raise InvalidInput(
            gettext("%(name)s: pictures are taken as PNG, JPEG or WebP only. Nothing was stored.", name=found),
            remedy=gettext("Save it as PNG, name that file in the table, and upload both; or leave it out."),
        )


def table_name(bundle: Bundle) -> str:
    """The one file of an upload that is a table; the others are images."""
    _refuse_other_pictures(bundle)
    tables = _tables(bundle)
    if len(tables) != 1:
        raise InvalidInput(
            gettext("Expected one table (with its images, if any), found %(tables)s files.", tables=len(tables)),
            remedy=gettext("Upload one table at a time, or choose the published study folder."),
        )
    return tables[0]


def _check_images(batch: Batch, bundle: Bundle, problems: ProblemList) -> None:
    names = set(bundle.names)
    for problem in batch.problems.values():
        if problem.image and problem.image not in names:
            remedy = gettext("Upload the table and its images together, as a folder or a zip file.")
            message, column = (
                gettext("There is no image %(image)s in the upload.", image=repr(problem.image)),
                batch.column("image"),
            )
            problems.add(message, row=problem.row, column=column, remedy=remedy)
