"""An upload as named files: one file, or the members of a zip. Members are read in place, never extracted."""

import gzip
import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from app.errors import InvalidInput, TooLarge
from app.storage.files import CHUNK, chunks_of
from app.words import gettext, human_number

MAX_MEMBERS = 20_000
# Source text shrinks 3 to 20 times. Beyond 300 a file is made to fill a disk or a memory.
MAX_RATIO = 300
RATIO_COUNTS_FROM = 16 << 20
EXPANSION = 4  # a compressed upload may unfold to this many times the upload limit
IGNORED = ("__MACOSX", "Thumbs.db", "desktop.ini")
# A fixed date makes the same files the same zip, byte for byte.
ZIP_DATE = (1980, 1, 1, 0, 0, 0)
DAMAGED = (
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    ValueError,  # a name that isn't UTF-8, an offset before the file
)


class Bounded(io.BufferedIOBase):
    """A stream that counts what was read and stops at a limit."""

    def __init__(self, inner: BinaryIO, *, limit: int, packed_size: int | None = None) -> None:
        self.inner = inner
        self.limit = limit
        self.packed_size = packed_size
        self.count = 0

    def readable(self) -> bool:
        """It is for reading."""
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """Some bytes, counted."""
        try:
            data = self.inner.read(CHUNK if size is None or size < 0 else size)
        except DAMAGED as error:
            raise InvalidInput(
                gettext("The compressed file is damaged or cut off. Nothing was stored."),
                remedy=gettext("Make and upload it again."),
            ) from error
        self.count += len(data)
        self._check()
        return data

    read1 = read

    def _check(self) -> None:
        if self.count > self.limit:
            remedy = gettext("Upload it in parts, or raise CODEJURY_MAX_UPLOAD_MB.")
            raise TooLarge(
                gettext(
                    "The file unfolds to more than %(limit)s MB. Nothing was stored.",
                    limit=human_number(self.limit >> 20),
                ),
                remedy=remedy,
            )
        most = None if self.packed_size is None else max(RATIO_COUNTS_FROM, self.packed_size * MAX_RATIO)
        if most is not None and self.count > most:
            raise TooLarge(
                gettext(
                    "The file unfolds to more than %(most)s MB, %(max_ratio)s times what was sent. "
                    "Nothing was stored.",
                    most=human_number(most >> 20),
                    max_ratio=MAX_RATIO,
                ),
                remedy=gettext("Upload it in parts or unpacked."),
            )

    def close(self) -> None:
        """Close the stream below, too."""
        self.inner.close()
        super().close()


class Bundle:
    """The files of one upload by name. Use ``open_bundle``."""

    def __init__(self, path: Path, file_name: str, limit: int, archive: zipfile.ZipFile | None) -> None:
        self._path = path
        self._upload_limit = limit
        self._limit = limit * EXPANSION
        self._archive = archive
        self._members = _members(archive, self._limit) if archive else {}
        self.names = list(self._members) if archive else [file_name]

    @property
    def is_plain_gz(self) -> bool:
        """Whether the one file is called .gz and is not: it is read as it stands."""
        if self._archive is not None or not self.names[0].lower().endswith(".gz"):
            return False
        with self._path.open("rb") as file:
            return not _is_gzip(file)

    @contextmanager
    def open(self, name: str) -> Iterator[Bounded]:
        """A file's bytes; gzip is unfolded, whatever the name says."""
        if self._archive is None:
            with self._path.open("rb") as file, unfolded(file, self._path.stat().st_size, self._limit) as stream:
                yield stream
            return
        member = self._members[name]
        with Bounded(
            _open_member(self._archive, member), limit=self._limit, packed_size=member.compress_size
        ) as stream:
            yield stream

    @contextmanager
    def again(self) -> Iterator["Bundle"]:
        """The same files, also after this one was closed."""
        with open_bundle(self._path, self.names[0], limit=self._upload_limit) as bundle:
            yield bundle

    def size(self, name: str) -> int:
        """How many bytes ``open`` will give; 0 when only reading would tell."""
        if self._archive is not None:
            return self._members[name].file_size
        with self._path.open("rb") as file:
            return 0 if _is_gzip(file) else self._path.stat().st_size

    def read(self, name: str) -> bytes:
        """A whole file."""
        with self.open(name) as stream:
            return b"".join(chunks_of(stream))  # type: ignore[arg-type]


