"""A study once more, to be graded by others: settings, questionnaire, forms, options and, if wanted, the material.

Grades, people, invitations and scores of outputs are never copied. The copy keeps the seed, so that its order is the
same, and what automatic checks said of changed prompts that came with a bundle.
"""

from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.services import audit, studies
from app.services.questionnaires.instruments import instruments_of, questions_of
from app.services.questionnaires.versions import latest_version, publish
from app.storage.base import Base
from app.storage.models import Instrument, Item, Output, Problem, Reference, Study, System, Variant, VariantScore

SETTINGS = (
    *("description", "instructions", "notice", "language", "grades_per_item", "claim_minutes"),
    *("merge_identical", "include_references", "codebleu_variant", "options", "set_slug"),
)
FORMS = ("consent", "profile", "closing")
AT_ONCE = 200  # problems in one transaction: well under a second
# So many items are copied while the admin waits; more take a run.
SMALL = 2_000


def copy_study(session: Session, actor: str, source: Study, title: str) -> Study:
    """A new draft like the source, without material."""
    settings = {name: getattr(source, name) for name in SETTINGS}
    copy = studies.create_study(session, title, seed=source.seed, instruments=(), **settings)
    for instrument in instruments_of(session, source.id):
        made = _again(instrument, study_id=copy.id)
        session.add(made)
        session.flush()
        for question in questions_of(session, source.id, instrument.id):
            session.add(_again(question, study_id=copy.id, instrument_id=made.id))
    session.flush()
    for kind in FORMS:
        if (version := latest_version(session, source, kind)) is not None:
            publish(session, copy, kind, version.content)
    audit.record(session, actor, "study copied", copy.id, source=source.title, source_study=source.id)
    return copy


def is_small(session: Session, study: Study) -> bool:
    """Whether the material can be copied while somebody waits."""
    return (session.scalar(select(func.count()).where(Item.study_id == study.id)) or 0) <= SMALL


def copy_all_problems(session: Session, source: Study, target: Study) -> None:
    """All material at once, of a small study."""
    done = 0
    while copied := copy_problems(session, source, target, after=done):
        done += copied


def count_problems(session: Session, study: Study) -> int:
    """How many problems the study has."""
    return session.scalar(select(func.count()).where(Problem.study_id == study.id)) or 0


def copy_problems(session: Session, source: Study, target: Study, *, after: int) -> int:
    """The next problems after the first so many, with their items, outputs, references and variants; how many."""
    problems = session.scalars(
        select(Problem)
        .where(Problem.study_id == source.id)
        .order_by(Problem.position, Problem.id)
        .offset(after)
        .limit(AT_ONCE)
    ).all()
    if not problems:
        return 0
    ids = [each.id for each in problems]
    problem = _copies(session, problems, lambda _: {"study_id": target.id, "run_id": None})
    instruments = _by_name(session, source, target, Instrument)
    systems = _systems(session, source, target)
    variants = _rows(session, Variant, ids)
    variant = _copies(session, variants, lambda row: {"problem_id": problem[row.problem_id], "run_id": None})
    _copy_scores(session, variant)
    items = _rows(session, Item, ids)
    item = _copies(session, items, lambda row: _item(row, target, problem, instruments, variant))
    _point_repeats(session, items, item)
    _copies(
        session,
        _rows(session, Output, ids),
        lambda row: {
            "problem_id": problem[row.problem_id],
            "system_id": systems[row.system_id],
            "item_id": item[row.item_id],
            "run_id": None,
        },
    )
    _copies(
        session,
        _rows(session, Reference, ids),
        lambda row: {"problem_id": problem[row.problem_id], "item_id": item.get(row.item_id), "run_id": None},
    )
    return len(problems)


def _item(
    row: Any, target: Study, problem: dict[int, int], instruments: dict[int, int], variant: dict[int, int]
) -> dict[str, Any]:
    """Nobody has skipped it yet: a retired item is back."""
    return {
        "study_id": target.id,
        "instrument_id": instruments[row.instrument_id],
        "problem_id": problem[row.problem_id],
        "variant_id": variant.get(row.variant_id),
        "repeats_id": None,
        "load": 0,
        "skips": 0,
        "retired_at": None,
    }


def _copy_scores(session: Session, variant: dict[int, int]) -> None:
    """What checks said of changed prompts."""
    brought = select(VariantScore).where(VariantScore.variant_id.in_(variant))
    session.add_all([_again(row, variant_id=variant[row.variant_id]) for row in session.scalars(brought).all()])


def _point_repeats(session: Session, items: list[Any], item: dict[int, int]) -> None:
    """A repeat shows an item of the same problem."""
    for row in items:
        if row.repeats_id in item:
            session.get_one(Item, item[row.id]).repeats_id = item[row.repeats_id]
    session.flush()


def _copies(session: Session, rows: Any, changes: Any) -> dict[int, int]:
    """Copies of the rows with these changes; the new number of each by its old one."""
    made = [(row.id, _again(row, **changes(row))) for row in rows]
    session.add_all([copy for _, copy in made])
    session.flush()
    return {old: copy.id for old, copy in made}


def _again(row: Any, **changes: Any) -> Any:
    """A row with the same values but its number, and but for these changes."""
    table: type[Base] = type(row)
    names = [column.key for column in table.__mapper__.column_attrs if column.key != "id"]
    return table(**{name: getattr(row, name) for name in names} | changes)


def _rows(session: Session, table: Any, problems: list[int]) -> list[Any]:
    return list(session.scalars(select(table).where(table.problem_id.in_(problems)).order_by(table.id)))


def _by_name(session: Session, source: Study, target: Study, table: Any) -> dict[int, int]:
    """The target's rows by the source's numbers, as far as there are any of the same name."""
    names = {row.name: row.id for row in session.scalars(select(table).where(table.study_id == target.id))}
    mine = session.scalars(select(table).where(table.study_id == source.id)).all()
    return {row.id: names[row.name] for row in mine if row.name in names}


def _systems(session: Session, source: Study, target: Study) -> dict[int, int]:
    """The target's systems by the source's numbers; made by the first problems."""
    known = _by_name(session, source, target, System)
    missing = [
        row for row in session.scalars(select(System).where(System.study_id == source.id)) if row.id not in known
    ]
    return known | _copies(session, missing, lambda _: {"study_id": target.id})
