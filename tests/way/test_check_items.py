"""Checks and repeats among a person's items: where the seed puts them, looking like all others."""

import re
import threading

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from app.services import assignments
from app.services.dashboards import grading_progress
from app.services.desk.live import live_state
from app.services.pace import progress_of as own_progress_of
from app.services.sitting import Sitting
from app.services.study_counts import study_count
from app.services.study_options import Checks
from app.services.study_progress import progress_of
from app.services.way import check_editing
from app.services.way.checks import REPEAT_AFTER, kind_at
from app.services.way.practice import judge
from app.storage.engine import Database
from app.storage.models import Annotator, Assignment, Grade, Item, Study
from tests.dashboards.study import sign_in
from tests.grading.helpers import add_annotators, answer
from tests.way.helpers import add_check, come, invite, open_way

EVERY = Checks(loud_every=6, silent_every=5, repeat_every=7)


@pytest.fixture
def study(database: Database) -> int:
    """An open study of 30 items with checks of every kind."""
    with database.write() as session:
        study = open_way(session, forms=False, problems=30, checks=EVERY.model_dump())
        for role in ("loud", "silent"):
            for number in range(16):
                add_check(session, study, role, number)
        return study.id


def roles(database: Database, person: int) -> list[str]:
    """The roles of what the person got, in order."""
    with database.read() as session:
        return list(
            session.scalars(
                select(Item.role)
                .join(Assignment, Assignment.item_id == Item.id)
                .where(Assignment.annotator_id == person)
                .order_by(Assignment.position)
            )
        )


def grade_all(database: Database, person: int, value: float = 3) -> None:
    while True:
        with database.write() as session:
            claims = assignments.upcoming(session, person)
            if not claims:
                return
            answer(session, claims[0], value)


def to_go(database: Database, person: int) -> int:
    """Main items that the person could still get."""
    with database.read() as session:
        return own_progress_of(session, person).to_go


def practise(database: Database, person: int) -> None:
    grade_all(database, person)
    with database.write() as session:
        annotator = session.get_one(Annotator, person)
        judge(session, session.get_one(Study, annotator.study_id), annotator)


def test_checks_stand_where_the_seed_puts_them(database: Database, study: int) -> None:
    people = add_annotators(database, study, 2)
    for person in people:
        grade_all(database, person)
    with database.read() as session:
        for person in people:
            row = session.get_one(Annotator, person)
            seed = session.get_one(Study, study).seed
            got = roles(database, person)
            expected = [kind_at(seed, row.order_seed, EVERY, number) or "main" for number in range(1, len(got) + 1)]
            for number, (here, there) in enumerate(zip(got, expected, strict=True), start=1):
                # Soon after the beginning there may be nothing to repeat but other checks.
                assert here == there or (there == "repeat" and here == "main" and number <= 2 * REPEAT_AFTER)
            assert got.count("main") == 30
            assert min(got.count(kind) for kind in ("loud", "silent", "repeat")) >= 5
            assert not session.scalars(select(Assignment.surplus).where(Assignment.surplus)).all()


def test_a_repeat_shows_what_was_graded_long_enough_before(database: Database, study: int) -> None:
    people = add_annotators(database, study, 2)
    for person in people:
        grade_all(database, person)
    with database.read() as session:
        for person in people:
            rows = session.execute(
                select(Assignment.item_id, Item.role, Item.repeats_id, Item.text)
                .join(Item, Item.id == Assignment.item_id)
                .where(Assignment.annotator_id == person)
                .order_by(Assignment.position)
            ).all()
            order = [item for item, *_ in rows]
            repeats = [
                (place, original, text) for place, (_, role, original, text) in enumerate(rows) if role == "repeat"
            ]
            assert repeats
            assert len({original for _, original, _ in repeats}) == len(repeats), "nothing is repeated twice"
            for place, original, text in repeats:
                between = [role for _, role, *_ in rows[order.index(original) + 1 : place]]
                assert len(between) >= REPEAT_AFTER - 1
                assert session.get_one(Item, original).text == text