@contextmanager
def open_bundle(path: Path, file_name: str, *, limit: int) -> Iterator[Bundle]:
    """The upload at ``path``; ``limit`` is the upload limit in bytes."""
    if not _starts_like_zip(path):
        yield Bundle(path, file_name, limit, None)
        return
    try:
        archive = zipfile.ZipFile(path)
    except DAMAGED as error:
        raise InvalidInput(
            gettext("The zip file is damaged. Nothing was stored."), remedy=gettext("Make it again.")
        ) from error
    with archive:
        yield Bundle(path, file_name, limit, archive)


def _starts_like_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


def unfolded(file: BinaryIO, size: int, limit: int) -> Bounded:
    """A file's bytes, at most ``limit`` of them; gzip is unfolded. ``size``: of the file as it is."""
    packed = _is_gzip(file)
    inner = gzip.GzipFile(fileobj=file) if packed else file
    return Bounded(inner, limit=limit, packed_size=size if packed else None)  # type: ignore[arg-type]


def _is_gzip(file: BinaryIO) -> bool:
    magic = file.read(2)
    file.seek(0)
    return magic == b"\x1f\x8b"


def _open_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> BinaryIO:
    try:
        return archive.open(member)  # type: ignore[return-value]
    except DAMAGED as error:
        raise InvalidInput(
            gettext("%(filename)s in the zip file is damaged. Nothing was stored.", filename=repr(member.filename))
        ) from error


def _members(archive: zipfile.ZipFile, limit: int) -> dict[str, zipfile.ZipInfo]:
    infos = archive.infolist()
    if len(infos) > MAX_MEMBERS:
        raise TooLarge(
            gettext(
                "The zip file holds %(infos)s files; at most %(max_members)s are accepted.",
                infos=human_number(len(infos)),
                max_members=human_number(MAX_MEMBERS),
            )
        )
    if sum(info.file_size for info in infos) > limit:
        raise TooLarge(
            gettext(
                "The zip file unfolds to more than %(limit)s MB. Nothing was stored.", limit=human_number(limit >> 20)
            )
        )
    kept = {info.filename: info for info in infos if not info.is_dir() and not _is_ignored(info.filename)}
    for info in kept.values():
        _refuse_odd(info)
    if len({name.casefold() for name in kept}) != sum(not i.is_dir() and not _is_ignored(i.filename) for i in infos):
        raise InvalidInput(
            gettext("Two files in the zip have the same name. Nothing was stored."), remedy=gettext("Rename one.")
        )
    if "[Content_Types].xml" in kept:
        raise InvalidInput(
            gettext("This is an office document, not a table of text. Nothing was stored."),
            remedy=gettext("Save it as CSV (UTF-8) and upload that."),
        )
    top = common_folder(kept)
    return {name.removeprefix(top): info for name, info in kept.items()}


def _refuse_odd(info: zipfile.ZipInfo) -> None:
    path = PurePosixPath(info.filename)
    if info.flag_bits & 0x1:
        reason = gettext("It is encrypted.")
    elif info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        reason = gettext("It is compressed in a way that is not read.")
    elif stat.S_ISLNK(info.external_attr >> 16):
        reason = gettext("It is a symbolic link.")
    elif path.is_absolute() or ".." in path.parts or "\\" in info.filename or ":" in info.filename:
        reason = gettext("Its name leads out of the archive.")
    else:
        return
    raise InvalidInput(
        gettext(
            "%(filename)s in the zip file can't be taken: %(reason)s Nothing was stored.",
            filename=repr(info.filename),
            reason=reason,
        ),
        remedy=gettext("Leave it out."),
    )


def _is_ignored(name: str) -> bool:
    return any(
        part in IGNORED or (part.startswith(".") and not part.startswith("..")) for part in PurePosixPath(name).parts
    )


def common_folder(names: Iterable[str]) -> str:
    """The one folder that holds all these files ("conala/"), or ""."""
    firsts = {name.split("/", 1)[0] if "/" in name else "" for name in names}
    return f"{firsts.pop()}/" if len(firsts) == 1 and "" not in firsts else ""


def pack(files: Iterable[tuple[str, BinaryIO]], target: BinaryIO) -> None:
    """One zip of several files: the same files, in any order, give the same bytes."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, file in sorted(files, key=lambda pair: pair[0]):
            info = zipfile.ZipInfo(name, ZIP_DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w") as member:
                for chunk in chunks_of(file):
                    member.write(chunk)
