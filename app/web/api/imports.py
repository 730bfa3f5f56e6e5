"""Bulk uploads: outputs, grades, scores and changed prompts into a study, and whole studies. Each becomes a run."""

import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Any, BinaryIO, Literal

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from pydantic import Field
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from app.errors import InvalidInput, Problem
from app.services.imports.preview import Preview, preview
from app.services.imports.request import ImportRequest
from app.services.imports.uploads import KeptUpload, UploadedFile, keep, record, start_import
from app.services.studies import find_study
from app.storage.models import Artifact
from app.web.access import CurrentPrincipal
from app.web.api.once import BODY_HASH, once
from app.web.api.permissions import CHANGE, WRITE_GRADES
from app.web.api.runs import RunShown, shown_run
from app.web.api.shapes import Outgoing
from app.web.body_limit import allow_more
from app.web.database import ReadSession, WriteSession
from app.web.limits import LIMITED_UPLOADS
from app.words import gettext

router = APIRouter(tags=["imports"])

# What is sent, and how such a file is called.
ENDINGS = {
    "application/x-ndjson": "jsonl",
    "application/jsonl": "jsonl",
    "application/json": "json",
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
    "application/zip": "zip",
}
BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "Rows as NDJSON, a JSON array, CSV or TSV; a zip holds a table with its images.",
        "content": {kind: {"schema": {"type": "string", "format": "binary"}} for kind in ENDINGS},
    }
}
Kind = Literal["outputs", "scores", "variants"]
NewKind = Literal["outputs", "variants", "codegen-metrics", "bundle"]


class ProblemFound(Outgoing):
    """Something wrong with a row; rows count from 1."""

    message: str
    row: int | None
    column: str | None
    remedy: str | None
    file: str | None


class ImportCheckShown(Outgoing):
    """What an import would do. Of a large file the first rows are checked here, all of them by the import."""

    rows: int = Field(description="How many were checked.")
    is_complete: bool
    new: dict[str, int]
    known: int
    problems: list[ProblemFound]
    problem_count: int
    error: str | None
    notes: list[str]


async def _received(request: Request) -> AsyncIterator[BinaryIO]:
    """What is sent, on disk where it is large; its hash goes to whoever asks whether it is sent again."""
    allow_more(request, request.app.state.settings.max_upload_mb << 20)
    digest = sha256()
    with tempfile.TemporaryFile() as file:
        async for chunk in request.stream():
            digest.update(chunk)
            await run_in_threadpool(file.write, chunk)
        setattr(request.state, BODY_HASH, digest.hexdigest())
        file.seek(0)
        yield file


def _kept(request: Request, file: Annotated[BinaryIO, Depends(_received)]) -> KeptUpload:
    """The upload on disk before any transaction begins."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ENDINGS:
        raise HTTPException(415, f"Send the rows as one of: {', '.join(ENDINGS)}.")
    return keep(request.app.state.settings, [UploadedFile(f"upload.{ENDINGS[kind]}", file)])


Kept = Annotated[KeptUpload, Depends(_kept)]


@dataclass(frozen=True)
class Reading:
    """How a table is read; whatever is not said is guessed from it."""

    layout: Annotated[Literal["long", "wide"] | None, Query()] = None
    scale: Annotated[Literal["0-1", "0-100"], Query(description="Of scores.")] = "0-1"
    good_rows_only: Annotated[bool, Query(description="Leave out rows with errors instead of all.")] = False
    column: Annotated[
        list[str] | None, Query(max_length=200, description="column=field, where the guess is not right.")
    ] = None

    def values(self) -> dict[str, Any]:
        """As imports are asked for."""
        pairs = [each.rpartition("=") for each in self.column or []]
        if wrong := [found for name, _, found in pairs if not name]:
            words = gettext("Say column=field, not %(said)s.", said=repr(wrong[0]))
            raise InvalidInput(gettext("The columns can't be understood."), [Problem(words, field="column")])
        chosen = {"layout": self.layout, "scale": self.scale, "good_rows_only": self.good_rows_only}
        return chosen | {"mapping": {name: field for name, _, field in pairs}}


@dataclass(frozen=True)
class Making:
    """What the new study is like; whatever is not said is as in the file, or as usual."""

    title: Annotated[str | None, Query(max_length=200, description="A bundle brings its own.")] = None
    seed: Annotated[int | None, Query(ge=0, lt=2**63)] = None
    language: Annotated[str | None, Query(max_length=40)] = None
    merge_identical: bool | None = None
    include_references: bool | None = None
    name: Annotated[str | None, Query(max_length=200, description="Of a published folder's study.")] = None
    merged_grades: bool = False


AskedReading = Annotated[Reading, Depends()]
AskedMaking = Annotated[Making, Depends()]


@router.post(
    "/studies/{slug}/imports/grades",
    dependencies=[WRITE_GRADES, LIMITED_UPLOADS],
    status_code=202,
    openapi_extra=BODY,
)
@once
def import_grades(
    slug: str, reading: AskedReading, kept: Kept, session: WriteSession, *, principal: CurrentPrincipal
) -> RunShown:
    """Add grades that were given elsewhere. The run's message lists each row and column that stands in the way."""
    return _start(session, kept, reading, principal.user_id, slug=slug, kind="grades")


