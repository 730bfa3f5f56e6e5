"""A zip with checksums, written a line at a time: the same content gives the same bytes."""

import hashlib
import io
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.exports.tables import image_name
from app.storage.files import Files, chunks_of
from app.storage.models import Artifact, Problem, Study

Members = list[tuple[str, Iterable[bytes]]]
Tick = Callable[[int], None]
SUMS = "SHA256SUMS"
LINES_A_TICK = 500


def write_archive(file: BinaryIO, members: Members, tick: Tick = lambda _: None) -> int:
    """Write the members and their checksums; how many lines they have. ``tick`` hears how many there are so far."""
    sums, lines = [], 0
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            counted = _Counted(content, lines, tick)
            sums.append(f"{_write_member(archive, name, counted)}  {name}\n")
            lines = counted.lines
        _write_member(archive, SUMS, [line.encode() for line in sums])
    return lines


def image_members(session: Session, study: Study, files: Files) -> Members:
    """The problems' images, where there are any."""
    rows = session.execute(
        select(Problem, Artifact.sha256)
        .join(Artifact, Artifact.id == Problem.image_id)
        .where(Problem.study_id == study.id)
        .order_by(Problem.position)
    )
    return [(image_name(problem), _bytes_of(files.path(sha256))) for problem, sha256 in rows]


class _Counted:
    """Lines that tell now and then how many they are."""

    def __init__(self, content: Iterable[bytes], lines: int, tick: Tick) -> None:
        self.content, self.lines, self.tick = content, lines, tick

    def __iter__(self) -> Iterator[bytes]:
        for line in self.content:
            self.lines += 1
            if self.lines % LINES_A_TICK == 0:
                self.tick(self.lines)
            yield line


def _bytes_of(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from chunks_of(file)


def _write_member(archive: zipfile.ZipFile, name: str, lines: Iterable[bytes]) -> str:
    info = zipfile.ZipInfo(name)  # dated 1980: the clock must not change the bytes
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    digest = hashlib.sha256()
    # Of more than 2 GB, perhaps: how long it gets is known at its end only.
    with archive.open(info, "w", force_zip64=True) as member, io.BufferedWriter(member) as buffered:
        for line in lines:
            digest.update(line)
            buffered.write(line)
    return digest.hexdigest()
