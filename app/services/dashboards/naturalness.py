"""What pages show of a study of a perturbed set's changes: what people say, and automatic checks beside them."""

from sqlalchemy.orm import Session

from app.charts.exhibit import Exhibit
from app.services.agreement import StoredMeasurement
from app.services.dashboards.naturalness_of_sets import checks_exhibits, of_set, people_exhibits
from app.services.naturalness.asked_sets import set_of
from app.storage.models import Study


def study_exhibits(session: Session, study: Study, stored: StoredMeasurement) -> list[Exhibit]:
    """People, checks beside people, and what checks say of the whole set."""
    made = set_of(session, study)
    checked = [] if made is None else checks_exhibits(of_set(session, made))
    return [*people_exhibits(stored), *checked]
