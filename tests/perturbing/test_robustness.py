"""From a set to its robustness: a model that writes the canonical solutions reaches the ceilings and no more."""

from pathlib import Path

from app.language_models import loaded
from app.perturbations import Category
from app.services.perturbing import extend_set
from app.services.perturbing.requests import Wanted
from app.services.robustness_results.breaks import breaks_of
from app.services.robustness_results.document import robustness_results
from app.storage.engine import Database
from tests.perturbing.conftest import Work
from tests.perturbing.test_generation import ask, make_set, the_set


def test_the_canonical_solutions_reach_the_ceilings(database: Database, work: Work, tmp_path: Path) -> None:
    make_set(database, work)
    number = ask(database, tmp_path, samples=2)
    work.all()
    loaded.close()
    with database.read() as session:
        document = robustness_results(session, the_set(session))
        broken = breaks_of(session, the_set(session), number, Category.FUNCTION_NAME)
    (model,) = document["models"]
    assert document["left_out"] == []
    reached = {}
    for category, found in model["categories"].items():
        for group in (found["whole"], *found["transformations"]):
            assert group["at"][0]["robust_pass"] == group["ceiling"]
        reached[category] = found["whole"]["ceiling"]["value"]
    assert reached == {"docstring": 1.0, "function_name": round(2 / 3, 10), "format": 1.0}
    assert [(each["problem"], each["by"]) for each in broken["broken"]] == [("b/2", ("function_name/Rename",))]
    assert [each["sample"] for each in broken["lost"]["shown"]] == [0, 1]


def test_an_extended_set_keeps_what_is_known_until_the_rest_is_asked(
    database: Database, work: Work, tmp_path: Path
) -> None:
    make_set(database, work, "docstring/Shout", seeds=1)
    ask(database, tmp_path)
    work.all()
    loaded.close()
    with database.read() as session:
        before = robustness_results(session, the_set(session))
    with database.write() as session:
        extend_set(session, the_set(session), Wanted(2, ("docstring/Shout",)), actor="tests")
    work.all()
    with database.read() as session:
        after = robustness_results(session, the_set(session))
    assert after["left_out"] == [
        {"category": "docstring", "transformation": "docstring/Shout", "seed": 1, "models": ["right"]}
    ]
    assert after["models"][0]["categories"] == before["models"][0]["categories"]
    assert after["models"][0]["generations"][0]["incomplete"] == {"not_written": 2}
