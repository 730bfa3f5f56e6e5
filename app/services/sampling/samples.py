"""Preview a sample, and make its items: what is there already stays and is counted."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import Conflict, InvalidInput
from app.ids import content_hash
from app.services import audit
from app.services.imports.store_material import insert_all
from app.services.ordering import place
from app.services.sampling.candidates import (
    Found,
    Material,
    changed_prompts,
    check_names,
    nominal_prompts,
    outputs,
    pairs,
)
from app.services.sampling.drawing import Candidate, draw, in_order
from app.services.sampling.spec import REFERENCES, SampleSpec
from app.storage.models import Instrument, Item, Study
from app.words import gettext

KIND_OF_SOURCE = {"prompts": "prompt", "pairs": "pair", "outputs": "output"}


@dataclass(frozen=True, slots=True)
class Drawn:
    """One item of a sample."""

    stratum: str
    material: Material


@dataclass(frozen=True, slots=True)
class Sample:
    """What was drawn. ``strata``: drawn and available by stratum; ``known``: items that are there already.

    ``digest`` names the drawn items by content: the same spec on the same material gives the same. ``short``: what
    was asked for, and how much of it there is, wherever there is less.
    """

    drawn: list[Drawn]
    strata: dict[str, tuple[int, int]]
    known: int
    digest: str
    short: dict[str, tuple[int, int]]

    @property
    def new(self) -> int:
        """How many items would be made."""
        return len(self.drawn) - self.known


def draw_sample(session: Session, study: Study, instrument: Instrument, spec: SampleSpec) -> Sample:
    """The sample, nothing stored."""
    _check_kind(instrument, spec)
    check_names(session, study, spec)
    parts = _parts(session, study, spec)
    drawn = [Drawn(candidate.stratum, material) for candidate, material in _draw(parts, spec)]
    stored = _stored(session, instrument)
    known = sum(each.material.item in stored for each in drawn)
    available = Counter(candidate.stratum for part in parts for candidate, _ in part.found)
    taken = Counter(each.stratum for each in drawn)
    strata = {name: (taken[name], available[name]) for name in sorted(available)}
    digest = digest_of(drawn)
    asked = {part.name: (part.count or 0, len(part.found)) for part in parts}
    short = {name: (count, there) for name, (count, there) in asked.items() if count > there}
    return Sample(drawn, strata, known, digest, short)


def digest_of(drawn: Sequence[Drawn]) -> str:
    """Names what was drawn by content."""
    return content_hash(*(text for each in drawn for text in (each.material.problem, each.material.identity)))


def make_items(session: Session, actor: str, study: Study, instrument: Instrument, spec: SampleSpec) -> Sample:
    """Make the sample's items. Nothing changes about items that are there."""
    sample = draw_sample(session, study, instrument, spec)
    if not sample.drawn:
        raise InvalidInput(
            gettext("There is nothing to draw from."), remedy=gettext("Import material first, or choose more of it.")
        )
    new = add_items(session, study, instrument, sample.drawn)
    if spec.only_these:
        _let_others_rest(session, instrument, sample)
    about = {"spec": spec.model_dump(mode="json"), "items": new, "sha256": sample.digest}
    audit.record(session, actor, "items sampled", study.id, instrument=instrument.name, **about)
    return sample


def add_items(session: Session, study: Study, instrument: Instrument, drawn: Sequence[Drawn]) -> int:
    """Make what was drawn items of the instrument; how many of them are new."""
    stored = _stored(session, instrument)
    new = [each for each in drawn if each.material.item not in stored]
    insert_all(session, Item, [_item(study, instrument, each) for each in new])
    return len(new)


def _check_kind(instrument: Instrument, spec: SampleSpec) -> None:
    wanted = KIND_OF_SOURCE[spec.source]
    if instrument.kind != wanted:
        raise Conflict(
            gettext(
                "The instrument %(name)s asks about another kind of item (%(kind)s).",
                name=repr(instrument.name),
                kind=instrument.kind,
            ),
            remedy=gettext("Choose one whose items are of the kind %(wanted)s.", wanted=repr(wanted)),
        )


