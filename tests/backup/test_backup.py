"""A backup comes back as it was, on either kind of database; one that can't be trusted changes nothing."""

import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from app.config import Settings
from app.errors import AppError, Conflict, InvalidInput
from app.storage import migrate
from app.storage.backup import restore, write_backup
from app.storage.base import Base
from app.storage.engine import Database
from app.storage.files import FileStore, add_artifact
from app.storage.models import (
    Annotator,
    Artifact,
    AuditEvent,
    Grade,
    Item,
    MetricScore,
    Output,
    Scoring,
    Study,
)
from tests.cli.test_cli import codejury
from tests.exports.rich import make_rich_study
from tests.exports.steps import exported
from tests.imports.helpers import Importer
from tests.prepared import prepare
from tests.storage.schema import rows_planned_for, schema_of

CONTENT = b"\x00bytes\xff" * 100


@pytest.fixture
def here(database: Database, settings: Settings) -> Importer:
    """An installation with the rich study, a file, bytes, and JSON's null beside SQL's."""
    prepare(database, "rich", lambda: make_rich_study(database))
    stored = FileStore(settings.artifacts_dir).save([CONTENT])
    with database.write() as session:
        study = session.scalars(select(Study)).one()
        add_artifact(
            session, stored, kind="export", file_name="ä.zip", media_type="application/zip", study_id=study.id
        )
        scoring = Scoring(study_id=study.id, name="bleu", label="BLEU", signature="s")
        session.add(scoring)
        session.flush()
        output = session.scalars(select(Output.id).limit(1)).one()
        session.add(
            MetricScore(scoring_id=scoring.id, output_id=output, score=0.1, statistics=CONTENT, input_hash="h")
        )
        first = session.scalars(select(Item).order_by(Item.id)).first()
        assert first is not None
        first.expected = None
        session.add(AuditEvent(actor="test", action="x", details={"a": [1.5, None, 2**60, "ü\u2028"], "": {}}))
    return Importer(database, settings)


@pytest.fixture
def target(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Callable[[str], Importer]]:
    """Makes an installation without even a schema, of the named kind of database."""

    made: list[Database] = []

    def make(kind: str) -> Importer:
        folder = tmp_path / f"to-{kind}"
        folder.mkdir()
        url = f"sqlite:///{folder / 'codejury.sqlite3'}"
        if kind == "postgresql":
            url = request.getfixturevalue("new_postgres_url")()
        made.append(Database(url))
        return Importer(made[-1], Settings(CODEJURY_DATA_DIR=folder, DATABASE_URL=url))  # type: ignore[call-arg]

    yield make
    for each in made:
        each.dispose()


def files_of(settings: Settings) -> FileStore:
    return FileStore(settings.artifacts_dir)


def bring_back(path: Path, to: Importer, **more: bool) -> None:
    restore(path, to.settings.effective_database_url, files_of(to.settings), **more)


def state(database: Database) -> dict[str, object]:
    """All rows by the models, whichever database holds them."""
    with database.read() as session:
        return {
            table.name: [tuple(row) for row in session.execute(table.select().order_by(*table.primary_key))]
            for table in Base.metadata.sorted_tables
        }


@pytest.mark.fault("F39")
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_everything_comes_back_on_either_database(
    here: Importer, target: Callable[[str], Importer], tmp_path: Path, kind: str
) -> None:
    manifest = write_backup(here.database, files_of(here.settings), tmp_path / "backup.zip")
    assert (tmp_path / "backup.zip").stat().st_mode & 0o777 == 0o600
    to = target(kind)
    bring_back(tmp_path / "backup.zip", to)
    assert state(to.database) == state(here.database)
    assert manifest.rows == sum(len(rows) for rows in state(to.database).values())  # type: ignore[arg-type]
    if kind == here.database.engine.dialect.name:
        assert schema_of(to.database) == schema_of(here.database)
    with to.database.read() as session:
        assert files_of(to.settings).path(session.scalars(select(Artifact.sha256)).one()).read_bytes() == CONTENT
        nulls = "SELECT id FROM items WHERE expected IS NULL ORDER BY id"
        with here.database.read() as other:
            assert session.scalars(text(nulls)).all() == other.scalars(text(nulls)).all()
        with pytest.raises(Exception, match="append-only"):
            session.execute(text("DELETE FROM grade_events"))
    if kind == "postgresql":
        with to.database.read() as session:
            assert rows_planned_for(session, "grades") == session.scalar(select(func.count()).select_from(Grade))
    assert exported(to, platform_ids=True) == exported(here, platform_ids=True)


