"""What the lines of an exported study speak of, by name: counted while it is checked, the rows' ids when stored."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.imports.storable import BadValue
from app.storage.models import Annotator, FormVersion, Instrument, Item, Problem, Question, Study, System, Variant
from app.words import gettext

ItemKey = tuple[str, str, str]  # instrument, problem, identity
VariantKey = tuple[str, str, str, int]  # problem, kind, transformation, seed


@dataclass
class Places:
    """Ids by name, of one study."""

    problems: dict[str, int] = field(default_factory=dict)
    systems: dict[str, int] = field(default_factory=dict)
    instruments: dict[str, int] = field(default_factory=dict)
    questions: dict[str, int] = field(default_factory=dict)
    variants: dict[VariantKey, int] = field(default_factory=dict)
    items: dict[ItemKey, int] = field(default_factory=dict)
    forms: dict[tuple[str, int], int] = field(default_factory=dict)
    annotators: dict[str, int] = field(default_factory=dict)
    first_instrument: str = ""  # of those about outputs: outputs and references hang on its items

    def problem(self, name: str) -> int:
        """The problem; BadValue where the bundle has none of that name, as with all that follow."""
        return _found(self.problems, name, "problem", name)

    def system(self, name: str) -> int:
        """The system."""
        return _found(self.systems, name, "system", name)

    def instrument(self, name: str) -> int:
        """The instrument."""
        return _found(self.instruments, name, "instrument", name)

    def question(self, name: str | None) -> int | None:
        """The question, if one is named."""
        return None if name is None else _found(self.questions, name, "question", name)

    def annotator(self, name: str) -> int:
        """The annotator."""
        return _found(self.annotators, name, "annotator", name)

    def form(self, kind: str, number: int) -> int:
        """That version of that form."""
        return _found(self.forms, (kind, number), "form", f"{kind} {number}")

    def questionnaire(self, number: int | None) -> int | None:
        """That version of the questionnaire, if one is named."""
        return None if number is None else self.form("questionnaire", number)

    def variant(self, problem: str, named: tuple[str, str, int] | None) -> int | None:
        """The problem's variant, if one is named."""
        return None if named is None else _found(self.variants, (problem, *named), "variant", named[1])

    def item(self, instrument: str, problem: str, identity: str) -> int:
        """The instrument's item."""
        return _found(self.items, (instrument, problem, identity), "item", f"{identity[:12]}… of problem {problem!r}")

    def output_item(self, problem: str, identity: str) -> int:
        """The item of an output or a reference."""
        return self.item(self.first_instrument, problem, identity)

    def load(self, session: Session, study: Study, *parts: str) -> None:
        """Look up the ids of the rows of these kinds, which are stored by now."""
        for part in parts:
            setattr(self, part, _LOADERS[part](session, study))


def _found(known: Mapping[Any, int], key: object, what: str, shown: str) -> int:
    if key not in known:
        raise BadValue(gettext("The bundle has no %(what)s %(shown)s.", what=what, shown=shown))
    return known[key]


def _problems(session: Session, study: Study) -> dict[str, int]:
    return dict(session.execute(select(Problem.key, Problem.id).where(Problem.study_id == study.id)).all())


def _systems(session: Session, study: Study) -> dict[str, int]:
    return dict(session.execute(select(System.name, System.id).where(System.study_id == study.id)).all())


def _instruments(session: Session, study: Study) -> dict[str, int]:
    return dict(session.execute(select(Instrument.name, Instrument.id).where(Instrument.study_id == study.id)).all())


def _questions(session: Session, study: Study) -> dict[str, int]:
    return dict(session.execute(select(Question.name, Question.id).where(Question.study_id == study.id)).all())


def _annotators(session: Session, study: Study) -> dict[str, int]:
    rows = session.execute(select(Annotator.pseudonym, Annotator.id).where(Annotator.study_id == study.id))
    return dict(rows.all())


def _forms(session: Session, study: Study) -> dict[tuple[str, int], int]:
    rows = session.execute(
        select(FormVersion.kind, FormVersion.number, FormVersion.id).where(FormVersion.study_id == study.id)
    )
    return {(kind, number): form_id for kind, number, form_id in rows}


def _variants(session: Session, study: Study) -> dict[VariantKey, int]:
    rows = session.execute(
        select(Problem.key, Variant.kind, Variant.transformation, Variant.seed, Variant.id)
        .join(Problem, Problem.id == Variant.problem_id)
        .where(Problem.study_id == study.id)
    )
    return {(problem, kind, transformation, seed): variant for problem, kind, transformation, seed, variant in rows}


def _items(session: Session, study: Study) -> dict[ItemKey, int]:
    rows = session.execute(
        select(Instrument.name, Problem.key, Item.identity, Item.id)
        .join(Instrument, Instrument.id == Item.instrument_id)
        .join(Problem, Problem.id == Item.problem_id)
        .where(Item.study_id == study.id)
    )
    return {(instrument, problem, identity): item for instrument, problem, identity, item in rows}


_LOADERS = {
    "problems": _problems,
    "systems": _systems,
    "instruments": _instruments,
    "questions": _questions,
    "annotators": _annotators,
    "forms": _forms,
    "variants": _variants,
    "items": _items,
}
