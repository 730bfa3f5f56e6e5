"""Uploads as a route receives them: counted while they come in, so that no client can fill the disk."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from fastapi import Depends, Request
from starlette.datastructures import FormData, UploadFile

from app.errors import TooLarge
from app.web.body_limit import BodyTooLarge, allow_more
from app.words import gettext, human_number

MAX_FILES = 5_000
MAX_FIELDS = 4_000
# Room for the form around the files: boundaries, names, other fields.
ENVELOPE = 4 << 20


async def _form(request: Request) -> FormData:
    """The form of this request; TooLarge as soon as more came than is accepted."""
    limit_mb: int = request.app.state.settings.max_upload_mb
    allow_more(request, (limit_mb << 20) + ENVELOPE)
    try:
        return await request.form(max_files=MAX_FILES, max_fields=MAX_FIELDS)
    except BodyTooLarge as error:
        raise _too_large(limit_mb) from error


def _too_large(limit_mb: int) -> TooLarge:
    return TooLarge(
        gettext(
            "This upload is larger than %(limit)s MB, the most that this installation accepts. Nothing was stored.",
            limit=human_number(limit_mb),
        ),
        remedy=gettext("Compress it with gzip, split it, or raise CODEJURY_MAX_UPLOAD_MB."),
    )


UploadForm = Annotated[FormData, Depends(_form)]


@contextmanager
def files_of(form: FormData) -> Iterator[list[UploadFile]]:
    """The form's files that have a name, closed afterwards."""
    files = [value for _, value in form.multi_items() if isinstance(value, UploadFile)]
    try:
        yield [file for file in files if file.filename]
    finally:
        for file in files:
            file.file.close()