def test_new_rows_get_numbers_after_those_that_came(
    here: Importer, target: Callable[[str], Importer], tmp_path: Path
) -> None:
    write_backup(here.database, files_of(here.settings), tmp_path / "backup.zip")
    to = target(here.database.engine.dialect.name)
    bring_back(tmp_path / "backup.zip", to)
    with to.database.write() as session:
        newest = session.scalars(select(func.max(Annotator.id))).one()
        person = Annotator(study_id=session.scalars(select(Study.id)).one(), pseudonym="B01", order_seed=3)
        session.add(person)
        session.flush()
        assert person.id == newest + 1


def test_an_older_backup_is_brought_up_to_date(
    here: Importer, target: Callable[[str], Importer], tmp_path: Path, database_url: str
) -> None:
    migrate.downgrade(database_url, "0004")
    older = Database(database_url)
    write_backup(older, files_of(here.settings), tmp_path / "backup.zip")
    older.dispose()
    migrate.upgrade(database_url)
    to = target(here.database.engine.dialect.name)
    bring_back(tmp_path / "backup.zip", to)
    assert migrate.current_revision(to.database.engine) == migrate.head_revision()
    assert state(to.database) == state(here.database), "as the upgrade of the database itself"


@pytest.fixture
def there(here: Importer, target: Callable[[str], Importer], tmp_path: Path) -> Importer:
    """Another installation, restored from a backup and changed since."""
    write_backup(here.database, files_of(here.settings), tmp_path / "backup.zip")
    to = target(here.database.engine.dialect.name)
    bring_back(tmp_path / "backup.zip", to)
    with to.database.write() as session:
        session.scalars(select(Study)).one().title = "Changed meanwhile"
    return to


def state_alone(installation: Importer) -> dict[str, object]:
    """Its rows; nobody holds a connection afterwards."""
    found = state(installation.database)
    installation.database.dispose()
    return found


def test_what_is_there_goes_only_on_demand(here: Importer, there: Importer, tmp_path: Path) -> None:
    before = state_alone(there)
    with pytest.raises(Conflict, match="not empty"):
        bring_back(tmp_path / "backup.zip", there)
    assert state_alone(there) == before != state(here.database)
    bring_back(tmp_path / "backup.zip", there, replace=True)
    assert state_alone(there) == state(here.database)


def test_what_belongs_to_another_program_is_left_alone(
    here: Importer, target: Callable[[str], Importer], tmp_path: Path
) -> None:
    write_backup(here.database, files_of(here.settings), tmp_path / "backup.zip")
    to = target(here.database.engine.dialect.name)
    with to.database.write() as session:
        session.execute(text("CREATE TABLE theirs (id int)"))
    to.database.dispose()
    with pytest.raises(Conflict, match="another program"):
        bring_back(tmp_path / "backup.zip", to, replace=True)
    with to.database.read() as session:
        assert session.execute(text("SELECT * FROM theirs")).all() == []


@pytest.mark.postgres
@pytest.mark.sqlite_is_enough
def test_nobody_may_use_a_database_that_is_restored(
    here: Importer, target: Callable[[str], Importer], tmp_path: Path
) -> None:
    write_backup(here.database, files_of(here.settings), tmp_path / "backup.zip")
    to = target("postgresql")
    with to.database.read() as session:
        session.execute(text("SELECT 1"))
        with pytest.raises(Conflict, match="Somebody uses the database"):
            bring_back(tmp_path / "backup.zip", to)


def _without(path: Path, name: str) -> None:
    _rewrite(path, lambda member, data: None if member == name else data)


def _rewrite(path: Path, change: Callable[[str, bytes], bytes | None]) -> None:
    with zipfile.ZipFile(path) as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            if (changed := change(name, data)) is not None:
                archive.writestr(name, changed)


def _manifest(**changes: object) -> Callable[[str, bytes], bytes]:
    def change(name: str, data: bytes) -> bytes:
        return json.dumps(json.loads(data) | changes).encode() if name == "manifest.json" else data

    return change


