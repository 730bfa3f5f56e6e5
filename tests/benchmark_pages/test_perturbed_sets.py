"""A released folder from the upload to its page."""

from sqlalchemy import select

from app.config import Settings
from app.services import runs
from app.storage.engine import Database
from app.storage.models import Run
from tests.perturbing.released import make_folder
from tests.security.world import World

SLUG = "humaneval-perturbed-as-released"


def test_a_released_folder_is_uploaded_and_counts_its_problems(
    world: World, database: Database, settings: Settings
) -> None:
    admin = world.client("admin")
    sent = {"file": ("release.zip", make_folder().zipped())}
    done = admin.post("/benchmarks/import", files=sent)
    assert (done.status_code, done.headers["location"]) == (303, f"/benchmarks/{SLUG}")
    waiting = admin.get(f"/benchmarks/{SLUG}").text
    assert "Here will be the problems with what every transformation makes of them." in waiting
    with database.read() as session:
        run_id = session.scalars(select(Run.id).where(Run.kind == "perturbing")).one()
    assert runs.execute(database, settings, run_id)
    page = admin.get(f"/benchmarks/{SLUG}").text
    assert "of 6 prompts are changed" in page
    assert "2 problems" in page
    assert "HumanEval/1 · docstring" not in page  # a list of problems, not of what was made of them
    assert admin.get(f"/benchmarks/{SLUG}/problems/6").status_code == 200
    assert admin.post("/benchmarks/import", files=sent).headers["location"] == f"/benchmarks/{SLUG}?known=yes"
    bad = make_folder()
    del bad.files["nominal/humaneval_partial.jsonl"]
    refused = admin.post("/benchmarks/import", files={"file": ("bad.zip", bad.zipped())})
    assert refused.status_code == 422
    assert "humaneval_partial.jsonl" in refused.text
