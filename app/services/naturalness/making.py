"""Studies that ask people about prompts of a perturbed set: ReCode's two surveys, as one study or two."""

from collections.abc import Callable, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import InvalidInput
from app.services import audit
from app.services.imports.material import Batch, ProblemRow, VariantRow
from app.services.imports.problems import ProblemList
from app.services.imports.store_material import plan_material, store_material
from app.services.imports.store_variants import plan_variants, store_variants
from app.services.naturalness.drawing import DrawnSurvey, Row, draw_survey, prompts_of
from app.services.naturalness.spec import SurveySpec
from app.services.questionnaires.instruments import instrument_named
from app.services.questionnaires.ready_made import NATURALNESS, SIMILARITY, in_words
from app.services.sampling.candidates import Found, changed_prompts, nominal_prompts, pairs
from app.services.sampling.samples import Drawn, add_items
from app.services.sampling.spec import SampleSpec
from app.services.studies import create_study
from app.storage.models import Benchmark, BenchmarkProblem, Study
from app.words import gettext


def make_surveys(
    session: Session,
    made: Benchmark,
    spec: SurveySpec,
    *,
    title: str,
    actor: str,
    separate: bool = False,
) -> list[Study]:
    """A new draft that asks both questions of what the spec draws; ``separate``: one for each of them."""
    drawn = draw_survey(session, made, spec)
    if not drawn.perturbed and not drawn.pairs:
        raise InvalidInput(
            gettext("There is no changed prompt to ask about."),
            remedy=gettext("Wait until the set is made, or ask for perturbed prompts or pairs."),
        )
    asked = _Asked(session, made, spec, drawn, actor)
    if not separate:
        return [asked.about(title, natural=spec.asks_naturalness, similar=bool(drawn.pairs))]
    return [
        asked.about(each, natural=natural, similar=not natural)
        for each, natural, is_asked in zip(
            titles_of(title, separate=True), (True, False), (spec.asks_naturalness, drawn.pairs), strict=True
        )
        if is_asked
    ]


def titles_of(title: str, *, separate: bool) -> tuple[str, ...]:
    """What the studies are called."""
    if not separate:
        return (title,)
    return gettext("%(title)s: naturalness", title=title), gettext("%(title)s: similarity", title=title)


OfKind = Callable[[Session, Study, SampleSpec], Found]


def _drawn(found: Found) -> list[Drawn]:
    return [Drawn(candidate.stratum, material) for candidate, material in found]


class _Asked:
    """What was drawn, on its way into studies."""

    def __init__(self, session: Session, made: Benchmark, spec: SurveySpec, drawn: DrawnSurvey, actor: str) -> None:
        self.session, self.made, self.spec, self.drawn, self.actor = session, made, spec, drawn, actor
        rows = [*drawn.unperturbed, *drawn.perturbed, *drawn.pairs]
        self.origin = {row.id: row.origin_id if row.transformation else row.id for row in rows}
        ids = sorted({*self.origin, *(number for number in self.origin.values() if number)})
        self.texts = prompts_of(session, ids)
        named = select(BenchmarkProblem.id, BenchmarkProblem.key).where(BenchmarkProblem.id.in_(self.origin.values()))
        self.keys = dict(session.execute(named).all())

    def about(self, title: str, *, natural: bool, similar: bool) -> Study:
        """One study with its problems, changed prompts and items."""
        drafts = [NATURALNESS] * natural + [SIMILARITY] * similar
        study = create_study(
            self.session,
            title,
            seed=self.spec.seed,
            instruments=[in_words(each) for each in drafts],
            language=self.made.language,
            grades_per_item=self.spec.annotators,
            set_slug=self.made.slug,
        )
        alone = [*self.drawn.unperturbed, *self.drawn.perturbed] if natural else []
        self._store(study, [*alone, *(self.drawn.pairs if similar else ())])
        about = {"benchmark": self.made.slug, "spec": self.spec.model_dump(mode="json"), "sha256": self.drawn.digest}
        audit.record(self.session, self.actor, "study.create", study.id, title=title, **about)
        if natural:
            self._add(study, NATURALNESS.name, self._alone(study))
        if similar:
            self._add(study, SIMILARITY.name, self._changed(pairs, study, self.drawn.pairs))
        return study

    def _store(self, study: Study, rows: Sequence[Row]) -> None:
        """The problems that the rows are of, and what was made of them, as an import would store them."""
        batch = Batch()
        for number, row in enumerate(sorted(rows, key=lambda each: each.id), start=1):
            origin = self.origin[row.id] or 0
            key = self.keys[origin]
            batch.problems.setdefault(key, ProblemRow(key, number, intent=self.texts[origin]))
            if row.transformation:
                variant = VariantRow(
                    key, row.transformation, row.seed, self.texts[row.id], number, category=row.category
                )
                batch.variants[variant.key] = variant
        found = ProblemList()
        plan = plan_material(self.session, study, batch, found)
        store_material(self.session, study, batch, plan, run_id=None, images={})
        variants = plan_variants(self.session, study, batch, found)
        found.raise_if_any()
        store_variants(self.session, study, variants, run_id=None)

    def _alone(self, study: Study) -> list[Drawn]:
        nominal = {self.keys[row.id] for row in self.drawn.unperturbed}
        found = [each for each in nominal_prompts(self.session, study) if each[1].problem in nominal]
        return [*_drawn(found), *self._changed(changed_prompts, study, self.drawn.perturbed)]

    def _changed(self, of_kind: OfKind, study: Study, rows: Sequence[Row]) -> list[Drawn]:
        """Items of changed prompts, each by itself or beside its original."""
        wanted = {(self.keys[self.origin[row.id] or 0], row.transformation, str(row.seed)) for row in rows}
        spec = SampleSpec(source="prompts", by="transformation")
        return _drawn([each for each in of_kind(self.session, study, spec) if each[0].key in wanted])

    def _add(self, study: Study, name: str, drawn: list[Drawn]) -> None:
        number = add_items(self.session, study, instrument_named(self.session, study, name), drawn)
        about = {"instrument": name, "items": number, "benchmark": self.made.slug}
        audit.record(self.session, self.actor, "items sampled", study.id, **about)
