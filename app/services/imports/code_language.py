"""The language of the code, where a file has a column for it: one for all rows, since a study's code is in one."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import InvalidInput
from app.services import audit
from app.services.code_languages import DEFAULT, known_language, language_title
from app.services.imports.cells import Cells
from app.services.imports.material import Batch
from app.services.imports.request import ImportRequest
from app.storage.models import Problem, Study
from app.words import gettext


def read_language(cells: Cells, batch: Batch) -> None:
    """Keep what the row says; a row that says nothing agrees with all others."""
    said = cells.optional_text("language")
    if not said or not said.strip():
        return
    try:
        language = known_language(said)
    except InvalidInput as error:
        cells.fail(error.message, cells.column("language"), error.remedy)
        return
    batch.language = batch.language or language
    if language != batch.language:
        earlier = language_title(batch.language)
        cells.fail(
            gettext("It differs from %(earlier)s, the language of earlier rows.", earlier=earlier),
            cells.column("language"),
            gettext("Import each language into a study of its own, or leave the column unused."),
        )


def language_of_new(request: ImportRequest, batch: Batch) -> str:
    """Of a new study: what was chosen, else what the file says."""
    return known_language(request.language) if request.language else batch.language or DEFAULT


def check_language(request: ImportRequest, study: Study | None) -> None:
    """Refuse one that nothing highlights, or another than the study's: whoever wants that changes its settings."""
    language = known_language(request.language) if request.language else None
    if study is not None and language not in (None, study.language):
        raise InvalidInput(
            gettext(
                "The code of the study %(slug)s is in %(language)s.",
                slug=repr(study.slug),
                language=language_title(study.language),
            ),
            remedy=gettext("Change it in the study's settings, or leave the choice out."),
        )


def adopt_language(session: Session, actor: str, study: Study, batch: Batch) -> None:
    """The first material says what language the study's code is in; later files only tell that theirs differs."""
    if batch.language in (None, study.language):
        return
    if session.scalar(select(Problem.id).where(Problem.study_id == study.id).limit(1)) is None:
        change = {"before": study.language, "after": batch.language}
        study.language = batch.language or DEFAULT
        audit.record(session, actor, "study settings changed", study.id, changes={"language": change})
        return
    batch.notes.append(
        gettext(
            "The file says %(file)s; the study's code stays highlighted as %(study)s, as its settings say.",
            file=language_title(batch.language or ""),
            study=language_title(study.language),
        )
    )
