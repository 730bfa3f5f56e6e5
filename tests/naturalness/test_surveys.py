"""A survey of a perturbed set: what it asks about follows from the seed, evenly from all that was really changed."""

from collections import Counter

import pytest
from sqlalchemy import select

from app.errors import InvalidInput
from app.services.naturalness.drawing import draw_survey, transformations_in
from app.services.naturalness.making import make_surveys
from app.services.naturalness.spec import SurveySpec, parse_survey
from app.services.perturbing import find_set
from app.services.questionnaires.instruments import instruments_of
from app.services.sampling.drawing import Candidate, draw
from app.storage.engine import Database
from app.storage.models import AuditEvent, Benchmark, BenchmarkProblem, Item, Problem, Study, Variant
from tests.naturalness.conftest import SET, SPEC, make_survey


def _drawn(database: Database, **changes: object):  # type: ignore[no-untyped-def]
    with database.read() as session:
        return draw_survey(session, find_set(session, SET), SPEC.model_copy(update=changes))


def test_the_same_seed_draws_the_same_and_another_one_others(perturbed: Database) -> None:
    first, again, other = _drawn(perturbed), _drawn(perturbed), _drawn(perturbed, seed=8)
    assert first == again
    assert first.digest == again.digest != other.digest
    assert [row.key for row in first.perturbed] != [row.key for row in other.perturbed]


def test_each_category_gives_the_same_number(perturbed: Database) -> None:
    drawn = _drawn(perturbed, perturbed=9, pairs=6)
    assert Counter(row.category for row in drawn.perturbed) == {"docstring": 3, "function_name": 3, "format": 3}
    assert Counter(row.category for row in drawn.pairs) == {"docstring": 2, "function_name": 2, "format": 2}
    counts = {each.transformation: (each.available, each.perturbed, each.pairs) for each in drawn.strata}
    assert counts == {
        "docstring/Shout": (22, 3, 2),
        "function_name/Rename": (12, 3, 2),
        "format/Remark": (12, 3, 2),
    }


def test_within_a_category_each_transformation_gives_the_same_number() -> None:
    sizes = {("a", "a/1"): 9, ("a", "a/2"): 9, ("a", "a/3"): 9, ("b", "b/1"): 9, ("c", "c/1"): 1}
    candidates = [
        Candidate((name, str(number)), name, group) for (group, name), size in sizes.items() for number in range(size)
    ]
    taken = Counter(each.stratum for each in draw(candidates, 13, 3))
    assert taken == {"a/1": 2, "a/2": 2, "a/3": 2, "b/1": 6, "c/1": 1}


def test_only_what_was_really_changed_is_asked_about(perturbed: Database) -> None:
    drawn = _drawn(perturbed, perturbed=1_000, pairs=1_000)
    assert len(drawn.perturbed) == len(drawn.pairs) == 46
    assert not any(row.task == "b/1" for row in drawn.perturbed if row.transformation == "docstring/Shout")


def test_unperturbed_prompts_are_of_other_problems_as_far_as_there_are_enough(perturbed: Database) -> None:
    drawn = _drawn(perturbed, unperturbed=6, perturbed=9)
    assert drawn.shared == 0
    assert not {row.task for row in drawn.unperturbed} & {row.task for row in drawn.perturbed}
    crowded = _drawn(perturbed, unperturbed=10, perturbed=9)
    assert (len(crowded.unperturbed), crowded.tasks) == (10, 12)
    assert crowded.shared == sum(row.task in {each.task for each in crowded.unperturbed} for row in crowded.perturbed)
    assert crowded.shared > 0


def test_unperturbed_prompts_show_half_a_solution_as_often_as_perturbed_ones(perturbed: Database) -> None:
    drawn = _drawn(perturbed, unperturbed=6, perturbed=9)
    assert Counter(row.form for row in drawn.perturbed) == {"whole": 6, "half": 3}
    assert Counter(row.form for row in drawn.unperturbed) == {"whole": 4, "half": 2}


