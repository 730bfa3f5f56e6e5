"""A study of prompts asks questions, and has no systems to compare by them: it says so, and what to do instead."""

import pytest
from sqlalchemy import select

import app.services.analysis.runs  # noqa: F401 - registers the handler
from app.config import Settings
from app.services.analysis import request_analysis
from app.services.runs import execute
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.models import Run
from tests.imports.conftest import importer
from tests.imports.helpers import Importer

__all__ = ["importer"]
VARIANTS = "problem,original,changed,transformation\nh1,Return it.,Retrun it.,typos\n"


@pytest.mark.sqlite_is_enough
def test_what_cannot_be_analysed_and_what_does(importer: Importer, database: Database, settings: Settings) -> None:
    slug = str(importer.good(VARIANTS, "variants")["study"])
    with database.write() as session:
        asked = request_analysis(session, find_study(session, slug)).id
    execute(database, settings, asked)
    with database.read() as session:
        message = session.scalars(select(Run.message).where(Run.id == asked)).one()
    assert "The study asks no question" not in message
    assert "No question of this study is about outputs" in message
    assert f"codejury agreement {slug}" in message
