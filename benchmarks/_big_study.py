"""A study of 100,000 items with its annotators, stored the short way: what the benchmarks of grading stand on."""

from dataclasses import dataclass

from sqlalchemy import insert, select

from app.services.ordering import place
from app.services.questionnaires.instruments import output_instrument
from app.services.sign_ins import start_session
from app.services.studies import create_study
from app.storage.engine import Database
from app.storage.models import Annotator, Item, Problem

PROBLEMS, OUTPUTS = 20_000, 5
CODE = """def {name}(values):
    total = 0
    for index, value in enumerate(values):
        if value is None:  # skipped
            continue
        total += value * {number} + index
    return total / max(1, len(values))
"""


@dataclass(frozen=True)
class BigStudy:
    """The study's number, and each annotator's number and cookie."""

    study_id: int
    people: list[tuple[int, str]]


def fill(database: Database, annotators: int = 1, problems: int = PROBLEMS) -> BigStudy:
    """Store the study, open, with signed-in annotators."""
    with database.write() as session:
        study = create_study(session, "Big", seed=1, state="open")
        instrument_id = output_instrument(session, study).id
        rows = [
            {"study_id": study.id, "key": f"p{n}", "position": n, "intent": f"Weighted mean of the values, part {n}"}
            for n in range(problems)
        ]
        session.execute(insert(Problem), rows)
        ids = session.scalars(select(Problem.id)).all()
        common = {"study_id": study.id, "instrument_id": instrument_id}
        session.execute(insert(Item), [common | _item(each, n) for each in ids for n in range(OUTPUTS)])
        people = [
            Annotator(study_id=study.id, pseudonym=f"A{n:03d}", order_seed=place(1, "annotator", n))
            for n in range(annotators)
        ]
        session.add_all(people)
        session.flush()
        return BigStudy(study.id, [(each.id, start_session(session, annotator_id=each.id)) for each in people])


def _item(problem_id: int, number: int) -> dict[str, object]:
    return {
        "problem_id": problem_id,
        "identity": str(number),
        "text": CODE.format(name=f"mean_{problem_id}", number=number),
        "shuffle": place(1, problem_id, number),
    }
