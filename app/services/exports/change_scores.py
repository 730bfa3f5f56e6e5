"""What automatic checks say of a study's changed prompts, as a file of bundles and templates."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.agreement.changes import scores_of_changes
from app.services.exports.archives import Members
from app.services.exports.formats import Row, jsonl_lines
from app.storage.models import Problem, Study, Variant

VARIANT = ("problem", "kind", "transformation", "seed")  # what names one


def change_score_members(session: Session, study: Study) -> Members:
    """The file, where there is anything to tell: elsewhere the perturbed set may be missing."""
    rows = change_score_rows(session, study)
    return [("change-scores.jsonl", jsonl_lines(rows))] if rows else []


def change_score_rows(session: Session, study: Study) -> list[Row]:
    """By variant and check; ``score`` is null where a check says nothing."""
    scores = scores_of_changes(session, study)
    wanted = select(Variant.id, Problem.key, Variant.kind, Variant.transformation, Variant.seed)
    mine = wanted.join(Problem, Problem.id == Variant.problem_id).where(Problem.study_id == study.id)
    names = {variant: named for variant, *named in session.execute(mine)} if scores else {}
    return [
        dict(zip(VARIANT, names[each.variant_id], strict=True))
        | {"check": each.check, "signature": each.signature, "score": each.score}
        for each in scores
    ]
