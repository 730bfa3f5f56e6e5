"""Import pages: upload, look at what was understood, confirm. The run's page shows how it goes on."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from pydantic import ValidationError
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.errors import AppError, Conflict, InvalidInput, Problem
from app.services.imports.preview import Preview, guess_request, preview, visible
from app.services.imports.request import KINDS, ImportRequest
from app.services.imports.uploads import UploadedFile, check_title, find_upload, keep, record, start_import
from app.services.studies import find_study, slugify
from app.storage.models import Artifact, Study
from app.web.access import ADMIN, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.htmx import redirect
from app.web.limits import LIMITED_UPLOADS
from app.web.templating import render
from app.web.uploads import UploadForm, files_of
from app.words import N_, gettext

router = APIRouter()

PUBLISHED: dict[str, tuple[str, ...]] = {"all": ("all",), "none": ()}

FIELD_LABELS = {
    "ignore": N_("— not used —"),
    "problem": N_("Problem id"),
    "intent": N_("Intent"),
    "reference": N_("Reference"),
    "context": N_("Context"),
    "tests": N_("Tests"),
    "image": N_("Image file"),
    "image_alt": N_("The image in words"),
    "system": N_("System"),
    "output": N_("Output"),
    "system-outputs": N_("Outputs of this system"),
    "task": N_("Task (problem|system)"),
    "annotator": N_("Worker"),
    "label": N_("Grade"),
    "text": N_("Comment or labels"),
    "question": N_("Question"),
    "instrument": N_("Instrument"),
    "identity": N_("Item, as exported"),
    "time": N_("Time"),
    "updated": N_("Time of the last change"),
    "surplus": N_("Surplus (true or false)"),
    "swapped": N_("Swapped (true or false)"),
    "excluded": N_("Excluded (true or false)"),
    "skipped": N_("Skipped (true or false)"),
    "role": N_("Role of the item (main, repeat, …)"),
    "metric": N_("Metric"),
    "score": N_("Score"),
    "metric_label": N_("The metric’s label"),
    "signature": N_("The metric’s signature"),
    "imported": N_("Imported (true or false)"),
    "changed": N_("Changed prompt"),
    "transformation": N_("Transformation"),
    "category": N_("Kind of transformation"),
    "seed": N_("Seed"),
    "language": N_("Language of the code"),
}


@router.get("/import", dependencies=[ADMIN])
def new_study_upload(request: Request) -> Response:
    """Upload what becomes a new study."""
    return render(request, "imports/new_upload.html", study=None, base="/import")


@router.post("/import", dependencies=[ADMIN, LIMITED_UPLOADS])
def receive_for_new_study(request: Request, form: UploadForm, session: WriteSession) -> Response:
    """Keep the upload and go on to its preview."""
    return _receive(request, form, session, None)


@router.get("/import/{upload}", dependencies=[ADMIN])
def new_study_preview(request: Request, upload: str, session: ReadSession) -> Response:
    """What the upload holds."""
    return _show(request, session, find_upload(session, upload), None)


@router.post("/import/{upload}", dependencies=[ADMIN])
def start_for_new_study(
    request: Request, upload: str, form: UploadForm, session: WriteSession, principal: CurrentPrincipal
) -> Response:
    """Start the import into a new study."""
    artifact, sent = find_upload(session, upload), _texts(form)
    made = _request_of(request, artifact, None, sent)
    try:
        check_title(session, made.title or "")
    except (Conflict, InvalidInput) as error:
        return _show(request, session, artifact, None, made=made, title_error=_TitleError(error, sent))
    return _start(request, session, made, None, principal.user_id)


@dataclass(frozen=True, slots=True)
class _TitleError:
    """Why a new study can't have its title, and what was sent with it."""

    error: AppError
    sent: Mapping[str, str]

    def context(self, request: Request, session: Session, artifact: Artifact, made: ImportRequest) -> dict[str, Any]:
        """What the page says beside the field: a study that has the title can take the same upload."""
        if not isinstance(self.error, Conflict):
            return {"title_error": self.error}
        slug = slugify(made.title or "")
        there = made.model_copy(update={"study": slug, "title": None, "seed": None})
        shown = preview(session, request.app.state.settings, artifact, there)
        query = urlencode({name: value for name, value in self.sent.items() if name not in ("title", "seed")})
        return {
            "title_error": self.error,
            "taken": f"/studies/{slug}/import/{artifact.public_id}?{query}",
            "nothing_new": not (shown.error or shown.problem_count or shown.new) and shown.is_complete,
        }


@router.get("/studies/{slug}/import", dependencies=[ADMIN])
def study_upload(request: Request, slug: str, session: ReadSession) -> Response:
    """Upload what is added to a study."""
    study = find_study(session, slug)
    return render(request, "imports/study_upload.html", study=study, tab="import", base=f"/studies/{slug}/import")


