"""Exports and analyses as tests ask for them."""

import zipfile
from io import BytesIO

from app.services.agreement import AgreementParameters, all_documents, request_agreement
from app.services.analysis import AnalysisParameters, latest_analysis, request_analysis
from app.services.exports import ExportRequest, request_export
from app.services.exports.bundles import find_bundle
from app.services.runs import execute
from app.services.studies import find_study
from app.storage.files import files_of
from app.storage.models import Run
from tests.exports.rich import SLUG
from tests.imports.helpers import Importer


def done(installation: Importer, run_id: int) -> Run:
    """Do the run; it must succeed."""
    assert execute(installation.database, installation.settings, run_id)
    with installation.database.read() as session:
        run = session.get_one(Run, run_id)
    assert run.state == "done", f"{run.message}\n{run.trace or ''}"
    return run


def exported(installation: Importer, slug: str = SLUG, **options: object) -> bytes:
    """The file of an export, as an admin gets it."""
    request = ExportRequest.model_validate(options)
    with installation.database.write() as session:
        run_id = request_export(session, find_study(session, slug), request, is_admin=True).id
    run = done(installation, run_id)
    assert run.result is not None
    with installation.database.read() as session:
        bundle = find_bundle(session, run.result["artifact"], is_admin=True)
    return files_of(installation.settings).path(bundle.sha256).read_bytes()


def members(data: bytes) -> dict[str, bytes]:
    """The files of a zip."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def analysed(installation: Importer, slug: str = SLUG, **more: object) -> str:
    """An analysis of the study, byte for byte."""
    chosen = {"metrics": ("bleu", "chrf"), "draws": 100, "consensus": "mean", **more}
    with installation.database.write() as session:
        parameters = AnalysisParameters.model_validate(chosen)
        run_id = request_analysis(session, find_study(session, slug), parameters).id
    done(installation, run_id)
    with installation.database.read() as session:
        found = latest_analysis(session, find_study(session, slug))
    assert found is not None
    return found.text


def measured(installation: Importer, slug: str = SLUG) -> str:
    """What is measured of the grades alone, byte for byte."""
    with installation.database.write() as session:
        run_id = request_agreement(session, find_study(session, slug), AgreementParameters(draws=100)).id
    done(installation, run_id)
    with installation.database.read() as session:
        found = all_documents(session, find_study(session, slug))
    assert found is not None
    return found
