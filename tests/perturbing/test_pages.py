"""A perturbed set by the pages: asked for, extended, looked at pair by pair, imported; and a text that is pasted."""

import re
from html import unescape
from io import BytesIO

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import delete, select

from app.perturbations import registry
from app.services.perturbing import find_set
from app.services.perturbing.stepping import Place, place_of, steps_from
from app.services.rate_limits import TRIES
from app.storage.engine import Database
from app.storage.models import AuditEvent, BenchmarkProblem, Execution
from tests.perturbing.conftest import Shout, Silent, Work, make_parent
from tests.perturbing.released import NOMINAL, make_folder
from tests.security.world import World
from tests.security.world_fixture import world

__all__ = ["world"]

SET = "/benchmarks/nums-perturbed"
VIEWER = f"{SET}/perturbations"


@pytest.fixture
def admin(world: World, database: Database) -> TestClient:
    """An admin's browser, and a benchmark of three problems."""
    with database.write() as session:
        make_parent(session, name="Nums")
    return world.client("admin")


@pytest.fixture
def made(admin: TestClient, work: Work) -> TestClient:
    """The same, with a perturbed set of two seeds."""
    answer = admin.post(
        "/benchmarks/nums/perturb", data={"seeds": "2", "category": ["docstring", "function_name", "format"]}
    )
    assert answer.headers["location"] == SET
    work.all()
    return admin


def _text(client: TestClient, address: str, status: int = 200) -> str:
    """What a reader sees of the page, white space aside."""
    answer = client.get(address)
    assert answer.status_code == status, (address, answer.status_code)
    return _words(answer.text)


