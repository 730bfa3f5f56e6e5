"""Uploads as a route receives them: counted while they come in, so that no client can fill the disk."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from fastapi import Depends, Request
from starlette.datastructures import FormData, UploadFile
from starlette.types import Message

from app.errors import TooLarge

MAX_FILES = 5_000
MAX_FIELDS = 4_000
# Room for the form around the files: boundaries, names, other fields.
ENVELOPE = 4 << 20


async def _form(request: Request) -> FormData:
    """The form of this request; TooLarge as soon as more came than is accepted."""
    limit_mb = request.app.state.settings.max_upload_mb
    limit = (limit_mb << 20) + ENVELOPE
    _refuse_announced(request, limit, limit_mb)
    received = 0

    async def receive() -> Message:
        nonlocal received
        message = await request.receive()
        received += len(message.get("body", b""))
        if received > limit:
            raise _too_large(limit_mb)
        return message

    return await Request(request.scope, receive).form(max_files=MAX_FILES, max_fields=MAX_FIELDS)


def _refuse_announced(request: Request, limit: int, limit_mb: int) -> None:
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > limit:
        raise _too_large(limit_mb)


def _too_large(limit_mb: int) -> TooLarge:
    return TooLarge(
        f"This upload is larger than {limit_mb:,} MB, the most that this installation accepts. Nothing was stored.",
        remedy="Compress it with gzip, split it, or raise CODEJURY_MAX_UPLOAD_MB.",
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
