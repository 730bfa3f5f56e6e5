"""A study that was exported comes back whole: the same files again, and the same analysis byte for byte."""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from sqlalchemy import select, update

from app.config import Settings
from app.services.analysis import latest_analysis, request_analysis
from app.services.demo.study import make_demo
from app.services.exports import request_export
from app.services.runs import execute
from app.services.studies import find_study
from app.storage import migrate
from app.storage.engine import Database
from app.storage.files import FileStore
from app.storage.models import Annotator, Artifact, Grade, Item, Problem, Run, Study
from tests.imports.helpers import Importer, zipped


def do(database: Database, settings: Settings, run_id: int) -> None:
    assert execute(database, settings, run_id)
    with database.read() as session:
        run = session.get_one(Run, run_id)
        assert run.state == "done", f"{run.message}\n{run.trace or ''}"


def export(database: Database, settings: Settings, slug: str) -> dict[str, bytes]:
    with database.write() as session:
        run_id = request_export(session, find_study(session, slug)).id
    do(database, settings, run_id)
    with database.read() as session:
        sha256 = session.scalars(select(Artifact.sha256).order_by(Artifact.id.desc())).first()
    assert sha256 is not None
    with zipfile.ZipFile(FileStore(settings.artifacts_dir).path(sha256)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def analyse(database: Database, settings: Settings, slug: str) -> str:
    with database.write() as session:
        run_id = request_analysis(session, find_study(session, slug)).id
    do(database, settings, run_id)
    with database.read() as session:
        found = latest_analysis(session, find_study(session, slug))
    assert found is not None
    return found.text


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Importer]:
    """Another installation, empty."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    url = f"sqlite:///{folder / 'codejury.sqlite3'}"
    migrate.upgrade(url)
    database = Database(url)
    yield Importer(database, Settings(CODEJURY_DATA_DIR=folder, DATABASE_URL=url))  # type: ignore[call-arg]
    database.dispose()


def test_the_demo_comes_back_with_the_same_analysis(
    database: Database, settings: Settings, elsewhere: Importer
) -> None:
    with database.write() as session:
        make_demo(session)
    text = analyse(database, settings, "demo")
    files = export(database, settings, "demo")
    assert files["analysis.json"].decode() == text
    result = elsewhere.good({"demo.zip": zipped(files)}, "bundle", title=None, seed=None)
    assert result["links"] == [{"href": "/studies/demo", "label": "Open Demo"}]
    assert analyse(elsewhere.database, elsewhere.settings, "demo") == text
    with elsewhere.database.read() as session:
        assert set(session.scalars(select(Annotator.kind))) == {"simulated"}
    again = export(elsewhere.database, elsewhere.settings, "demo")
    assert again.pop("study.json") == files["study.json"].replace(b'"state": "open"', b'"state": "draft"')
    same = set(files) - {"study.json", "decisions.csv", "SHA256SUMS"}
    assert {name: again[name] for name in same} == {name: files[name] for name in same}


def png() -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (3, 2), "red").save(target, "PNG")
    return target.getvalue()


def odd_study(importer: Importer) -> dict[str, bytes]:
    """What a spreadsheet would bend, and what only a whole export holds."""
    rows = [
        {"problem": "=p|1", "system": "-m", "output": "=1+1\r\n\t", "reference": ["r", "s"], "context": "c\n"},
        {"problem": "=p|1", "system": "a", "output": "=1+1\r\n\t"},
        {"problem": "q", "system": "a", "output": "", "image": "i.png", "tests": "assert x"},
    ]
    table = "\n".join(json.dumps(row) for row in rows).encode()
    importer.good({"t.jsonl": table, "i.png": png()}, merge_identical=False)
    grades = (
        "problem,system,worker,label,time\n=p|1,-m,w,1,2026-01-02T03:04:05Z\n=p|1,a,w,3,\n=p|1,reference 2,w,4,\n"
    )
    importer.good(grades, "grades", study="study")
    importer.good("problem,system,metric,score\n=p|1,-m,My Metric,33.3\n", "scores", study="study", scale="0-100")
    with importer.database.write() as session:
        session.execute(update(Study).values(instructions="Read *well*.", notice="N", grades_per_item=5))
        session.execute(update(Annotator).values(kind="person"))
        first = session.scalars(select(Grade).order_by(Grade.id)).first()
        assert first is not None
        first.surplus = True
        session.add(
            Problem(study_id=session.scalars(select(Study.id)).one(), key="z", position=2, intent="No output")
        )
    return export(importer.database, importer.settings, "study")


def test_everything_comes_back_byte_for_byte(importer: Importer, elsewhere: Importer) -> None:
    files = odd_study(importer)
    assert "images/1.png" in files
    elsewhere.good({"study.zip": zipped(files)}, "bundle", title=None, seed=None)
    again = export(elsewhere.database, elsewhere.settings, "study")
    for name in ("decisions.csv", "SHA256SUMS"):  # decisions are an installation's own
        again.pop(name), files.pop(name)
    assert again == files
    with elsewhere.database.read() as session:
        loads = dict(session.execute(select(Item.text, Item.load).where(Item.load > 0)).all())
        assert loads == {"=1+1\r\n\t": 1, "s": 1}  # the surplus grade holds no place


def test_another_title_and_a_title_that_is_taken(importer: Importer) -> None:
    files = odd_study(importer)
    assert "There is a study 'study' already" in importer.bad({"s.zip": zipped(files)}, "bundle", title=None)
    assert importer.good({"s.zip": zipped(files)}, "bundle", title="A copy")["study"] == "a-copy"
    assert "always becomes a new one" in importer.bad({"s.zip": zipped(files)}, "bundle", study="study")


@pytest.mark.parametrize("name", ["outputs.jsonl", "study.json", "analysis.json"])
def test_a_changed_file_is_refused_by_name(importer: Importer, elsewhere: Importer, name: str) -> None:
    files = odd_study(importer) | {"analysis.json": b"{}"}
    changed = files | {name: files[name] + b"\n"}
    if name == "analysis.json":
        del changed[name]
        changed["SHA256SUMS"] += b"0" * 64 + b"  analysis.json\n"
    message = elsewhere.bad({"s.zip": zipped(changed)}, "bundle", title=None)
    assert "not as it was exported" in message
    assert name in message


def test_an_exports_own_files_import_one_by_one(importer: Importer, elsewhere: Importer) -> None:
    importer.good('{"problem": "p", "system": "a", "output": "x", "reference": ["x"]}\n'
                  '{"problem": "p", "system": "b", "output": "x"}', merge_identical=False)  # fmt: skip
    importer.good("task,worker,label\np|a,w,1\np|b,w,3\n", "grades", study="study")
    importer.good("problem,system,metric,score\np,a,Other,0.5\n", "scores", study="study")
    scoring = "problem,system,metric,score,signature,imported,label\r\np,a,bleu,0.3,bleu|x,False,BLEU\r\n"
    files = export(importer.database, importer.settings, "study")
    elsewhere.good(files["outputs.jsonl"], merge_identical=False)
    assert elsewhere.good(files["grades.csv"], "grades", study="study")["added"]["grades"] == 2
    scores = scoring.encode() + files["scores.csv"].split(b"\r\n", 1)[1]
    result = elsewhere.good(scores, "scores", study="study")
    assert result["added"]["scores"] == 1
    assert "1 scores by CodeJury's own metrics were left out" in result["message"]
    message = elsewhere.bad(files["outputs.jsonl"], study="study", merge_identical=True)
    assert "shows identical outputs one by one" in message
