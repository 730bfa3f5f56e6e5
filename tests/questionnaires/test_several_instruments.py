"""Several instruments in one study: each question is analysed by its own grades, whichever instrument asks it."""

import pytest
from sqlalchemy import select

from app.errors import InvalidInput
from app.services.analysis.inputs import load_grades
from app.services.dashboards.progress import grading_progress
from app.services.dashboards.readiness import check_readiness
from app.services.questionnaires.instruments import instruments_of, questions_of
from app.services.questionnaires.ready_made import CODE_SUMMARY, COMMENT, HELPFULNESS, NATURALNESS, InstrumentDraft
from app.storage.engine import Database
from app.storage.models import Item
from tests.factories import add_grade, make_study
from tests.security.world import make_annotator

REMARKS = InstrumentDraft("remarks", "Remarks", "Only words.", "output", (COMMENT,))


def test_the_questions_of_each_instrument_are_analysed_apart(database: Database) -> None:
    with database.write() as session:
        study = make_study(session, problems=2, instruments=(NATURALNESS, REMARKS, HELPFULNESS, CODE_SUMMARY))
        _, remarks, helpfulness, summaries = instruments_of(session, study.id)
        asked = {each.name: each for each in questions_of(session, study.id)}
        first = session.scalars(select(Item).order_by(Item.id)).all()
        assert {each.instrument_id for each in first} == {remarks.id}
        again = []
        for instrument in (helpfulness, summaries):
            for each in first:
                same = {"problem_id": each.problem_id, "identity": each.identity, "text": each.text, "shuffle": 1}
                again.append(Item(study_id=study.id, instrument_id=instrument.id, **same))
        session.add_all(again)
        session.flush()
        who = make_annotator(session, study)
        for item in again[:3]:
            add_grade(session, who, item.id, asked["helpfulness"].id, 4)
        for item in again[4:]:
            add_grade(session, who, item.id, asked["fluency"].id, 2)
        summaries.grades_per_item = 1
    with database.read() as session:
        ready = check_readiness(session, study).questions
        assert ready == ("helpfulness", "direct-assessment", "content-adequacy", "conciseness", "fluency")
        default, chosen = load_grades(session, study, None), load_grades(session, study, "fluency")
        assert (default.question, default.labels, default.lowest, default.highest) == ("helpfulness", (4, 4, 4), 0, 4)
        assert (chosen.question, chosen.labels, chosen.lowest, chosen.highest) == ("fluency", (2, 2, 2, 2), 1, 5)
        with pytest.raises(InvalidInput, match="aren't numbers"):
            load_grades(session, study, "comment")
        progress = grading_progress(session, study)
        assert progress.items_by_grades == {0: 1, 1: 3}
        assert progress.grades_by_annotator == [("A01", 3)]
