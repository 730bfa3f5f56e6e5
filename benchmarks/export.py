"""How long 100,000 items with 5 grades each take to export, and how much memory: python -m benchmarks.export

Each form by a process of its own, so that its memory is its own; then the bundle into an empty installation.
DATABASE_URL picks the database (an empty one; without it, a SQLite file in a temporary folder).
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sqlalchemy import insert, select

import app.services.exports.runs
import app.services.imports.runs  # noqa: F401 - both register their handlers
from app.clock import utc_now
from app.config import Settings
from app.ids import content_hash, new_opaque_id
from app.services.exports import ExportRequest, Form, request_export
from app.services.imports.request import ImportRequest
from app.services.imports.uploads import keep, local_files, record, start_import
from app.services.ordering import place
from app.services.questionnaires.instruments import output_instrument, questions_of
from app.services.questionnaires.versions import publish_questionnaire
from app.services.runs import execute
from app.services.studies import create_study, find_study
from app.storage import migrate
from app.storage.engine import Database
from app.storage.files import FileStore
from app.storage.models import Annotator, Artifact, Assignment, Grade, GradeEvent, Item, Output, Problem, Run, System

SYSTEMS, GRADES, PEOPLE, SEED = 10, 5, 200, 1
SLUG = "benchmark"
CODE = "\n".join(["def solve(xs):", "    total = 0", "    for x in xs:", "        total += x", "    return total"])


def make_study(database: Database, items: int) -> None:
    """So many items, each graded by five of 200 people, with their history."""
    problems = items // SYSTEMS
    with database.write() as session:
        study = create_study(session, "Benchmark", seed=SEED, slug=SLUG, grades_per_item=GRADES)
        instrument = output_instrument(session, study).id
        question = questions_of(session, study.id)[0].id
        version = publish_questionnaire(session, study).id
        of_study = {"study_id": study.id}
        systems = [of_study | {"name": f"model-{n}", "position": n} for n in range(SYSTEMS)]
        session.execute(insert(System), systems)
        session.execute(
            insert(Problem),
            [of_study | {"key": f"p{n}", "position": n, "intent": f"Add up list {n}."} for n in range(problems)],
        )
        people = [
            Annotator(study_id=study.id, pseudonym=f"A{n:03}", order_seed=place(SEED, n)) for n in range(PEOPLE)
        ]
        session.add_all(people)
        session.flush()
        annotators = [person.id for person in people]
        system_ids = session.scalars(select(System.id).order_by(System.id)).all()
        problem_ids = session.scalars(select(Problem.id).order_by(Problem.id)).all()
        positions = dict.fromkeys(annotators, 0)
        for number, problem in enumerate(problem_ids):
            texts = [f"{CODE}  # {number} {system}" for system in range(SYSTEMS)]
            rows = [
                of_study
                | {"instrument_id": instrument, "problem_id": problem, "identity": content_hash(text), "text": text}
                | {"shuffle": place(SEED, text), "load": GRADES}
                for text in texts
            ]
            made = session.scalars(insert(Item).returning(Item.id, sort_by_parameter_order=True), rows).all()
            session.execute(
                insert(Output),
                [
                    {"problem_id": problem, "system_id": system, "item_id": item, "text": text}
                    for system, item, text in zip(system_ids, made, texts, strict=True)
                ],
            )
            shown = [(annotators[(item * 7 + n * 41) % PEOPLE], item, n) for item in made for n in range(GRADES)]
            _grade(session, shown, question, version, positions)


def _grade(session, shown, question, version, positions) -> None:  # type: ignore[no-untyped-def]
    at = utc_now()
    assignments, grades, events = [], [], []
    for annotator, item, slot in shown:
        positions[annotator] += 1
        who = {"annotator_id": annotator, "item_id": item}
        times = {"claimed_at": at, "lease_until": at + timedelta(hours=1), "finished_at": at}
        more = {"public_id": new_opaque_id(), "slot": slot, "position": positions[annotator], "state": "graded"}
        assignments.append(who | times | more)
        answer = who | {"question_id": question, "value": _answer(annotator, item), "questionnaire_id": version}
        grades.append(answer | {"created_at": at, "updated_at": at})
        details = {"by": "key", "active_ms": 4000 + item % 900, "first_key_ms": 2000}
        events.append(answer | {"kind": "grade", "submission_id": new_opaque_id(), "details": details})
    session.execute(insert(Assignment), assignments)
    session.execute(insert(Grade), grades)
    session.execute(insert(GradeEvent), events)


def _answer(annotator: int, item: int) -> float:
    """People agree mostly: M-MSR needs some who do so more often than chance."""
    draw = place(SEED, annotator, item)
    return float(draw // 7 % 5 if draw % 7 == 0 else item % 5)


def export_once(database: Database, settings: Settings, form: Form) -> str:
    """One export as a run: seconds, the process' peak of memory, the size of the file."""
    before = _peak()
    with database.write() as session:
        run_id = request_export(session, find_study(session, SLUG), ExportRequest(form=form)).id
    start, work = time.perf_counter(), time.process_time()
    execute(database, settings, run_id)
    seconds, work = time.perf_counter() - start, time.process_time() - work
    with database.read() as session:
        run = session.get_one(Run, run_id)
        assert run.state == "done", run.message
        size = session.scalars(select(Artifact.size).order_by(Artifact.id.desc())).first() or 0
    return (
        f"{form:<13} {seconds:6.1f} s   peak {_peak():5.0f} MB (before: {before:.0f})   file {size / 2**20:6.1f} MB"
    )


