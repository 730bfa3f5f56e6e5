"""The run that writes an export: into a temporary file, a piece at a time, then kept under its hash."""

import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO, TypeVar

from sqlalchemy.orm import Session

from app.services.exports.archives import Tick, write_archive
from app.services.exports.bundle import write_bundle
from app.services.exports.bundles import KIND, PRIVATE_KIND
from app.services.exports.chart_tables import table_members
from app.services.exports.counts import rows_of
from app.services.exports.formats import Row, csv_lines, jsonl_lines, write_parquet
from app.services.exports.grade_table import GRADE_COLUMNS, grade_rows, skip_rows
from app.services.exports.label_studio import label_studio_lines
from app.services.exports.readme import Private
from app.services.exports.requests import ExportRequest, Form
from app.services.exports.template import write_template
from app.services.exports.wide import wide_lines, wide_question
from app.services.exports.wmt import WMT_COLUMNS, wmt_rows
from app.services.runs import RunContext, Store, handler
from app.storage.files import Files, add_artifact, chunks_of, files_of
from app.storage.models import Study
from app.words import N_, gettext, human_number

MESSAGE, UNIT = N_("Writing the file"), N_("rows")
Each = TypeVar("Each")


@dataclass(frozen=True, slots=True)
class FileType:
    """How the file is called behind the study's name, and what it is."""

    ending: str
    media_type: str


ZIP, JSON = "application/zip", "application/json"
TYPES = {
    Form.BUNDLE: FileType(".zip", ZIP),
    Form.TEMPLATE: FileType("-template.zip", ZIP),
    Form.CSV: FileType("-grades.csv", "text/csv"),
    Form.JSONL: FileType("-grades.jsonl", "application/jsonl"),
    Form.PARQUET: FileType("-grades.parquet", "application/vnd.apache.parquet"),
    Form.WIDE: FileType("-wide.json", JSON),
    Form.LABEL_STUDIO: FileType("-label-studio.json", JSON),
    Form.WMT: FileType("-wmt.csv", "text/csv"),
    Form.TABLES: FileType("-tables.zip", ZIP),
}


@handler("export")
def export_study(context: RunContext) -> Store:
    """Write the file that the payload asks for, and name it in the result."""
    request = ExportRequest.model_validate(context.payload)
    files = files_of(context.settings)
    with tempfile.TemporaryFile() as file:
        with context.database.read() as session:
            study = session.get_one(Study, context.study_id)
            total = rows_of(session, study, request)
            tick = _tick(context, total)
            tick(0)
            _Writing(session, study, files, request, tick).write(file)
        file.seek(0)
        stored = files.save(chunks_of(file))
    kind = TYPES[request.form]

    def store(session: Session) -> dict[str, Any]:
        artifact = add_artifact(
            session,
            stored,
            kind=PRIVATE_KIND if request.is_private else KIND,
            file_name=f"{study.slug}{kind.ending}",
            media_type=kind.media_type,
            study_id=study.id,
        )
        links = [
            {
                "href": f"/artifacts/{artifact.public_id}",
                "label": gettext("Download %(name)s", name=artifact.file_name),
            }
        ]
        size = human_number(stored.size / 2**20, 1)
        message = gettext("%(name)s is ready (%(size)s MB).", name=artifact.file_name, size=size)
        return {"artifact": artifact.public_id, "message": message, "links": links}

    return store


def _tick(context: RunContext, total: int) -> Tick:
    def tick(done: int) -> None:
        context.progress(min(done, total), total, unit=UNIT, message=MESSAGE)

    return tick


@dataclass(frozen=True, slots=True)
class _Writing:
    """One export on its way into a file."""

    session: Session
    study: Study
    files: Files
    request: ExportRequest
    tick: Tick

    def write(self, file: BinaryIO) -> None:
        writers: dict[Form, Callable[[BinaryIO], object]] = {
            Form.BUNDLE: self._bundle,
            Form.TEMPLATE: self._template,
            Form.CSV: lambda file: file.writelines(csv_lines(tuple(GRADE_COLUMNS), self._long_table())),
            Form.JSONL: lambda file: file.writelines(jsonl_lines(self._long_table())),
            Form.PARQUET: lambda file: write_parquet(file, GRADE_COLUMNS, self._long_table()),
            Form.WIDE: lambda file: file.writelines(self._counted(self._wide())),
            Form.LABEL_STUDIO: lambda file: file.writelines(
                self._counted(label_studio_lines(self.session, self.study))
            ),
            Form.WMT: lambda file: file.writelines(csv_lines(WMT_COLUMNS, self._counted(self._wmt()))),
            Form.TABLES: lambda file: write_archive(file, list(table_members(self.session, self.study)), self.tick),
        }
        writers[self.request.form](file)

    def _bundle(self, file: BinaryIO) -> None:
        private = Private(self.request.platform_ids, self.request.answers_about_people)
        write_bundle(self.session, self.study, self.files, file, private=private, tick=self.tick)

    def _template(self, file: BinaryIO) -> None:
        material = self.request.material
        write_template(self.session, self.study, self.files, file, with_material=material, tick=self.tick)

    def _long_table(self) -> Iterator[Row]:
        skips = skip_rows(self.session, self.study) if self.request.skips else ()
        return self._counted(chain(grade_rows(self.session, self.study), skips))

    def _wide(self) -> Iterator[bytes]:
        question = wide_question(self.session, self.study, self.request.question)
        return wide_lines(self.session, self.study, question)

    def _wmt(self) -> Iterator[Row]:
        return wmt_rows(self.session, self.study, wide_question(self.session, self.study, self.request.question))

    def _counted(self, rows: Iterable[Each]) -> Iterator[Each]:
        for number, row in enumerate(rows):
            self.tick(number)
            yield row
