"""A study that many people have graded for a month and that goes on: what benchmarks of desk and exports read."""

import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.ids import content_hash, new_opaque_id
from app.services.ordering import place
from app.services.questionnaires.instruments import output_instrument, questions_of
from app.services.questionnaires.versions import publish_questionnaire
from app.services.studies import create_study
from app.storage.engine import Database
from app.storage.models import (
    Annotator,
    Assignment,
    AuditEvent,
    Grade,
    GradeEvent,
    Item,
    MetricScore,
    Output,
    Problem,
    Reference,
    Scoring,
    SignIn,
    System,
)

SYSTEMS, PEOPLE, SEED = 10, 200, 1
TARGET, GIVEN = 6, (4, 5, 6)  # grades an item should have, and has: five in the mean
STEPS = (3, 7, 9, 11, 13, 17, 19, 21, 23, 27, 29, 31, 33, 37, 39, 41)  # from one annotator of an item to the next
SKIPPED_EVERY, FLAGGED_EVERY, RETIRED_EVERY, CLAIMED_EVERY = 50, 1_000, 1_000, 500
DAYS, DECISIONS = 30, 5_000
SLUG, METRIC = "benchmark", "length"
CODE = "\n".join(["def solve(xs):", "    total = 0", "    for x in xs:", "        total += x", "    return total"])
PROBLEMS_AT_ONCE = 500
Rows = list[dict[str, Any]]


@dataclass(slots=True)
class _Filling:
    """What the rows of grading point to, and how far each annotator is."""

    session: Session
    study: int
    instrument: int
    question: int
    version: int
    scoring: int
    systems: Sequence[int]
    people: Sequence[int]
    now: datetime
    grades: int
    positions: Counter[int] = field(default_factory=Counter)


def fill_graded(database: Database, items: int) -> None:
    """So many items, five grades each in the mean, with their history, skips, flags, claims and decisions."""
    with database.write() as session:
        filling = _begin(session, items)
        problems = session.scalars(select(Problem.id).order_by(Problem.id)).all()
        for first in range(0, len(problems), PROBLEMS_AT_ONCE):
            _add_items(filling, problems[first : first + PROBLEMS_AT_ONCE])
        _add_decisions(filling)