@router.post("/studies/{slug}/import", dependencies=[ADMIN, LIMITED_UPLOADS])
def receive_for_study(request: Request, slug: str, form: UploadForm, session: WriteSession) -> Response:
    """Keep the upload and go on to its preview."""
    return _receive(request, form, session, slug)


@router.get("/studies/{slug}/import/{upload}", dependencies=[ADMIN])
def study_preview(request: Request, slug: str, upload: str, session: ReadSession) -> Response:
    """What the upload holds, compared with the study."""
    return _show(request, session, find_upload(session, upload), find_study(session, slug))


@router.post("/studies/{slug}/import/{upload}", dependencies=[ADMIN])
def start_for_study(
    request: Request,
    slug: str,
    upload: str,
    *,
    form: UploadForm,
    session: WriteSession,
    principal: CurrentPrincipal,
) -> Response:
    """Start the import into the study."""
    study = find_study(session, slug)
    made = _request_of(request, find_upload(session, upload), study, _texts(form))
    return _start(request, session, made, study, principal.user_id)


def _base(study: Study | None) -> str:
    return f"/studies/{study.slug}/import" if study else "/import"


def _receive(request: Request, form: UploadForm, session: Session, slug: str | None) -> Response:
    with files_of(form) as files:
        uploaded = [UploadedFile(file.filename or "", file.file) for file in files]
        kept = keep(request.app.state.settings, uploaded)
    study = find_study(session, slug) if slug else None
    artifact = record(session, kept, study)
    return redirect(request, f"{_base(study)}/{artifact.public_id}")


def _show(
    request: Request,
    session: Session,
    artifact: Artifact,
    study: Study | None,
    *,
    made: ImportRequest | None = None,
    title_error: _TitleError | None = None,
) -> Response:
    made = made or _request_of(request, artifact, study, request.query_params)
    context: dict[str, Any] = {"title_error": None, "taken": None, "nothing_new": False}
    if title_error:
        context |= title_error.context(request, session, artifact, made)
    shown = preview(session, request.app.state.settings, artifact, made)
    return render(
        request,
        "imports/study_preview.html" if study else "imports/new_preview.html",
        study=study,
        tab="import",
        base=_base(study),
        upload=artifact,
        made=made,
        preview=shown,
        cells=_cells(shown),
        field_label=lambda name: gettext(FIELD_LABELS[name]),
        kinds=KINDS,
        title=made.title or PurePosixPath(artifact.file_name).name.split(".")[0],
        status_code=title_error.error.status if title_error else 200,
        **context,
    )


def _cells(shown: Preview) -> list[tuple[int, list[list[tuple[str, bool]]]]]:
    return [(row.number, [visible(row.values.get(name)) for name in shown.columns]) for row in shown.rows]


def _texts(form: UploadForm) -> dict[str, str]:
    return {name: value for name, value in form.items() if isinstance(value, str)}


def _request_of(request: Request, artifact: Artifact, study: Study | None, sent: Mapping[str, str]) -> ImportRequest:
    """What the form says, on top of what the upload itself suggests."""
    where: dict[str, Any] = {"study": study.slug} if study else {"title": sent.get("title", "").strip() or None}
    guess = guess_request(request.app.state.settings, artifact, **where)
    if "kind" not in sent:
        return guess
    kind, _, layout = sent["kind"].partition("/")
    values = guess.model_dump() | {
        "kind": kind,
        "layout": layout or None,
        "mapping": _mapping(sent) if sent.get("mapped") == sent["kind"] else {},
        "scale": sent.get("scale", "0-1"),
        "good_rows_only": sent.get("good_rows_only") == "yes",
        "published_metrics": PUBLISHED.get(sent.get("published", ""), ("ruby",)),
        "merged_grades": sent.get("grades") == "merged",
        "merge_identical": _chosen(sent, "merge_identical", study, kind),
        "include_references": _chosen(sent, "include_references", study, kind),
        "seed": sent.get("seed", "").strip() or None,
        "language": None if study else sent.get("language", "").strip() or None,
    }
    try:
        return ImportRequest.model_validate(values)
    except ValidationError as error:
        problems = [Problem(each["msg"], field=str(each["loc"][0])) for each in error.errors()]
        raise InvalidInput(gettext("Some of what was chosen can't be used."), problems) from error


def _chosen(sent: Mapping[str, str], name: str, study: Study | None, kind: str) -> bool | None:
    """A choice that a new study of outputs has; files of whole studies say it themselves."""
    return None if study or kind != "outputs" or name not in sent else sent[name] != "no"


def _mapping(sent: Mapping[str, str]) -> dict[str, str]:
    names = {key.removeprefix("name_"): value for key, value in sent.items() if key.startswith("name_")}
    return {column: sent[f"field_{number}"] for number, column in names.items() if f"field_{number}" in sent}


def _start(
    request: Request, session: Session, made: ImportRequest, study: Study | None, user_id: int | None
) -> Response:
    run = start_import(session, made, user_id=user_id, study=study)
    return redirect(request, f"/runs/{run.public_id}")
