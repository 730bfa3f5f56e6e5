"""Where no skills can be compared, the message names what works; and that works."""

import pytest
from sqlalchemy import select

from app.config import Settings
from app.services.analysis import AnalysisParameters, request_analysis
from app.services.runs import execute
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.models import Run
from tests.imports.helpers import Importer

ROWS = "".join(f"p{n},a,f(x{n})\np{n},b,g(y{n})\n" for n in range(6))
ONE_ANNOTATOR = "".join(f"p{n}|a,w,{n % 3}\np{n}|b,w,{n % 2}\n" for n in range(6))
ALL_THE_SAME = "".join(f"p{n}|{system},{who},2\n" for n in range(6) for system in "ab" for who in "vw")


def analyse(database: Database, settings: Settings, consensus: str) -> Run:
    parameters = AnalysisParameters.model_validate({"consensus": consensus, "draws": 100, "synthetic": False})
    with database.write() as session:
        run_id = request_analysis(session, find_study(session, "study"), parameters).id
    execute(database, settings, run_id)
    with database.read() as session:
        return session.scalars(select(Run).where(Run.id == run_id)).one()


@pytest.mark.parametrize("grades", [ONE_ANNOTATOR, ALL_THE_SAME])
@pytest.mark.parametrize("works", ["majority", "mean"])
def test_the_message_names_what_works(
    importer: Importer, database: Database, settings: Settings, grades: str, works: str
) -> None:
    importer.good("problem,system,output\n" + ROWS)
    importer.good("task,worker,label\n" + grades, "grades", study="study")
    importer.good("problem,system,metric,score\n" + "".join(f"p{n},{s},M,0.{n}\n" for n in range(6) for s in "ab"),
                  "scores", study="study")  # fmt: skip
    failed = analyse(database, settings, "m_msr")
    assert failed.state == "failed"
    assert f"--consensus {works}" in failed.message
    assert "on the page" in failed.message
    done = analyse(database, settings, works)
    assert done.state == "done", done.message