def _begin(session: Session, items: int) -> _Filling:
    study = create_study(session, "Benchmark", seed=SEED, slug=SLUG, state="open", grades_per_item=TARGET)
    study.opened_at = utc_now() - timedelta(days=DAYS)
    of_study = {"study_id": study.id}
    session.execute(insert(System), [of_study | {"name": f"model-{n}", "position": n} for n in range(SYSTEMS)])
    rows = [
        of_study | {"key": f"p{n}", "position": n, "intent": f"Add up list {n}."} for n in range(items // SYSTEMS)
    ]
    session.execute(insert(Problem), rows)
    people = [
        Annotator(study_id=study.id, pseudonym=f"A{n:03}", order_seed=place(SEED, n), source="prolific")
        for n in range(PEOPLE)
    ]
    scoring = Scoring(study_id=study.id, name=METRIC, label="Length", signature="imported:benchmark", imported=True)
    session.add_all([*people, scoring])
    session.flush()
    return _Filling(
        session,
        study.id,
        output_instrument(session, study).id,
        questions_of(session, study.id)[0].id,
        publish_questionnaire(session, study).id,
        scoring.id,
        session.scalars(select(System.id).order_by(System.id)).all(),
        [person.id for person in people],
        utc_now(),
        items * sum(GIVEN) // len(GIVEN),
    )


def _add_items(filling: _Filling, problems: Sequence[int]) -> None:
    texts = [(problem, f"{CODE}  # {problem} {system}") for problem in problems for system in range(SYSTEMS)]
    rows = [_item(filling, problem, text, number) for number, (problem, text) in enumerate(texts)]
    inserting = insert(Item).returning(Item.id, sort_by_parameter_order=True)
    made = filling.session.scalars(inserting, rows).all()
    outputs = [
        {"problem_id": problem, "system_id": system, "item_id": item, "text": text}
        for (problem, text), system, item in zip(texts, [*filling.systems] * len(problems), made, strict=True)
    ]
    adding = insert(Output).returning(Output.id, sort_by_parameter_order=True)
    _score(filling, filling.session.scalars(adding, outputs).all(), [text for _, text in texts])
    references = [{"problem_id": problem, "position": 0, "text": CODE} for problem in problems]
    filling.session.execute(insert(Reference), references)
    _grade(filling, [(item, row["load"]) for item, row in zip(made, rows, strict=True)])


def _score(filling: _Filling, outputs: Sequence[int], texts: Sequence[str]) -> None:
    """Scores as if they had been imported: computing them would take hours."""
    rows = [
        {
            "scoring_id": filling.scoring,
            "output_id": output,
            "score": len(text) / 200,
            "statistics": struct.pack("<d", len(text) / 200),
            "input_hash": content_hash(text, CODE),
        }
        for output, text in zip(outputs, texts, strict=True)
    ]
    filling.session.execute(insert(MetricScore), rows)


def _item(filling: _Filling, problem: int, text: str, number: int) -> dict[str, Any]:
    retired = number % RETIRED_EVERY == RETIRED_EVERY - 1
    return {
        "study_id": filling.study,
        "instrument_id": filling.instrument,
        "problem_id": problem,
        "identity": content_hash(text),
        "text": text,
        "shuffle": place(SEED, text),
        "load": GIVEN[number % len(GIVEN)],
        "skips": 3 if retired else 0,
        "retired_at": filling.now if retired else None,
    }


def _grade(filling: _Filling, items: Sequence[tuple[int, int]]) -> None:
    assignments: Rows = []
    grades: Rows = []
    events: Rows = []
    for item, load in items:
        for slot in range(load):
            shown = _shown(filling, item, slot)
            assignments.append(shown | {"state": "graded", "slot": slot})
            answer = _answer(filling, shown)
            grades.append(answer | {"created_at": shown["finished_at"], "updated_at": shown["finished_at"]})
            events.append(answer | _event(shown))
        assignments += _asides(filling, item, load)
    for table, rows in ((Assignment, assignments), (Grade, grades), (GradeEvent, events)):
        filling.session.execute(insert(table), rows)
    held = [each["item_id"] for each in assignments if each["state"] == "claimed"]
    filling.session.execute(update(Item).where(Item.id.in_(held)).values(load=Item.load + 1))


def _shown(filling: _Filling, item: int, slot: int) -> dict[str, Any]:
    """Days go by with the items, so that the last ones were answered just now."""
    draw = place(SEED, "people", item)
    annotator = filling.people[(draw + slot * STEPS[draw // PEOPLE % len(STEPS)]) % PEOPLE]
    filling.positions[annotator] += 1
    left = 1 - filling.positions.total() / (filling.grades * 1.03)
    at = filling.now - timedelta(days=DAYS) * max(0.0, left)
    return {
        "annotator_id": annotator,
        "item_id": item,
        "public_id": new_opaque_id(),
        "position": filling.positions[annotator],
        "claimed_at": at - timedelta(seconds=20),
        "lease_until": at + timedelta(hours=1),
        "finished_at": at,
        "skip_reason": None,
        "flag_note": "Is this Python?" if item % FLAGGED_EVERY == 0 and slot == 0 else None,
    }


def _answer(filling: _Filling, shown: dict[str, Any]) -> dict[str, Any]:
    """People agree mostly: M-MSR needs some who do so more often than chance."""
    item, annotator = shown["item_id"], shown["annotator_id"]
    draw = place(SEED, annotator, item)
    value = float(draw // 7 % 5 if draw % 7 == 0 else item % 5)
    about = {"question_id": filling.question, "questionnaire_id": filling.version}
    return about | {"annotator_id": annotator, "item_id": item, "value": value}


def _event(shown: dict[str, Any]) -> dict[str, Any]:
    details = {
        "by": "key",
        "shown_at": shown["claimed_at"].strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        "first_key_ms": 2000,
        "submit_ms": 6000 + shown["item_id"] % 900,
        "hidden_ms": 0,
        "idle_ms": 500,
        "changes": 0,
        "sent": {"kind": "grade", "answers": {"helpfulness": 3.0}, "note": ""},
        "active_ms": 5500 + shown["item_id"] % 900,
    }
    more = {"kind": "grade", "submission_id": new_opaque_id(), "details": details}
    return more | {"created_at": shown["finished_at"]}


def _asides(filling: _Filling, item: int, load: int) -> Iterator[dict[str, Any]]:
    """Now and then somebody skips the item, or holds it."""
    if item % SKIPPED_EVERY == 0:
        yield _shown(filling, item, load) | {"state": "skipped", "slot": None, "skip_reason": "no Python"}
    if item % CLAIMED_EVERY == 1 and load < TARGET - 1:
        yield _shown(filling, item, load + 1) | {"state": "claimed", "slot": load + 1, "finished_at": None}


def _add_decisions(filling: _Filling) -> None:
    actions = ("study settings changed", "annotator named", "state changed")
    rows = [
        {"actor": "system", "action": actions[n % 3], "study_id": filling.study, "details": {"title": f"T{n}"}}
        for n in range(DECISIONS)
    ]
    filling.session.execute(insert(AuditEvent), rows)
    later = {"last_seen_at": filling.now, "expires_at": filling.now + timedelta(days=90)}
    signed_in = [
        later | {"token_hash": content_hash(str(person)), "annotator_id": person} for person in filling.people
    ]
    filling.session.execute(insert(SignIn), signed_in)