def test_one_text_of_a_problem_is_asked_about_once(perturbed: Database) -> None:
    with perturbed.write() as session:
        rows = session.scalars(
            select(BenchmarkProblem).where(BenchmarkProblem.transformation == "docstring/Shout").order_by("id")
        ).all()
        for row in rows:  # all seeds alike
            row.prompt = f"{row.origin_id} again"
    drawn = _drawn(perturbed, perturbed=1_000)
    assert Counter(row.category for row in drawn.perturbed) == {"docstring": 11, "function_name": 12, "format": 12}


def test_a_study_asks_both_questions_of_what_was_drawn(perturbed: Database) -> None:
    with perturbed.write() as session:
        study = make_survey(session)
        drawn = draw_survey(session, find_set(session, SET), SPEC)
        assert (study.set_slug, study.seed, study.grades_per_item, study.state) == (SET, 7, 2, "draft")
        assert [each.name for each in instruments_of(session, study.id)] == ["naturalness", "semantic-similarity"]
        alone, beside = (
            session.execute(
                select(Item.text, Item.original, Variant.transformation, Problem.intent)
                .join(Problem, Problem.id == Item.problem_id)
                .outerjoin(Variant, Variant.id == Item.variant_id)
                .where(Item.instrument_id == each.id)
            ).all()
            for each in instruments_of(session, study.id)
        )
        assert Counter(name for _, _, name, _ in alone if name) == Counter(
            row.transformation for row in drawn.perturbed
        )
        assert sum(name is None for _, _, name, _ in alone) == 4
        assert all(text == intent for text, _, name, intent in alone if name is None)
        assert len(beside) == 6
        for text, original, name, _ in beside:
            row = session.scalars(
                select(BenchmarkProblem).where(
                    BenchmarkProblem.prompt == text, BenchmarkProblem.transformation == name
                )
            ).first()
            assert row is not None
            assert row.unchanged is None
            assert session.get_one(BenchmarkProblem, row.origin_id).prompt == original
        event = session.scalars(select(AuditEvent).where(AuditEvent.action == "study.create")).one()
        assert event.details["sha256"] == drawn.digest
        assert event.details["spec"] == SPEC.model_dump(mode="json")


def test_two_studies_ask_one_question_each(perturbed: Database) -> None:
    with perturbed.write() as session:
        made = find_set(session, SET)
        studies = make_surveys(session, made, SPEC, title="Natural?", separate=True, actor="tests")
        asked = [[each.name for each in instruments_of(session, study.id)] for study in studies]
        assert asked == [["naturalness"], ["semantic-similarity"]]
        assert [study.title for study in studies] == ["Natural?: naturalness", "Natural?: similarity"]
        counts = [len(session.scalars(select(Item).where(Item.study_id == study.id)).all()) for study in studies]
        assert counts == [10, 6]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"perturbed": -1}, "Perturbed prompts: enter a whole number from 0"),
        ({"annotators": 0}, "Annotators for each item: enter a whole number from 1"),
        ({"unperturbed": 0, "perturbed": 0, "pairs": 0}, "asks about nothing"),
    ],
)
def test_what_can_not_be_asked_is_named(values: dict[str, int], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        parse_survey(values)


def test_a_transformation_that_the_set_lacks_is_refused(perturbed: Database) -> None:
    with pytest.raises(InvalidInput, match="docstring/Whisper"):
        _drawn(perturbed, transformations=("docstring/Whisper",))
    only = _drawn(perturbed, transformations=("format/Remark",))
    assert {row.transformation for row in only.perturbed} == {"format/Remark"}
    with perturbed.read() as session:
        known = transformations_in(session, find_set(session, SET))
    assert known == {"docstring/Shout": 22, "function_name/Rename": 12, "format/Remark": 12}


def test_a_set_without_changes_makes_no_study(database: Database) -> None:
    with database.write() as session:
        recipe = {"mode": "paper", "transformations": [], "seeds": 1}
        made = Benchmark(slug="empty", name="Empty", layout="recode", file_hash="0" * 64, recipe=recipe)
        session.add(made)
        session.flush()
        with pytest.raises(InvalidInput, match="no changed prompt"):
            make_surveys(session, made, SurveySpec(), title="Natural?", actor="tests")
        assert session.scalars(select(Study)).all() == []
