"""Tar archives that are uploaded: packed again as the zip that everything else reads. Only plain files are taken."""

import io
import tarfile
import zipfile
import zlib
from contextlib import suppress
from typing import BinaryIO

from app.errors import InvalidInput, TooLarge
from app.services.imports.sources import EXPANSION, MAX_MEMBERS, ZIP_DATE, unfolded
from app.storage.files import chunks_of
from app.words import gettext, human_number

MAGIC, MAGIC_AT = b"ustar", 257
GZIP, HEAD = b"\x1f\x8b", 4096
BLOCK = 512


def is_tar(file: BinaryIO) -> bool:
    """Whether the upload is a tar archive, packed by gzip or not; it is read from its beginning again."""
    head = file.read(HEAD)
    file.seek(0)
    if head.startswith(GZIP):
        with suppress(zlib.error):  # whoever reads it tells what is wrong
            head = zlib.decompressobj(wbits=31).decompress(head, max_length=HEAD)
    return head[MAGIC_AT : MAGIC_AT + len(MAGIC)] == MAGIC


class _Watched(io.RawIOBase):
    """A stream that knows how it ended: archives end with zeros, and tarfile takes one that is cut off for whole."""

    def __init__(self, inner: BinaryIO) -> None:
        self.inner, self.end = inner, b""

    def read(self, size: int = -1, /) -> bytes:
        """Some bytes."""
        data = self.inner.read(size)
        self.end = data[-BLOCK:] or self.end
        return data


def repack(file: BinaryIO, size: int, target: BinaryIO, limit: int) -> None:
    """The archive's files as a zip; InvalidInput or TooLarge where it is damaged or made to do harm."""
    stream = _Watched(unfolded(file, size, limit * EXPANSION))  # type: ignore[arg-type]
    try:
        with (
            tarfile.open(fileobj=stream, mode="r|") as archive,
            zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed,
        ):
            _copy(archive, packed)
        if stream.end.strip(b"\0"):
            raise tarfile.ReadError("It is cut off.")
    except tarfile.TarError as error:
        raise InvalidInput(
            gettext("The tar file is damaged. Nothing was stored."), remedy=gettext("Make it again.")
        ) from error


def _copy(archive: tarfile.TarFile, packed: zipfile.ZipFile) -> None:
    for number, member in enumerate(archive, start=1):
        if number > MAX_MEMBERS:
            raise TooLarge(gettext("The tar file holds more than %(most)s files.", most=human_number(MAX_MEMBERS)))
        if member.isdir():
            continue
        content = archive.extractfile(member) if member.isfile() else None
        if content is None:
            raise InvalidInput(
                gettext("%(name)s in the tar file is no plain file. Nothing was stored.", name=repr(member.name)),
                remedy=gettext("Leave it out."),
            )
        info = zipfile.ZipInfo(member.name.removeprefix("./"), ZIP_DATE)
        info.compress_type = zipfile.ZIP_DEFLATED
        with packed.open(info, "w") as written:
            for chunk in chunks_of(content):  # type: ignore[arg-type]
                written.write(chunk)