def test_people_share_the_row_of_a_repeat(database: Database) -> None:
    """Many at once who need the same repeat make one row of it."""
    with database.write() as session:
        study = open_way(session, forms=False, problems=7, checks={"repeat_every": 1})
        study.grades_per_item, study_id = 9, study.id
    people = add_annotators(database, study_id, 4)
    for person in people:
        for _ in range(REPEAT_AFTER):
            with database.write() as session:
                answer(session, assignments.upcoming(session, person)[0], 3)
    barrier, failures = threading.Barrier(4), []

    def go_on(person: int) -> None:
        barrier.wait()
        try:
            grade_all(database, person)
        except Exception as failure:
            failures.append(failure)

    threads = [threading.Thread(target=go_on, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with database.read() as session:
        originals = session.scalars(select(Item.repeats_id).where(Item.role == "repeat")).all()
        assert len(set(originals)) == len(originals)
        assert all("repeat" in roles(database, person) for person in people)


def test_answers_to_checks_count_in_nothing(database: Database, study: int) -> None:
    [person] = add_annotators(database, study, 1)
    grade_all(database, person)
    with database.read() as session:
        progress = progress_of(session, [session.get_one(Study, study)])[study]
        assert (progress.items, progress.held) == (30, 30)
        assert session.scalar(select(func.count()).select_from(Grade)) == len(roles(database, person)) > 40
        assert set(session.scalars(select(Item.load).where(Item.role != "main"))) == {0}


def test_a_copied_item_is_not_shown_a_second_time(database: Database) -> None:
    with database.write() as session:
        study = open_way(session, forms=False, problems=6, checks={"silent_every": 3})
        original = session.scalars(select(Item).order_by(Item.id)).first()
        assert original is not None
        copy = check_editing.use_item(
            session, "test", study, original, role="practice", answers={"helpfulness": 3}, feedback=""
        )
        study_id, original_id, copy_id = study.id, original.id, copy.id
    [person] = add_annotators(database, study_id, 1)
    practise(database, person)
    grade_all(database, person)
    with database.read() as session:
        got = set(session.scalars(select(Assignment.item_id).where(Assignment.annotator_id == person)))
        assert copy_id in got
        assert original_id not in got
        assert len(got) == 6


def test_a_full_stratum_is_handed_out_no_more(database: Database) -> None:
    with database.write() as session:
        study = open_way(session, forms=False, problems=8, quotas={"nominal": 3})
        for number, item in enumerate(session.scalars(select(Item).order_by(Item.id)).all()):
            item.stratum = "nominal" if number % 2 else "perturbed"
        study_id = study.id
    people = add_annotators(database, study_id, 4)
    barrier = threading.Barrier(4)

    def work(person: int) -> None:
        barrier.wait()
        grade_all(database, person)

    threads = [threading.Thread(target=work, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as session:
        held = dict(session.execute(select(Item.stratum, func.sum(Item.load)).group_by(Item.stratum)).all())
    assert held == {"nominal": 3, "perturbed": 4 * 3}


@pytest.mark.sqlite_is_enough
def test_checks_look_like_all_other_items(client: TestClient, database: Database) -> None:
    with database.write() as session:
        study = open_way(session, forms=False, problems=9, checks={"silent_every": 3, "repeat_every": 4})
        for number in range(4):
            add_check(session, study, "silent", number)
    come(client, invite(database))
    shapes, seen = set(), []
    while (page := client.get("/grade")).url.path == "/grade":
        item = re.search(r'action="/grade/([0-9a-f]{32})"', page.text)
        assert item
        article = re.search(r"<article.*?</article>", page.text, re.DOTALL)
        assert article
        shapes.add(tuple(re.findall(r"<(\w+)[^>]*?(?:class=\"([^\"]*)\")", article[0].split("<pre")[0])))
        body = {"submission_id": f"submission-{len(seen)}", "kind": "grade", "value": 2, "revision": 0}
        reply = client.post(f"/grade/{item[1]}/answer", json=body)
        seen.append(
            (page.text, sorted(reply.json()), reply.json()["go"], client.get(f"/way/told/{item[1]}").status_code)
        )
    assert {"silent", "repeat", "main"} == set(roles(database, 1))
    assert len(shapes) == 1
    assert len({(tuple(keys), go, told) for _, keys, go, told in seen}) == 1
    for page_text, *_ in seen:
        for word in ("silent_", "check", "repeat", "expected"):
            assert (
                word not in re.sub(r"silent \d|checkbox", "", page_text.split("<main")[1].split("</main>")[0]).lower()
            )


def test_an_item_in_use_as_practice_is_no_item_to_grade(database: Database, client: TestClient) -> None:
    """Everybody sees the copy, so that a target which counted the item would never be met."""
    with database.write() as session:
        study = open_way(session, forms=False, problems=4)
        original = session.scalars(select(Item).order_by(Item.id)).all()[0]
        right = {"helpfulness": 3}
        copy = check_editing.use_item(session, "test", study, original, role="practice", answers=right, feedback="")
        study_id, original_id, copy_id, slug = study.id, original.id, copy.id, study.slug
        study.grades_per_item = 2
    sign_in(client, database, "admin")
    first, second, third = add_annotators(database, study_id, 3)
    sees = "1 item is in use as practice"
    assert all(sees in client.get(f"/studies/{slug}/desk{page}").text for page in ("", "/items"))
    assert to_go(database, first) == 3
    for person in (first, second):
        practise(database, person)
        grade_all(database, person)
    with database.read() as session:
        live = live_state(session, session.get_one(Study, study_id))
        assert (live.progress.items, live.progress.held, live.progress.wanted) == (3, 6, 6)
        assert live.projection is not None
        assert live.projection.kind == "met"
        assert not live.shortages[0].items
        assert grading_progress(session, session.get_one(Study, study_id)).items_by_grades == {2: 3}
    assert to_go(database, third) == 0
    with database.write() as session:
        check_editing.remove(session, "test", session.get_one(Study, study_id), copy_id)
    assert sees not in client.get(f"/studies/{slug}/desk").text
    assert (to_go(database, first), to_go(database, third)) == (0, 1)
    grade_all(database, third)
    with database.read() as session:
        assert session.get_one(Item, original_id).load == 1, "of the one who never saw its copy"


@pytest.mark.sqlite_is_enough
def test_a_claim_of_an_item_that_becomes_practice_is_left_out_once(database: Database) -> None:
    with database.write() as session:
        study_id = open_way(session, forms=False, problems=4).id
    [person] = add_annotators(database, study_id, 1)
    with database.write() as session:
        claimed = assignments.upcoming(session, person)[0]
        study, original = session.get_one(Study, study_id), session.get_one(Item, claimed.item_id)
        check_editing.use_item(
            session, "test", study, original, role="silent", answers={"helpfulness": 3}, feedback=""
        )
    with database.read() as session:
        progress = progress_of(session, [session.get_one(Study, study_id)])[study_id]
        assert (progress.items, progress.graded) == (3, 0)
        sitting = Sitting.of(session, person)
        assert (study_count(sitting).graded, study_count(sitting).wanted) == (0, 3 * study.grades_per_item)
