"""A batch into a study, all in the caller's transaction: everything is stored, or nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from app.errors import Conflict, InvalidInput
from app.services.imports.code_language import adopt_language, check_language, language_of_new
from app.services.imports.material import Batch
from app.services.imports.problems import ProblemList
from app.services.imports.request import WHOLE_STUDIES, ImportRequest
from app.services.imports.store_grades import plan_grades, store_grades
from app.services.imports.store_material import plan_material, store_material
from app.services.imports.store_scores import plan_scores, store_scores
from app.services.imports.store_variants import plan_variants, store_variants
from app.services.imports.study_bundle_about import StudyAbout
from app.services.imports.study_bundle_store import store_exported
from app.services.questionnaires.instruments import instrument_named
from app.services.questionnaires.ready_made import NATURALNESS, SIMILARITY
from app.services.studies import create_study, find_study
from app.storage.files import StoredFile, add_artifact
from app.storage.models import AuditEvent, Run, Study
from app.storage.transaction_turns import TurnAt, take_turn
from app.words import N_, gettext, human_number, ngettext

# People graded these outputs one by one, and the published analysis used the published CodeBLEU.
PUBLISHED_SETTINGS: dict[str, Any] = {"merge_identical": False, "codebleu_variant": "published"}


# What is decided when a study is made, as the study does it or not: its items depend on it.
CHOSEN_ONCE = {
    "merge_identical": (
        N_("The study %(slug)s shows identical outputs as one item; this is decided once, for a new study."),
        N_("The study %(slug)s shows identical outputs one by one; this is decided once, for a new study."),
    ),
    "include_references": (
        N_("The study %(slug)s mixes the references in; this is decided once, for a new study."),
        N_("The study %(slug)s leaves the references out; this is decided once, for a new study."),
    ),
}


@dataclass(frozen=True, slots=True)
class Origin:
    """What made the rows: the run, its file, and who asked."""

    run_id: int
    run: str
    sha256: str
    actor: str


@dataclass
class Storing:
    """One import on its way into a study."""

    session: Session
    request: ImportRequest
    batch: Batch
    problems: ProblemList
    origin: Origin

    def store(self, seed: int, images: dict[str, StoredFile]) -> dict[str, Any]:
        """Store what is new and tell what was; InvalidInput lists what is wrong, unless only good rows are wanted."""
        study = self._study(seed)
        if self.batch.exported:
            counts = self._store_exported(study, images) | self._store_scores(study)
        else:
            counts = self._store_material(study, images) | self._store_variants(study)
            counts |= self._store_grades(study) | self._store_scores(study)
        self.session.get_one(Run, self.origin.run_id).study_id = study.id
        result: dict[str, Any] = {
            "study": study.slug,
            "sha256": self.request.sha256,
            "rows": self.batch.rows,
            "left_out": self.problems.count,
            "added": counts,
        }
        self._audit("import", study, result | {"kind": self.request.kind, "file": self.request.file_name})
        result |= {
            "problems_found": [str(each) for each in self.problems.listed],
            "notes": self.batch.notes + own_scores_note(self.batch),
        }
        message = "\n".join([message_of(counts, self.problems.count, self.batch.notes), *own_scores_note(self.batch)])
        links = [{"href": f"/studies/{study.slug}", "label": gettext("Open %(title)s", title=study.title)}]
        if counts.get("variants"):
            links.append({"href": f"/studies/{study.slug}/sample", "label": gettext("Draw a sample")})
        return result | {"message": message, "links": links}

    def _audit(self, action: str, study: Study, details: dict[str, Any]) -> None:
        details = details | {"run": self.origin.run}
        self.session.add(AuditEvent(actor=self.origin.actor, action=action, study_id=study.id, details=details))

    def _study(self, seed: int) -> Study:
        if self.request.study is not None:
            study = find_study(self.session, self.request.study)
            take_turn(self.session, TurnAt.MATERIAL, study.id)
            take_turn(self.session, TurnAt.SCORES, study.id)
            check_request(self.request, study)
            check_study(study, self.batch)
            adopt_language(self.session, self.origin.actor, study, self.batch)
            return study
        if self.request.kind in ("grades", "scores"):
            raise InvalidInput(
                gettext("Grades and scores belong to outputs."), remedy=gettext("Import the outputs first.")
            )
        study = self._new_study(seed)
        self._audit("study.create", study, {"title": study.title})
        return study

    def _new_study(self, seed: int) -> Study:
        if self.batch.about is not None:
            return self._exported_study(self.batch.about)
        settings = dict(PUBLISHED_SETTINGS) if self.batch.graded_separately else {}
        for name in CHOSEN_ONCE:
            if (chosen := getattr(self.request, name)) is not None:
                settings[name] = chosen
        settings["language"] = language_of_new(self.request, self.batch)
        if self.request.kind == "variants":  # people judge prompts and pairs here, no outputs
            settings["instruments"] = (NATURALNESS, SIMILARITY)
        study = create_study(self.session, self.request.title or "", seed=seed, **settings)
        check_study(study, self.batch)
        return study

    def _exported_study(self, about: StudyAbout) -> Study:
        """The study as it was; its address too, unless it gets another title."""
        title = self.request.title or about.title
        slug = about.slug if title == about.title else None
        study = create_study(
            self.session, title, seed=about.seed, slug=slug, instruments=about.drafts(), **about.settings()
        )
        for each in about.instruments:
            made = instrument_named(self.session, study, each.name)
            made.instructions, made.grades_per_item = each.instructions, each.grades_per_item
        return study

    def _store_exported(self, study: Study, images: dict[str, StoredFile]) -> dict[str, int]:
        exported = self.batch.exported
        assert exported is not None
        artifacts = {name: self._add_image(study, name, images[name]) for name in sorted(exported.images)}
        store_exported(
            self.session, study, exported, run_id=self.origin.run_id, run=self.origin.run, images=artifacts
        )
        return exported.counts

    def _stop_on_problems(self) -> None:
        # A published folder's rows belong together: a row left out would shift grades to other outputs.
        if not self.request.good_rows_only or self.request.kind in WHOLE_STUDIES:
            self.problems.raise_if_any()

    def _store_material(self, study: Study, images: dict[str, StoredFile]) -> dict[str, int]:
        plan = plan_material(self.session, study, self.batch, self.problems)
        self._stop_on_problems()
        names = [problem.image for problem in plan.problems if problem.image]
        artifacts = {name: self._add_image(study, name, images[name]) for name in dict.fromkeys(names)}
        store_material(self.session, study, self.batch, plan, run_id=self.origin.run_id, images=artifacts)
        return {"problems": len(plan.problems), "systems": len(plan.systems), "outputs": len(plan.outputs)}

    def _add_image(self, study: Study, name: str, stored: StoredFile) -> int:
        return add_artifact(
            self.session, stored, kind="image", file_name=name, media_type="image/png", study_id=study.id
        ).id

    def _store_grades(self, study: Study) -> dict[str, int]:
        if not self.batch.grades:
            return {"grades": 0, "annotators": 0}
        plan = plan_grades(self.session, study, self.batch, self.problems)
        self._stop_on_problems()
        source = {"run": self.origin.run, "file": self.origin.sha256}
        store_grades(self.session, study, plan, source, kinds=self.batch.kinds, excluded=self.batch.excluded)
        return {"grades": len(plan.grades), "annotators": len({grade.annotator for grade in plan.grades})}

    def _store_variants(self, study: Study) -> dict[str, int]:
        if not self.batch.variants:
            return {"variants": 0}
        plan = plan_variants(self.session, study, self.batch, self.problems)
        self._stop_on_problems()
        store_variants(self.session, study, plan, run_id=self.origin.run_id)
        return {"variants": len(plan.variants)}

    def _store_scores(self, study: Study) -> dict[str, int]:
        if not self.batch.scores:
            return {"scores": 0}
        plan = plan_scores(self.session, study, self.batch, self.problems)
        self._stop_on_problems()
        store_scores(self.session, study, self.batch, plan, run_id=self.origin.run_id, sha256=self.origin.sha256)
        self.batch.notes += [
            f"{self.batch.labels[name]} scores {len(scores):,} of the study's {plan.outputs:,} outputs."
            for name, scores in plan.scores.items()
            if len(scores) < plan.outputs and not plan.known
        ]
        return {"scores": plan.count}


def check_request(request: ImportRequest, study: Study | None) -> None:
    """Refuse what can't be done to a study that is there, and what a new one lacks."""
    check_language(request, study)
    if study is None:
        return
    if request.kind == "bundle":
        raise Conflict(
            gettext(
                "There is a study %(slug)s already, and a bundle always becomes a new one.", slug=repr(study.slug)
            ),
            remedy=gettext("Give it another title; on the pages, import it under Studies, Import a study."),
        )
    for name, (yes, no) in CHOSEN_ONCE.items():
        wanted = getattr(request, name)
        if wanted is not None and wanted != getattr(study, name):
            raise InvalidInput(
                gettext(no if wanted else yes, slug=repr(study.slug)),
                remedy=gettext("Import into a new study, or leave the choice out."),
            )