DAMAGE: dict[str, tuple[Callable[[Path], object], type[AppError], str]] = {
    "cut off": (lambda path: path.write_bytes(path.read_bytes()[:-200]), InvalidInput, "no backup"),
    "no manifest": (lambda path: _without(path, "manifest.json"), InvalidInput, "no usable manifest"),
    "a table is missing": (lambda path: _without(path, "tables/grades.jsonl"), InvalidInput, r"tables/grades\.jsonl"),
    "a changed grade": (
        lambda path: _rewrite(path, lambda name, data: data.replace(b"3.0", b"4.0") if "/grades." in name else data),
        InvalidInput,
        r"damaged: tables/grades\.jsonl",
    ),
    "another file": (
        lambda path: _rewrite(path, lambda name, data: b"x" if name.startswith("files/") else data),
        InvalidInput,
        "damaged: files/",
    ),
    "a newer schema": (lambda path: _rewrite(path, _manifest(revision="9999")), Conflict, "9999"),
    "a newer format": (lambda path: _rewrite(path, _manifest(codejury_backup=2)), Conflict, "format 2"),
    "another schema's tables": (lambda path: _rewrite(path, _manifest(revision="0002")), InvalidInput, "not those"),
}


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_backup_that_can_not_be_trusted_changes_nothing(there: Importer, tmp_path: Path, damage: str) -> None:
    change, error, words = DAMAGE[damage]
    change(tmp_path / "backup.zip")
    before = state_alone(there)
    with pytest.raises(error, match=words):
        bring_back(tmp_path / "backup.zip", there, replace=True)
    assert state_alone(there) == before


@pytest.mark.sqlite_is_enough
def test_a_file_that_is_gone_is_told(here: Importer, target: Callable[[str], Importer], tmp_path: Path) -> None:
    shutil.rmtree(here.settings.artifacts_dir)
    manifest = write_backup(here.database, files_of(here.settings), tmp_path / "backup.zip")
    assert len(manifest.missing) == 1
    to = target("sqlite")
    bring_back(tmp_path / "backup.zip", to)
    assert state(to.database) == state(here.database)


@pytest.mark.sqlite_is_enough
def test_a_backup_that_fails_leaves_the_earlier_one(target: Callable[[str], Importer], tmp_path: Path) -> None:
    (tmp_path / "backup.zip").write_bytes(b"the one of yesterday")
    empty = target("sqlite")
    with pytest.raises(Conflict, match="nothing to back up"):
        write_backup(empty.database, files_of(empty.settings), tmp_path / "backup.zip", replace=True)
    assert [path.name for path in tmp_path.glob("*backup*")] == ["backup.zip"]
    assert (tmp_path / "backup.zip").read_bytes() == b"the one of yesterday"


class Crossing(FileStore):
    """Files beside which another backup of the same name is written while this one reads them."""

    def __init__(self, folder: Path, other: Path) -> None:
        super().__init__(folder)
        self.other = other

    def path(self, sha256: str) -> Path:
        self.other.write_bytes(b"the other one")
        return super().path(sha256)


@pytest.mark.sqlite_is_enough
def test_a_backup_that_was_written_meanwhile_stays(here: Importer, tmp_path: Path) -> None:
    target = tmp_path / "backup.zip"
    with pytest.raises(Conflict, match=r"backup\.zip already"):
        write_backup(here.database, Crossing(here.settings.artifacts_dir, target), target)
    assert target.read_bytes() == b"the other one"
    assert [path.name for path in tmp_path.glob("*backup*")] == ["backup.zip"]


@pytest.mark.sqlite_is_enough
def test_the_command_line_says_what_it_did(here: Importer, tmp_path: Path) -> None:
    there, elsewhere = (
        {"CODEJURY_DATA_DIR": str(here.settings.data_dir)},
        {"CODEJURY_DATA_DIR": str(tmp_path / "new")},
    )
    file = str(tmp_path / "backup.zip")
    written = codejury("backup", file, **there)
    assert (written.returncode, written.stderr) == (0, "")
    assert " and 1 files." in written.stdout
    earlier = Path(file).read_bytes()
    again = codejury("backup", file, **there)
    assert (again.returncode, again.stdout) == (1, "")
    assert again.stderr == (
        f"There is a file {file} already.\nChoose another name, or say --replace: what it holds now is then gone.\n"
    )
    assert Path(file).read_bytes() == earlier
    assert codejury("backup", file, "--replace", **there).returncode == 0
    assert Path(file).read_bytes() != earlier, "the moment it was made stands in it"
    refused = codejury("restore", file, **there)
    assert refused.returncode == 1
    assert "--replace" in refused.stderr
    assert codejury("restore", file, "--replace", **there).returncode == 0
    restored = codejury("restore", file, **elsewhere)
    assert restored.stdout.startswith("Restored ")
    assert codejury("backup", str(tmp_path / "no" / "folder.zip"), **there).returncode == 2
    assert codejury("restore", str(tmp_path / "absent.zip"), **there).returncode == 2
