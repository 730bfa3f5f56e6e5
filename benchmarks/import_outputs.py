"""How long 100,000 outputs take to import, and how much memory: python -m benchmarks.import_outputs

DATABASE_URL picks the database (an empty one; without it, a SQLite file in a temporary folder).
"""

import json
import keyword
import os
import random
import resource
import string
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import app.services.imports.runs  # noqa: F401 - registers the handler
from app.config import Settings
from app.services.imports.request import ImportRequest
from app.services.imports.uploads import keep, local_files, record, start_import
from app.services.runs import execute
from app.services.studies import find_study
from app.storage import migrate
from app.storage.engine import Database
from app.storage.models import Run

PROBLEMS, SYSTEMS, SEED = 10_000, 10, 1
WORDS = (*keyword.kwlist, *string.ascii_letters)


def write_outputs(path: Path) -> None:
    """A long JSONL file; outputs of about 300 characters, one in eight repeating another system's."""
    draw = random.Random(SEED)
    with path.open("w", encoding="utf-8") as file:
        for problem in range(PROBLEMS):
            texts: list[str] = []
            for system in range(SYSTEMS):
                fresh = "\n".join("\t" + " ".join(draw.choices(WORDS, k=14)) for _ in range(6))
                texts.append(draw.choice(texts) if texts and draw.random() < 0.125 else fresh)
                row = {"problem": f"p{problem}", "system": f"model-{system}", "output": texts[-1]}
                if system == 0:
                    row |= {"intent": f"Solve problem {problem}", "reference": f"return {problem}"}
                file.write(json.dumps(row) + "\n")


def run_import(database: Database, settings: Settings, path: Path, **where: str) -> tuple[str, float]:
    """Import the file; what the run says, and the seconds from upload to done."""
    start = time.perf_counter()
    with local_files(path) as files:
        kept = keep(settings, files)
    request = ImportRequest(sha256=kept.stored.sha256, file_name=kept.name, kind="outputs", seed=SEED, **where)
    with database.write() as session:
        record(session, kept, None)
        study = find_study(session, request.study) if request.study else None
        run_id = start_import(session, request, user_id=None, study=study).id
    execute(database, settings, run_id)
    seconds = time.perf_counter() - start
    with database.read() as session:
        run = session.get_one(Run, run_id)
        return f"{run.state}: {run.message.splitlines()[0]}", seconds


def main() -> None:
    """Generate, import, import again; print."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "outputs.jsonl"
        write_outputs(path)
        url = os.environ.get("DATABASE_URL") or f"sqlite:///{folder}/codejury.sqlite3"
        settings = Settings(CODEJURY_DATA_DIR=folder, DATABASE_URL=url)
        migrate.upgrade(url)
        database = Database(url)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{PROBLEMS * SYSTEMS:,} outputs, {path.stat().st_size / 2**20:.0f} MB, {database.engine.dialect.name}")
        for name, where in (("first", {"title": "Benchmark"}), ("again", {"study": "benchmark"})):
            message, seconds = run_import(database, settings, path, **where)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"{name}: {seconds:5.1f} s, peak {peak:.0f} MB (before: {before:.0f} MB)  {message}")
        database.dispose()


if __name__ == "__main__":
    main()