def import_once(database: Database, settings: Settings, folder: Path) -> str:
    """The bundle into another installation: seconds and memory."""
    with database.read() as session:
        found = select(Artifact.sha256).where(Artifact.file_name == f"{SLUG}.zip").order_by(Artifact.id.desc())
        path = FileStore(settings.artifacts_dir).path(session.scalars(found).first() or "")
    url = f"sqlite:///{folder / 'elsewhere.sqlite3'}"
    migrate.upgrade(url)
    elsewhere = Database(url)
    before, start, work = _peak(), time.perf_counter(), time.process_time()
    with local_files(path) as files:
        kept = keep(settings, files)
    with elsewhere.write() as session:
        record(session, kept, None)
        request = ImportRequest(sha256=kept.stored.sha256, file_name=kept.name, kind="bundle")
        run_id = start_import(session, request, user_id=None, study=None).id
    execute(elsewhere, settings, run_id)
    seconds, work = time.perf_counter() - start, time.process_time() - work
    with elsewhere.read() as session:
        message = session.get_one(Run, run_id).message.splitlines()[0]
    memory = f"peak {_peak():5.0f} MB (before: {before:.0f})"
    return f"{'import':<13} {seconds:6.1f} s ({work:.1f} s of work)   {memory}   {message}"


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Make the study, then measure each form in a process of its own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--only", help="a form, or import: what the processes are started with")
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    if given.only:
        print(_one(given.only, given.folder), flush=True)
        return
    with tempfile.TemporaryDirectory() as folder:
        url = _url(Path(folder))
        migrate.upgrade(url)
        database = Database(url)
        start = time.perf_counter()
        make_study(database, given.items)
        seconds = time.perf_counter() - start
        print(f"{given.items:,} items, {given.items * GRADES:,} grades, made in {seconds:.0f} s", flush=True)
        database.dispose()
        for name in [*Form, "import"]:
            command = [sys.executable, "-m", "benchmarks.export", "--only", name, "--folder", folder]
            subprocess.run(command, check=True)


def _one(name: str, folder: Path) -> str:
    settings = Settings(CODEJURY_DATA_DIR=folder, DATABASE_URL=_url(folder), CODEJURY_MAX_UPLOAD_MB=1024)
    database = Database(settings.database_url or "")
    if name == "import":
        return import_once(database, settings, folder)
    return export_once(database, settings, Form(name))


def _url(folder: Path) -> str:
    return os.environ.get("DATABASE_URL") or f"sqlite:///{folder}/codejury.sqlite3"


if __name__ == "__main__":
    main()
