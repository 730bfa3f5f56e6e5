"""The study's count on an annotator's page is the one on its admin's desk."""

import pytest

from app.services import assignments, pace
from app.services.kept import forget
from app.services.study_progress import progress_of
from app.storage.engine import Database
from app.storage.models import Study
from tests.grading.helpers import add_annotators, answer, open_study


def counts(database: Database, study_id: int, person: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Graded and wanted: to the annotator, and to the admin."""
    forget(database.engine)
    with database.read() as session:
        told = pace.progress_of(session, person).study
        study = session.get_one(Study, study_id)
        desk = progress_of(session, [study])[study_id]
        return (told.graded, told.wanted), (desk.held, desk.wanted)


@pytest.mark.parametrize("target", [1, 2, 3])
def test_grades_beyond_the_target_bring_the_goal_no_nearer(database: Database, target: int) -> None:
    study_id = open_study(database, problems=2, systems=2, grades_per_item=3)
    people = add_annotators(database, study_id, 3)
    for person, times in zip(people, (4, 4, 2), strict=True):
        for _ in range(times):
            with database.write() as session:
                answer(session, assignments.upcoming(session, person)[0], 2)
    with database.write() as session:
        session.get_one(Study, study_id).grades_per_item = target
    told, desk = counts(database, study_id, people[0])
    assert told == desk
    assert told == ({1: 4, 2: 8, 3: 10}[target], 4 * target)