def _words(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def _estimate(client: TestClient, address: str, query: str) -> str:
    return _text(client, f"{address}/perturb/estimate?{query}")


def test_the_form_offers_what_can_be_made_and_says_why_not(admin: TestClient) -> None:
    assert 'href="/benchmarks/nums/perturb"' in admin.get("/benchmarks/nums").text
    page = admin.get("/benchmarks/nums/perturb").text
    assert 'value="docstring/Shout" checked' in page
    assert 'value="syntax/Absent" disabled' in page
    assert "There is no model; install one." in page
    assert 'value="format/Remark" checked' in page
    released = admin.get("/benchmarks/nums/perturb?mode=released&category=format").text
    assert 'value="format/Remark" disabled' in released
    assert "It is not made in the mode released." in released


def test_the_estimate_counts_rows(admin: TestClient) -> None:
    both = _estimate(
        admin, "/benchmarks/nums", "seeds=2&transformation=docstring/Shout&transformation=function_name/Rename"
    )
    assert both.startswith("9 prompts made of 3 problems.")  # two seeds of one, one way of the other
    halves = _estimate(admin, "/benchmarks/nums", "seeds=2&category=format")
    assert halves.startswith(
        "3 prompts made of 3 problems. 2 with half of the solution come beside them"
    )  # of a line there is none
    assert "Choose at least one transformation." in _estimate(admin, "/benchmarks/nums", "seeds=2")
    assert "The most is 100." in _estimate(admin, "/benchmarks/nums", "seeds=101&category=format")
    assert "There is no transformation 'x/Y'" in _estimate(admin, "/benchmarks/nums", "transformation=x/Y")


def test_one_is_not_told_as_several(world: World, database: Database, work: Work) -> None:
    with database.write() as session:
        make_parent(session, problems=1, name="Nums")
    admin, one = world.client("admin"), "seeds=1&transformation=docstring/Shout"
    assert _estimate(admin, "/benchmarks/nums", one).startswith("1 prompt made of 1 problem.")
    halves = _estimate(admin, "/benchmarks/nums", "seeds=1&category=format")
    assert "1 with half of the solution comes beside them" in halves
    admin.post("/benchmarks/nums/perturb", data={"seeds": "1", "transformation": "docstring/Shout"})
    assert [run.message.splitlines()[0] for run in work.all() if run.kind == "perturbing"] == [
        "1 prompt was changed."
    ]
    assert "1 of 1 prompt is changed." in _text(admin, SET)
    assert _estimate(admin, SET, "seeds=2").startswith("1 prompt is added, made of 1 problem.")
    assert "It changes 1 of 1 problem with this seed." in _text(admin, VIEWER)


def test_a_form_that_is_wrong_comes_back_with_what_was_chosen(admin: TestClient) -> None:
    answer = admin.post("/benchmarks/nums/perturb", data={"seeds": "none", "transformation": "docstring/Shout"})
    assert answer.status_code == 422
    assert "Enter a whole number." in answer.text
    assert 'value="docstring/Shout" checked' in answer.text
    assert 'value="function_name/Rename" checked' not in answer.text
    nothing = admin.post("/benchmarks/nums/perturb", data={"seeds": "1"})
    assert (nothing.status_code, "Choose at least one transformation." in nothing.text) == (422, True)
    set_of_set = admin.post("/benchmarks/nums/perturb", data={"seeds": "1", "category": "syntax"})
    assert "No transformation that was asked for can be made here." in _words(set_of_set.text)


def test_a_set_tells_what_became_of_every_transformation(made: TestClient) -> None:
    page = _text(made, SET)
    assert "10 of 12 prompts are changed." in page
    # problem 2 calls itself by the name that Rename forgets
    assert "The canonical solutions pass on 9 of 10: as far as any model can come." in page
    assert (
        "Made from Nums by the paper’s rules · 2 seeds of each random transformation · 3 problems · 2 with half"
        in page
    )
    assert "Shout as they are 2 4 33.3 % 2: It is loud already. 100.0 %" in page
    assert "Rename as they are 1 3 0.0 % 66.7 % 2 of 3; these don’t pass: b/2, seed 0" in page
    assert "Remark with half of the solution 1 3 0.0 % 100.0 %" in page
    assert "Solution or tests call the function by its old name" in page
    html = made.get(SET).text
    assert f'href="{SET}/robustness"' in html
    assert f'href="{VIEWER}?transformation=function_name/Rename&seed=0&problem=b/2"' in unescape(html)
    problems = html.partition('id="problems"')[2]
    assert len(re.findall(r"/problems/\d+", problems)) == 3  # and none of what was made of them
    assert 'href="/benchmarks/nums"' in html
    assert 'name="prompt_mode"' in made.get("/benchmarks/nums/generate").text
    assert 'name="prompt_mode"' not in made.get(f"{SET}/generate").text  # a set holds no visible half beside


def _forget(database: Database, *keys: str) -> None:
    """As if the run had been cancelled before it came to the canonical solutions of these rows."""
    with database.write() as session:
        rows = select(BenchmarkProblem.id).where(BenchmarkProblem.key.in_(keys))
        session.execute(delete(Execution).where(Execution.benchmark_problem_id.in_(rows)))


def test_a_check_that_was_cut_says_how_many_were_run(made: TestClient, database: Database) -> None:
    _forget(database, "b/0 · docstring/Shout · 0", "b/2 · docstring/Shout · 1", "b/0 · function_name/Rename · 0")
    page = _text(made, SET)
    assert "Of their canonical solutions, 7 of 10 were run, and 6 of these pass." in page
    assert "as far as any model can come" not in page
    assert "2: It is loud already. 100.0 % 2 of 4 run" in page
    assert "50.0 % 1 of 2; these don’t pass: b/2, seed 0 2 of 3 run" in page
    _forget(database, "b/2 · function_name/Rename · 0")
    page = _text(made, SET)
    assert "Of their canonical solutions, 6 of 10 were run, and all of these pass." in page
    assert "Every canonical solution" not in page


def test_a_set_is_extended_by_what_is_new(made: TestClient, work: Work, database: Database) -> None:
    form = made.get(f"{SET}/perturb").text
    assert 'value="docstring/Shout" disabled checked' in form
    assert _estimate(made, SET, "seeds=2").startswith("0 prompts are added")
    assert _estimate(made, SET, "seeds=4").startswith("6 prompts are added")
    Shout.calls.clear()
    assert made.post(f"{SET}/perturb", data={"seeds": "3"}).headers["location"] == SET
    waiting = _text(made, SET)
    assert "4 6 of 9 made" in waiting
    refused = made.post(f"{SET}/perturb", data={"seeds": "4"})
    assert (refused.status_code, "The set is being made already." in refused.text) == (409, True)
    work.all()
    assert {seed for _, seed in Shout.calls} == {2}
    assert "12 of 15 prompts are changed." in _text(made, SET)
    with database.read() as session:
        assert find_set(session, "nums-perturbed").recipe["seeds"] == 3
        assert session.scalar(select(AuditEvent.action).order_by(AuditEvent.id.desc())) == "perturbed set extended"


def test_the_viewer_shows_both_and_what_belongs_to_them(made: TestClient) -> None:
    first = _text(made, VIEWER)
    assert "b/0 docstring/Shout" in first
    assert "It changes 2 of 3 problems with this seed." in first
    renamed = _text(made, f"{VIEWER}?transformation=function_name/Rename&seed=0&problem=b/2")
    assert "Original" in renamed
    assert "Changed" in renamed
    assert "The function is called f2x here, and f2 in the original." in renamed
    assert "Odd: Solution or tests call the function by its old name" in renamed
    assert re.search(r"The canonical solution on the changed prompt: (error|failed)", renamed)
    assert "name 'f2' is not defined" in renamed
    loud = _text(made, f"{VIEWER}?transformation=docstring/Shout&seed=1&problem=b/0")
    assert "The canonical solution on the changed prompt: passed" in loud
    assert "is called" not in loud
    half = made.get(f"{VIEWER}?transformation=format/Remark&problem=b/0").text
    assert "found = " in _words(half)
    assert "# on it goes" in _words(half)


def test_a_set_in_which_nothing_changed_says_only_that(
    admin: TestClient, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No solution is waited for where no prompt has one of its own."""
    monkeypatch.setitem(registry._known, "docstring/Shout", Silent())
    registry.available.cache_clear()
    admin.post("/benchmarks/nums/perturb", data={"seeds": "2", "transformation": "docstring/Shout"})
    work.all()
    page = _text(admin, SET)
    assert "All 6 prompts are left as they were, and models can come as far as on the originals. Made from" in page
    assert "Shout as they are 2 0 100.0 % 6: It is silent. –" in page
    assert "not run yet" not in page
    assert "not been run" not in page


def test_an_unchanged_problem_is_shown_as_such(made: TestClient) -> None:
    page = _text(made, f"{VIEWER}?transformation=docstring/Shout&seed=1&problem=b/1")
    assert "Unchanged. It is loud already." in page
    assert "The canonical solution on the changed prompt" not in page
    assert "b/1 · unchanged" in page
    changed = made.get(f"{VIEWER}?transformation=docstring/Shout&seed=1&problem=b/0&show=changed").text
    assert re.search(r'problem=b/2&(amp;)?show=changed" data-key="ArrowRight"', changed)  # b/1 is stepped over
    assert "b/1" not in changed


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("transformation=no/Such", "The set has no transformation"),
        ("problem=b/9", "The set has no problem"),
        ("seed=x", "integer"),
        ("transformation=docstring/Shout&seed=9", "The set has no seed 9."),
    ],
)
def test_an_address_that_leads_nowhere_says_so(made: TestClient, query: str, words: str) -> None:
    answer = made.get(f"{VIEWER}?{query}")
    assert answer.status_code in (404, 422)
    assert words in _words(answer.text)


def test_a_transformation_with_fewer_seeds_shows_its_first(made: TestClient) -> None:
    assert 'value="0" selected' in made.get(f"{VIEWER}?transformation=function_name/Rename&seed=1").text


def test_steps_lead_to_what_lies_beside() -> None:
    place = Place("b", "one", 1)
    steps = steps_from(place, ["a", "b", "c", "d"], ["d"], {"none": [0], "one": [0, 1], "two": [0, 1, 2]})
    assert steps.tasks == (None, Place("d", "one", 1))
    assert steps.seeds == (Place("b", "one", 0), None)
    assert steps.transformations == (Place("b", "none", 0), Place("b", "two", 1))
    assert place_of("a · b · docstring/Shout · 12") == Place("a · b", "docstring/Shout", 12)


def test_a_variant_s_own_page_leads_to_the_pair(made: TestClient, work: Work) -> None:
    number = work.rows("nums-perturbed")["b/1 · docstring/Shout · 1"].position + 1
    page = unescape(made.get(f"{SET}/problems/{number}").text)
    assert f"{VIEWER}?transformation=docstring/Shout&seed=1&problem=b/1" in page
    assert "The prompt stays as it was: It is loud already." in page
    assert 'rel="next"' not in page


def test_before_its_run_a_set_is_empty_and_says_so(admin: TestClient) -> None:
    admin.post("/benchmarks/nums/perturb", data={"seeds": "1", "category": "docstring"})
    assert "Here will be the problems with what every transformation makes of them." in _text(admin, SET)
    assert "Nothing is made yet." in _text(admin, VIEWER)
    assert "is no perturbed set" in _text(admin, "/benchmarks/nums/perturbations", 422)


def test_a_released_folder_is_imported_and_its_oddities_are_listed(world: World, work: Work) -> None:
    admin = world.client("admin")
    assert "ReCode’s released folder" in admin.get("/benchmarks/import").text
    file = ("release.zip", BytesIO(make_folder().zipped()), "application/zip")
    at = admin.post("/benchmarks/import", files={"file": file}, data={"layout": "recode-humaneval"}).headers[
        "location"
    ]
    work.all()
    page = _text(admin, at)
    assert "Imported from release.zip, as it was released · 3 files · 2 problems · 1 with half" in page
    assert "What is odd about it" in page
    assert "function_name/CamelCase Solution or tests call the function by its old name" in page
    assert f'{at}/perturb"' not in admin.get(at).text
    assert admin.get(f"{at}/perturb").status_code == 409
    place = "transformation=function_name/CamelCase&seed=0&problem=HumanEval/0"
    assert "After each program stands do_0 = do0" in _text(admin, f"{at}/perturbations?{place}")
    other = ("release.zip", BytesIO(make_folder().zipped()), "application/zip")
    wrong = admin.post("/benchmarks/import", files={"file": other}, data={"layout": "recode-mbpp"})
    assert (wrong.status_code, "holds no perturbed file of" in wrong.text) == (422, True)
    assert NOMINAL[0]["task_id"] in page


PASTED = {"prompt": 'def f(n):\n    """Return n."""\n', "transformation": "docstring/Shout", "seed": "2"}


def test_a_pasted_text_is_changed_and_nothing_stored(world: World) -> None:
    researcher = world.client("researcher")
    assert "Try a transformation" in researcher.get("/perturbations/try?transformation=docstring/Shout").text
    before = {name: rows for name, rows in world.rows().items() if name != "rate_limits"}
    page = _words(researcher.post("/perturbations/try", data=PASTED).text)
    assert "RETURN!!" in page.replace(" ", "")
    assert "The texts differ in" in page
    assert {name: rows for name, rows in world.rows().items() if name != "rate_limits"} == before


def test_a_pasted_solution_is_halved_for_rules_of_code(world: World) -> None:
    solution = {"solution": "    a = n\n    b = a\n    return b\n    # end\n", "transformation": "format/Remark"}
    answer = world.client("researcher").post("/perturbations/try", data=PASTED | solution)
    assert '<textarea id="solution" name="solution" rows="6"' in answer.text
    assert unescape(answer.text).count(">\n    a = n\n") == 1  # indented as it was pasted
    page = _words(answer.text)
    assert "Half of the solution stands in the prompt" in page
    assert "# on it goes" in page


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"prompt": "no function"}, "There is no function in the text."),
        ({"prompt": "class A:\n    def f(self):\n"}, "'f' does not begin at the start of a line. Paste it without"),
        (
            {"prompt": "class A:\n    def f(self):\n", "entry_point": "f"},
            "'f' does not begin at the start of a line.",
        ),
        ({"prompt": "def g():\n    def f(n):\n", "entry_point": "f"}, "'f' does not begin at the start of a line."),
        ({"entry_point": "g"}, "There is no function 'g' in the text."),
        ({"transformation": "syntax/Absent"}, "There is no model; install one."),
        ({"transformation": "no/Such"}, "There is no transformation"),
        ({"transformation": "format/Remark", "mode": "released"}, "can't be made in the mode"),
        ({"seed": "-1"}, "The least is 0."),
        ({"prompt": "x" * 10_001}, "More than 10,000 characters"),
        ({"prompt": "def f(n):\n" + "x" * 6_000, "solution": "y" * 6_000}, "More than 10,000 characters"),
    ],
)
def test_what_can_t_be_tried_is_told_in_words(world: World, changes: dict[str, str], words: str) -> None:
    answer = world.client("researcher").post("/perturbations/try", data=PASTED | changes)
    assert answer.status_code == 422
    assert words in _words(answer.text)
    assert changes.get("prompt", "Return n.") in unescape(answer.text)  # what was pasted stands there still


def test_tries_are_limited(world: World) -> None:
    researcher = world.client("researcher")
    answers = [researcher.post("/perturbations/try", data=PASTED).status_code for _ in range(TRIES.burst + 1)]
    assert answers == [200] * TRIES.burst + [429]