def check_study(study: Study, batch: Batch) -> None:
    """Refuse material that the study's settings would bend."""
    if batch.graded_separately and batch.grades and study.merge_identical:
        raise InvalidInput(
            gettext("In these grades people saw identical outputs one by one, but this study shows them once."),
            remedy=gettext("Import the folder into a new study."),
        )


def own_scores_note(batch: Batch) -> list[str]:
    """What to tell of an export's scores by metrics that are computed here."""
    if not batch.own_scores:
        return []
    return [
        gettext(
            "%(number)s scores by CodeJury's own metrics were left out: they are computed here again.",
            number=human_number(batch.own_scores),
        )
    ]


ADDED: dict[str, Callable[[int], str]] = {
    "problems": lambda n: ngettext(
        "%(num)s problem was added.", "%(num)s problems were added.", n, num=human_number(n)
    ),
    "outputs": lambda n: ngettext("%(num)s output was added.", "%(num)s outputs were added.", n, num=human_number(n)),
    "grades": lambda n: ngettext("%(num)s grade was added.", "%(num)s grades were added.", n, num=human_number(n)),
    "scores": lambda n: ngettext("%(num)s score was added.", "%(num)s scores were added.", n, num=human_number(n)),
    "variants": lambda n: ngettext(
        "%(num)s changed text was added.", "%(num)s changed texts were added.", n, num=human_number(n)
    ),
}


def message_of(counts: dict[str, int], left_out: int, notes: list[str]) -> str:
    """What was added, on a line each."""
    lines = [told(counts[key]) for key, told in ADDED.items() if counts.get(key)]
    if not lines:
        lines, notes = [gettext("Everything in this file is there already. Nothing was added.")], []
    if left_out:
        shown = human_number(left_out)
        lines.append(
            ngettext(
                "%(num)s row with an error was left out.",
                "%(num)s rows with errors were left out.",
                left_out,
                num=shown,
            )
        )
    return "\n".join([*lines, *notes])
