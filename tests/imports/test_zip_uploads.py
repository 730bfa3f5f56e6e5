"""Folders and zip files: read in place, bounded, and never a way onto the disk."""

import io
import json
import stat
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import select

from app.errors import InvalidInput
from app.services.imports.uploads import local_files
from app.storage.engine import Database
from app.storage.models import Artifact, Output, Problem
from tests.imports.helpers import Importer, zipped
from tests.imports.test_codegen_metrics import like_hearthstone, png

TABLE = b"problem,system,output,image\np,m,x,pictures/a.png\n"


def archive_of(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    target = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two members of a name are what one test is about
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in members:
                archive.writestr(name, data)
    return target.getvalue()


def symbolic_link() -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("table.csv")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def encrypted() -> bytes:
    data = bytearray(archive_of(("a.csv", TABLE), ("b.csv", TABLE)))
    for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(magic) + offset] |= 1
    return bytes(data)


BAD: dict[str, tuple[Callable[[], bytes], str]] = {
    "a way out": (lambda: archive_of(("../table.csv", TABLE)), "leads out of the archive"),
    "an absolute name": (lambda: archive_of(("/etc/table.csv", TABLE)), "leads out of the archive"),
    "a backslash": (lambda: archive_of(("..\\table.csv", TABLE)), "leads out of the archive"),
    "a drive": (lambda: archive_of(("C:table.csv", TABLE)), "leads out of the archive"),
    "a link": (lambda: archive_of((symbolic_link(), b"/etc/passwd")), "is a symbolic link"),
    "the same name twice": (lambda: archive_of(("a.csv", TABLE), ("a.csv", TABLE)), "have the same name"),
    "names that differ in case": (lambda: archive_of(("a.csv", TABLE), ("A.csv", TABLE)), "have the same name"),
    "encrypted": (encrypted, "is encrypted"),
    "two tables": (lambda: archive_of(("a.csv", TABLE), ("b.csv", TABLE)), "Expected one table"),
    "a drawing": (
        lambda: archive_of(("table.csv", TABLE), ("pictures/a.SVG", b"<svg/>")),
        "pictures/a.SVG: pictures",
    ),
    "an animation": (lambda: archive_of(("table.csv", TABLE), ("b.gif", b"GIF89a")), "PNG, JPEG or WebP only"),
    "nothing": (archive_of, "found 0 files"),
    "a workbook": (lambda: archive_of(("[Content_Types].xml", b"<x/>"), ("xl/a.xml", b"")), "Save it as CSV"),
    "an image that is not there": (lambda: archive_of(("table.csv", TABLE)), "no image 'pictures/a.png'"),
    "a bomb": (lambda: archive_of(("table.csv", b"a" * (64 << 20))), "unfolds to more than 18 MB"),
    "many files": (lambda: archive_of(*((f"{n}.csv", b"") for n in range(20_001))), "holds 20,001 files"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.fault("F24")
def test_a_bad_zip_is_refused(importer: Importer, database: Database, name: str) -> None:
    make, expected = BAD[name]
    assert expected in importer.bad(make())
    with database.read() as session:
        assert session.scalars(select(Problem)).all() == []


def test_a_zip_in_a_zip_is_not_opened(importer: Importer) -> None:
    assert "not UTF-8" in importer.bad(archive_of(("inner.zip", archive_of(("table.csv", TABLE)) + b"\xff")))


def test_a_member_whose_size_lies(importer: Importer) -> None:
    data = bytearray(archive_of(("table.csv", TABLE * 1000)))
    directory = data.index(b"PK\x01\x02")
    data[directory + 24 : directory + 28] = (10).to_bytes(4, "little")
    assert "damaged" in importer.bad(bytes(data))


def test_a_picture_comes_with_its_words(importer: Importer, database: Database) -> None:
    table = b"problem,system,output,image,alt_text\np,m,x,a.png,A card that costs two\n"
    importer.good(zipped({"table.csv": table, "a.png": png("green")}))
    with database.read() as session:
        assert session.scalars(select(Problem.image_alt)).one() == "A card that costs two"


def test_a_table_with_its_images(importer: Importer, database: Database) -> None:
    importer.good(zipped({"set/table.csv": TABLE, "set/pictures/a.png": png("green"), "__MACOSX/set/._x": b"?"}))
    with database.read() as session:
        image = session.scalars(select(Artifact).join(Problem, Problem.image_id == Artifact.id)).one()
        assert session.scalars(select(Output.text)).all() == ["x"]
    assert (image.kind, image.media_type, image.file_name) == ("image", "image/png", "a.png")
    # No name of a client is a name on disk.
    names = [path.name for path in (importer.settings.artifacts_dir).rglob("*") if path.is_file()]
    assert len(names) == 2
    assert all(len(name) == 64 for name in names)


def test_a_zip_of_a_study_folder_is_the_folder(importer: Importer) -> None:
    importer.good(like_hearthstone(), "codegen-metrics")
    assert set(importer.good(zipped(like_hearthstone()), "codegen-metrics", study="study")["added"].values()) == {0}


def test_a_folder_on_this_machine(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    (folder / "images").mkdir(parents=True)
    for name, data in like_hearthstone().items():
        (folder / name.removeprefix("hs/")).write_bytes(data)
    (folder / "link.json").symlink_to("/etc/hostname")
    with local_files(folder) as files:
        names = [file.name for file in files]
    assert names == [
        "study/grader1.hs.json", "study/grader2.hs.json", "study/hs.json", "study/images/0.png", "study/images/2.png"
    ]  # fmt: skip


def test_no_file_at_all(importer: Importer) -> None:
    with pytest.raises(InvalidInput, match="No file was chosen"):
        importer.run({})


def test_a_folder_without_any_table_is_told_of_in_a_commands_words(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("Nothing to import.")
    with pytest.raises(InvalidInput, match="holds no table and no image") as refused, local_files(tmp_path):
        pass
    assert repr(str(tmp_path)) in refused.value.message
    assert ".jsonl" in refused.value.remedy


def test_problems_of_a_folder_name_the_file(importer: Importer) -> None:
    files = like_hearthstone() | {"hs/grader1.hs.json": json.dumps({"a": 1}).encode()[:-1]}
    assert "grader1.hs.json, row 1: Not JSON at character" in importer.bad(files, "codegen-metrics")
