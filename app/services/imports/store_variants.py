"""Changed texts join their problems; what is stored never changes."""

from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.imports.material import Batch, VariantRow
from app.services.imports.problems import ProblemList
from app.services.imports.store_material import insert_all
from app.storage.models import Problem, Study, Variant
from app.words import N_, gettext

KEEP = N_("Stored texts never change; give the new one another seed.")


@dataclass
class VariantPlan:
    """What an import adds, and how much of it is there already."""

    variants: list[VariantRow] = field(default_factory=list)
    known: int = 0


def plan_variants(session: Session, study: Study | None, batch: Batch, problems: ProblemList) -> VariantPlan:
    """Compare the batch's texts with the study (None: a new one); conflicts go to the list."""
    stored = _stored(session, study) if study else {}
    originals = _originals(session, study) if study else {}
    plan = VariantPlan()
    for row in batch.variants.values():
        known = stored.get(row.key)
        if known == row.text:
            plan.known += 1
        elif known is not None:
            message = gettext(
                "Another text of %(transformation)s with seed %(seed)s is stored for %(problem)s.",
                transformation=repr(row.transformation),
                seed=row.seed,
                problem=repr(row.problem),
            )
            problems.add(message, row=row.row, column=batch.column("changed"), remedy=gettext(KEEP))
        elif (originals.get(row.problem) or batch.problems[row.problem].intent) is None:
            message = gettext(
                "Problem %(problem)s has no original that this could have been made from.", problem=repr(row.problem)
            )
            problems.add(
                message, row=row.row, column=batch.column("intent"), remedy=gettext("Add a column original.")
            )
        else:
            plan.variants.append(row)
    return plan


def store_variants(session: Session, study: Study, plan: VariantPlan, *, run_id: int | None) -> None:
    """Add what the plan says; the problems are stored already."""
    ids = dict(session.execute(select(Problem.key, Problem.id).where(Problem.study_id == study.id)).all())
    insert_all(
        session,
        Variant,
        [
            {
                "problem_id": ids[row.problem],
                "kind": "prompt",
                "transformation": row.transformation,
                "category": row.category,
                "seed": row.seed,
                "original": None,
                "text": row.text,
                "run_id": run_id,
            }
            for row in plan.variants
        ],
    )


def _stored(session: Session, study: Study) -> dict[tuple[str, str, int], str]:
    rows = session.execute(
        select(Problem.key, Variant.transformation, Variant.seed, Variant.text)
        .join(Variant, Variant.problem_id == Problem.id)
        .where(Problem.study_id == study.id, Variant.kind == "prompt")
    )
    return {(key, transformation, seed): text for key, transformation, seed, text in rows}


def _originals(session: Session, study: Study) -> dict[str, str | None]:
    return dict(session.execute(select(Problem.key, Problem.intent).where(Problem.study_id == study.id)).all())