@router.post(
    "/studies/{slug}/imports/{kind}", dependencies=[CHANGE, LIMITED_UPLOADS], status_code=202, openapi_extra=BODY
)
@once
def import_rows(
    slug: str, kind: Kind, reading: AskedReading, kept: Kept, session: WriteSession, *, principal: CurrentPrincipal
) -> RunShown:
    """Add outputs with their problems, scores, or changed prompts. What is there already stays and is counted."""
    return _start(session, kept, reading, principal.user_id, slug=slug, kind=kind)


@router.post("/studies/{slug}/imports/grades/check", dependencies=[WRITE_GRADES, LIMITED_UPLOADS], openapi_extra=BODY)
def check_grades(
    request: Request, slug: str, reading: AskedReading, kept: Kept, session: ReadSession
) -> ImportCheckShown:
    """What importing these grades would do; nothing is stored."""
    return _check(request, session, kept, reading, slug=slug, kind="grades")


@router.post("/studies/{slug}/imports/{kind}/check", dependencies=[CHANGE, LIMITED_UPLOADS], openapi_extra=BODY)
def check_rows(
    request: Request, slug: str, kind: Kind, reading: AskedReading, kept: Kept, *, session: ReadSession
) -> ImportCheckShown:
    """What importing these rows would do; nothing is stored."""
    return _check(request, session, kept, reading, slug=slug, kind=kind)


@router.post("/imports/{kind}", dependencies=[CHANGE, LIMITED_UPLOADS], status_code=202, openapi_extra=BODY)
@once
def import_study(
    kind: NewKind, making: AskedMaking, kept: Kept, session: WriteSession, *, principal: CurrentPrincipal
) -> RunShown:
    """Make a study of a file: outputs, changed prompts, a published folder as zip, or an exported bundle."""
    artifact = record(session, kept, None)
    wanted = ImportRequest(sha256=artifact.sha256, file_name=artifact.file_name, kind=kind, **vars(making))
    return shown_run(session, start_import(session, wanted, user_id=principal.user_id, study=None))


def _start(
    session: Session, kept: KeptUpload, reading: Reading, user_id: int | None, *, slug: str, kind: Any
) -> RunShown:
    study = find_study(session, slug)
    artifact = record(session, kept, study)
    wanted = ImportRequest(
        sha256=artifact.sha256, file_name=artifact.file_name, kind=kind, study=study.slug, **reading.values()
    )
    return shown_run(session, start_import(session, wanted, user_id=user_id, study=study))


def _check(
    request: Request, session: Session, kept: KeptUpload, reading: Reading, *, slug: str, kind: Any
) -> ImportCheckShown:
    study = find_study(session, slug)
    upload = Artifact(sha256=kept.stored.sha256, file_name=kept.name)  # never added: the file goes with other orphans
    wanted = ImportRequest(
        sha256=upload.sha256, file_name=upload.file_name, kind=kind, study=study.slug, **reading.values()
    )
    return _shown(preview(session, request.app.state.settings, upload, wanted))


def _shown(found: Preview) -> ImportCheckShown:
    return ImportCheckShown(
        rows=found.checked,
        is_complete=found.is_complete,
        new=found.counts,
        known=found.known,
        problems=[
            ProblemFound(message=each.message, row=each.row, column=each.column, remedy=each.remedy, file=each.file)
            for each in found.problems
        ],
        problem_count=found.problem_count,
        error=found.error.in_words() if found.error else None,
        notes=found.notes,
    )
