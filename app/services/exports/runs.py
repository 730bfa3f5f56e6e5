"""The run that writes a study's bundle."""

import tempfile
from typing import Any

from sqlalchemy.orm import Session

from app.services.exports.bundle import write_bundle
from app.services.runs import RunContext, Store, handler
from app.storage.files import FileStore, add_artifact, chunks_of
from app.storage.models import Study


@handler("export")
def export_study(context: RunContext) -> Store:
    """Write the bundle to a temporary file, keep it under its hash, and name it in the result."""
    context.progress(0, 1, unit="bundle", message="Writing the bundle")
    files = FileStore(context.settings.artifacts_dir)
    with tempfile.TemporaryFile() as file:
        with context.database.read() as session:
            study = session.get_one(Study, context.study_id)
            write_bundle(session, study, files, file)
        file.seek(0)
        stored = files.save(chunks_of(file))

    def store(session: Session) -> dict[str, Any]:
        artifact = add_artifact(
            session,
            stored,
            kind="export",
            file_name=f"{study.slug}.zip",
            media_type="application/zip",
            study_id=study.id,
        )
        return {"artifact": artifact.public_id, "message": f"The bundle is ready ({stored.size / 2**20:.1f} MB)."}

    return store
