"""An exported study into the tables: line by line, in an order in which everything that a row names is there."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, cast

from sqlalchemy import JSON, Table, bindparam, insert, select, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session
from sqlalchemy.types import TypeEngine

from app.services.imports.store_material import INSERT_ROWS
from app.services.imports.study_bundle_answers import Files, check_history
from app.services.imports.study_bundle_files import EVENTS, FILES, GRADES
from app.services.imports.study_bundle_places import Places
from app.services.imports.study_bundle_reader import ExportedStudy
from app.services.imports.study_bundle_values import Rows, Values
from app.storage.base import Base
from app.storage.models import GradeEvent, Item, Study, System

JSON_OR_NULL: TypeEngine[Any] = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")


def store_exported(
    session: Session, study: Study, exported: ExportedStudy, *, run_id: int, run: str, images: Mapping[str, int]
) -> None:
    """Add all of it to the new study. ``images``: artifact ids by the names in the bundle."""
    systems = [
        {"study_id": study.id, "name": name, "position": position}
        for position, name in enumerate(exported.about.systems)
    ]
    _insert(session, System, systems)
    places = Places(first_instrument=exported.first_instrument)
    places.load(session, study, "systems", "instruments", "questions")
    as_copy = run if _is_stored(session, exported.first_submission()) else ""
    rows = Rows(places, study.id, run_id, images, as_copy, exported.asked)
    for file in FILES:
        try:
            _insert(session, file.table, exported.rows(file, rows))
        except IntegrityError as error:
            raise exported.twice(file) from error
        if file.part:
            places.load(session, study, file.part)
        if file.table is Item:
            _link_repeats(session, rows)
    _set_loads(session, rows)
    check_history(session, study, Files(GRADES, EVENTS))


def _is_stored(session: Session, submission: str | None) -> bool:
    """Whether this installation has that submission: then the study is a copy of one that is here."""
    statement = select(GradeEvent.id).where(GradeEvent.submission_id == submission).limit(1)
    return submission is not None and session.scalar(statement) is not None


def _insert(session: Session, model: type[Base], rows: Iterable[Values]) -> None:
    """Many rows, a few thousand at a time; None is NULL in columns of JSON, too, as when a row is made by hand."""
    table = cast("Table", model.__table__)
    iterator = iter(rows)
    while chunk := list(islice(iterator, INSERT_ROWS)):
        values = {name: bindparam(name, type_=_type(table.c[name].type)) for name in chunk[0]}
        session.execute(insert(table).values(values), chunk)


def _type(column: TypeEngine[Any]) -> TypeEngine[Any]:
    return JSON_OR_NULL if isinstance(column, JSON) else column


def _link_repeats(session: Session, rows: Rows) -> None:
    table = cast("Table", Item.__table__)
    link = update(table).where(table.c.id == bindparam("repeat")).values(repeats_id=bindparam("shown_before"))
    item = rows.places.item
    found = [{"repeat": item(*repeat), "shown_before": item(*original)} for repeat, original in rows.repeats]
    if found:
        session.execute(link, found)


def _set_loads(session: Session, rows: Rows) -> None:
    """An item's load is how many hold it: open claims, and grades that count."""
    table = cast("Table", Item.__table__)
    change = update(table).where(table.c.id == bindparam("item")).values(load=bindparam("held"))
    iterator = iter(sorted(rows.loads.items()))
    while chunk := [{"item": item, "held": held} for item, held in islice(iterator, INSERT_ROWS)]:
        session.execute(change, chunk)
