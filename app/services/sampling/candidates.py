"""What there is to draw from: the study's prompts, their changed texts, its outputs and references."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Select, and_, select
from sqlalchemy.orm import Session

from app.errors import InvalidInput
from app.ids import content_hash
from app.services.sampling.drawing import Candidate, quantile_strata
from app.services.sampling.spec import NOMINAL, PERTURBED, REFERENCES, SampleSpec
from app.storage.models import Item, MetricScore, Output, Problem, Reference, Scoring, Study, System, Variant
from app.words import N_, gettext


@dataclass(frozen=True, slots=True)
class Material:
    """What an item would be made of. ``identity`` is the same for texts that are one item."""

    problem_id: int
    problem: str
    identity: str
    text: str
    original: str | None = None
    variant_id: int | None = None
    is_reference: bool = False

    @property
    def item(self) -> tuple[int, str]:
        """What there is one item of in an instrument."""
        return self.problem_id, self.identity


Found = list[tuple[Candidate, Material]]


def nominal_prompts(session: Session, study: Study) -> Found:
    """Each problem's own prompt."""
    rows = session.execute(
        select(Problem.id, Problem.key, Problem.intent).where(Problem.study_id == study.id).order_by(Problem.position)
    )
    return [
        (Candidate((NOMINAL, key), NOMINAL), Material(number, key, content_hash("prompt", intent), intent))
        for number, key, intent in rows
        if intent
    ]


def changed_prompts(session: Session, study: Study, spec: SampleSpec) -> Found:
    """Each problem's changed prompts, as items by themselves."""
    return [_changed(*found, spec, paired=False) for found in _variants(session, study, spec)]


def pairs(session: Session, study: Study, spec: SampleSpec) -> Found:
    """Each changed prompt beside its original."""
    return [_changed(*found, spec, paired=True) for found in _variants(session, study, spec)]


def outputs(session: Session, study: Study, spec: SampleSpec) -> Found:
    """Outputs as the study's items: identical ones are one where the study merges them; references, if wanted."""
    found: dict[tuple[int, str], tuple[Candidate, Material]] = {}
    for key, system, problem, identity, text, is_reference in session.execute(_outputs_of(study, spec)):
        if (problem, identity) not in found:
            candidate = Candidate((key, identity), system if spec.by == "system" else "")
            material = Material(problem, key, identity, text, is_reference=is_reference)
            found[problem, identity] = (candidate, material)
    chosen = list(found.values())
    if spec.by == "score":
        chosen = _by_score(session, study, spec, chosen)
    if spec.with_references:
        chosen += [each for each in _references(session, study) if each[1].item not in found]
    return chosen


def has_changed_prompts(session: Session, study: Study) -> bool:
    """Whether there is any to draw."""
    mine = select(Variant.id).join(Problem, Problem.id == Variant.problem_id).where(_changed_in(study))
    return session.scalar(mine.limit(1)) is not None


def check_names(session: Session, study: Study, spec: SampleSpec) -> None:
    """Refuse transformations and systems that the study lacks: they would draw nothing, and nobody would know why."""
    transformations = (
        select(Variant.transformation).join(Problem, Problem.id == Variant.problem_id).where(_changed_in(study))
    )
    systems = select(System.name).where(System.study_id == study.id)
    for names, known, words in (
        (spec.transformations, transformations, N_("The study has no transformation called %(names)s.")),
        (spec.systems, systems, N_("The study has no system called %(names)s.")),
    ):
        if unknown := sorted(set(names) - set(session.scalars(known.distinct()) if names else ())):
            remedy = gettext("Choose among those that are offered; none chosen means all.")
            raise InvalidInput(gettext(words, names=", ".join(map(repr, unknown))), remedy=remedy)


def transformations_of(session: Session, study: Study) -> dict[str, int]:
    """How many changed prompts each transformation has."""
    counts: dict[str, int] = {}
    for variant, _, _ in _variants(session, study, SampleSpec(source="prompts")):
        counts[variant.transformation] = counts.get(variant.transformation, 0) + 1
    return counts


def _variants(session: Session, study: Study, spec: SampleSpec) -> Iterator[tuple[Variant, str, str | None]]:
    conditions = [_changed_in(study)]
    if spec.transformations:
        conditions.append(Variant.transformation.in_(spec.transformations))
    if spec.seeds:
        conditions.append(Variant.seed.in_(spec.seeds))
    rows = session.execute(
        select(Variant, Problem.key, Problem.intent)
        .join(Problem, Problem.id == Variant.problem_id)
        .where(*conditions)
        .order_by(Problem.position, Variant.transformation, Variant.seed)
    )
    for variant, key, intent in rows:
        yield variant, key, variant.original or intent


def _changed_in(study: Study) -> ColumnElement[bool]:
    return and_(Problem.study_id == study.id, Variant.kind == "prompt")


def _changed(
    variant: Variant, key: str, original: str | None, spec: SampleSpec, *, paired: bool
) -> tuple[Candidate, Material]:
    stratum = variant.transformation if spec.by == "transformation" else PERTURBED
    parts = ("pair", original or "", variant.text) if paired else ("prompt", variant.text)
    return (
        Candidate((key, variant.transformation, str(variant.seed)), stratum),
        Material(
            variant.problem_id, key, content_hash(*parts), variant.text, original if paired else None, variant.id
        ),
    )


def _outputs_of(study: Study, spec: SampleSpec) -> Select[str, str, int, str, str, bool]:
    statement = (
        select(Problem.key, System.name, Item.problem_id, Item.identity, Item.text, Item.is_reference)
        .join(Output, Output.item_id == Item.id)
        .join(System, System.id == Output.system_id)
        .join(Problem, Problem.id == Output.problem_id)
        .where(Problem.study_id == study.id)
        .order_by(Problem.position, System.position)
    )
    return statement.where(System.name.in_(spec.systems)) if spec.systems else statement


def _references(session: Session, study: Study) -> Found:
    rows = session.execute(
        select(Problem.id, Problem.key, Reference.position, Reference.text, Item.identity)
        .join(Reference, Reference.problem_id == Problem.id)
        .outerjoin(Item, Item.id == Reference.item_id)
        .where(Problem.study_id == study.id)
        .order_by(Problem.position, Reference.position)
    )
    return [
        (
            Candidate((key, REFERENCES, str(position)), REFERENCES),
            Material(number, key, identity or content_hash("reference", str(position)), text, is_reference=True),
        )
        for number, key, position, text, identity in rows
    ]


def _by_score(session: Session, study: Study, spec: SampleSpec, chosen: Found) -> Found:
    """With strata by the metric's score; of one text by several systems the score is the same."""
    rows = session.execute(
        select(Item.problem_id, Item.identity, MetricScore.score)
        .join(Output, Output.item_id == Item.id)
        .join(MetricScore, MetricScore.output_id == Output.id)
        .join(Scoring, Scoring.id == MetricScore.scoring_id)
        .where(Scoring.study_id == study.id, Scoring.name == spec.metric)
        .order_by(Scoring.id)  # the newest scoring wins
    )
    scores = {(problem, identity): score for problem, identity, score in rows}
    scored = [(candidate, each, scores[each.item]) for candidate, each in chosen if each.item in scores]
    if not scored:
        raise InvalidInput(
            gettext("The study has no scores of %(metric)s.", metric=repr(spec.metric)),
            remedy=gettext("Run an analysis first."),
        )
    strata = quantile_strata([(candidate.key, score) for candidate, _, score in scored], spec.bins)
    label = f"{spec.metric} "
    return [(Candidate(candidate.key, label + strata[candidate.key]), material) for candidate, material, _ in scored]