@dataclass(frozen=True, slots=True)
class _Part:
    """What is drawn apart. ``count`` of None: all of it; ``name``: the field of the spec that says so."""

    name: str
    found: Found
    count: int | None


def _parts(session: Session, study: Study, spec: SampleSpec) -> list[_Part]:
    """Each text of a problem stands in one part, and once: else fewer items would come than were drawn."""
    if spec.source == "prompts":
        unchanged = distinct(nominal_prompts(session, study), spec.seed)
        same = {material.item for _, material in unchanged}  # a change that changed nothing makes no other item
        changed = [each for each in changed_prompts(session, study, spec) if each[1].item not in same]
        return [
            _Part("unchanged", unchanged, spec.unchanged),
            _Part("changed", distinct(changed, spec.seed), spec.changed),
        ]
    if spec.source == "pairs":
        return [_Part("changed", distinct(pairs(session, study, spec), spec.seed), spec.changed)]
    found = distinct(outputs(session, study, spec), spec.seed)
    # The references of the drawn problems come on top of the count.
    written = [each for each in found if each[0].stratum != REFERENCES]
    references = [each for each in found if each[0].stratum == REFERENCES]
    return [_Part("outputs", written, spec.outputs), _Part("references", references, None)]


def distinct(found: Found, seed: int) -> Found:
    """One of those that would be the same item. Which stratum a shared text counts for follows from the seed."""
    material = {candidate.key: each for candidate, each in found}
    chosen: dict[tuple[int, str], tuple[Candidate, Material]] = {}
    for candidate in in_order([candidate for candidate, _ in found], seed):
        each = material[candidate.key]
        chosen.setdefault(each.item, (candidate, each))
    return list(chosen.values())


def _draw(parts: list[_Part], spec: SampleSpec) -> Found:
    drawn: Found = []
    for part in parts:
        material = {candidate.key: each for candidate, each in part.found}
        chosen = draw((candidate for candidate, _ in part.found), part.count, spec.seed)
        drawn += [(candidate, material[candidate.key]) for candidate in chosen]
    return _without_other_references(drawn) if spec.source == "outputs" and spec.outputs is not None else drawn


def _without_other_references(drawn: Found) -> Found:
    problems = {material.problem_id for candidate, material in drawn if candidate.stratum != REFERENCES}
    return [each for each in drawn if each[1].problem_id in problems]


def _stored(session: Session, instrument: Instrument) -> set[tuple[int, str]]:
    rows = session.execute(select(Item.problem_id, Item.identity).where(Item.instrument_id == instrument.id))
    return {(problem, identity) for problem, identity in rows}


def _let_others_rest(session: Session, instrument: Instrument, sample: Sample) -> None:
    """Only the sample is handed out from now on; what has grades or is being graded goes on counting."""
    strata = {each.material.item: each.stratum for each in sample.drawn}
    items = session.scalars(select(Item).where(Item.instrument_id == instrument.id, Item.role == "main"))
    for item in items:
        drawn = strata.get((item.problem_id, item.identity))
        item.stratum = item.stratum if drawn is None else drawn
        item.gradable = item.retired_at is None and (drawn is not None or item.load > 0)


def _item(study: Study, instrument: Instrument, drawn: Drawn) -> dict[str, Any]:
    material = drawn.material
    return {
        "study_id": study.id,
        "instrument_id": instrument.id,
        "problem_id": material.problem_id,
        "identity": material.identity,
        "text": material.text,
        "original": material.original,
        "stratum": drawn.stratum,
        "shuffle": place(study.seed, instrument.name, material.problem, material.identity),
        "is_reference": material.is_reference,
        "variant_id": material.variant_id,
    }
