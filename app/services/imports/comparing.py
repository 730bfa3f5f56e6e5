"""What an import would add to its study, and everything that is in its way: the same for a preview and for a run."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.errors import AppError, InvalidInput
from app.services.imports.material import Batch
from app.services.imports.problems import ProblemList
from app.services.imports.request import ImportRequest
from app.services.imports.store_grades import GradePlan, plan_grades
from app.services.imports.store_material import MaterialPlan, plan_material
from app.services.imports.store_scores import ScorePlan, plan_scores
from app.services.imports.store_variants import VariantPlan, plan_variants
from app.services.imports.storing import check_request, check_study
from app.services.studies import find_study
from app.words import gettext


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is new. A new study has no grades or scores that could be in the way: None."""

    material: MaterialPlan
    grades: GradePlan | None = None
    scores: ScorePlan | None = None
    variants: VariantPlan | None = None


def compare(session: Session, request: ImportRequest, batch: Batch, problems: ProblemList) -> Comparison:
    """Compare the batch with the study that the request names; what is wrong goes to the list."""
    try:
        return _compare(session, request, batch, problems)
    except AppError as error:
        problems.stop_because(error)


def _compare(session: Session, request: ImportRequest, batch: Batch, problems: ProblemList) -> Comparison:
    study = find_study(session, request.study) if request.study else None
    check_request(request, study)
    if study is None and request.kind in ("grades", "scores"):
        raise InvalidInput(
            gettext("Grades and scores belong to outputs."), remedy=gettext("Import the outputs first.")
        )
    material = plan_material(session, study, batch, problems)
    variants = plan_variants(session, study, batch, problems) if batch.variants else None
    if study is None:
        return Comparison(material, variants=variants)
    check_study(study, batch)
    grades = plan_grades(session, study, batch, problems, material) if batch.grades else None
    scores = plan_scores(session, study, batch, problems, material) if batch.scores else None
    return Comparison(material, grades, scores, variants)
