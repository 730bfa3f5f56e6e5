"""The tables of tests beside people for bundles: those of the page as it opens."""

from collections.abc import Iterable

from sqlalchemy.orm import Session

from app.charts.tables import Table
from app.services.dashboards.reliability import what_is_asked
from app.services.execution_results.exhibits import study_tables
from app.services.execution_results.joined import METHODS, study_execution
from app.storage.models import Study


def executed_tables(session: Session, study: Study) -> Iterable[Table]:
    """None where nothing was executed."""
    chosen = what_is_asked(session, study).choose(None, about_outputs=True)
    return study_tables(study_execution(session, study, chosen, METHODS[0]))
