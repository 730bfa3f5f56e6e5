"""The run that measures a study's grades."""

from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from app.services.agreement.inputs import load_study_grades
from app.services.agreement.measuring import Measuring, plan
from app.services.agreement.parameters import AgreementParameters
from app.services.agreement.questions import asked_questions
from app.services.agreement.requests import RUN_KIND
from app.services.agreement.revision import grades_revision
from app.services.analysis.computation import canonical_json
from app.services.runs import RunContext, Store, handler
from app.storage.models import Measurement, Study
from app.words import gettext, human_number

Made = list[tuple[Measuring, str | None]]  # None: as stored


@handler(RUN_KIND)
def measure_study(context: RunContext) -> Store:
    """Measure everything whose inputs have changed; what was measured from the same stays as it is."""
    parameters = AgreementParameters.model_validate(context.payload)
    with context.database.read() as session:
        study = session.get_one(Study, context.study_id)
        data = load_study_grades(session, study, asked_questions(session, study), parameters.seed)
        revision, stored, slug = grades_revision(session, study), _stored(session, study.id), study.slug
    planned = list(plan(data, parameters))
    made: Made = []
    for done, each in enumerate(planned):
        context.progress(done, len(planned), unit=gettext("measurements"), message=_message(each))
        is_known = stored.get((each.kind, each.question)) == each.fingerprint
        made.append((each, None if is_known else canonical_json(each.document())))

    def store(session: Session) -> dict[str, Any]:
        _store(session, context, made, revision)
        new = sum(text is not None for _, text in made)
        href = f"/studies/{slug}/reliability"
        message = gettext(
            "%(all)s measurements of the grades, %(new)s of them new.",
            all=human_number(len(made)),
            new=human_number(new),
        )
        return {"message": message, "links": [{"href": href, "label": gettext("Agreement")}]}

    return store


def _message(each: Measuring) -> str:
    return {
        "agreement": gettext("Agreement on %(question)s", question=each.question),
        "enough": gettext("Precision by %(question)s", question=each.question),
        "survey": gettext("The survey of prompts"),
        "naturalness": gettext("Naturalness of changes"),
    }[each.kind]


def _stored(session: Session, study_id: int) -> dict[tuple[str, str], str]:
    columns = select(Measurement.kind, Measurement.question, Measurement.fingerprint)
    rows = session.execute(columns.where(Measurement.study_id == study_id))
    return {(kind, question): fingerprint for kind, question, fingerprint in rows}


def _store(session: Session, context: RunContext, made: Made, revision: dict[str, Any]) -> None:
    """New results take the place of old ones; what is no longer asked goes. One run of a study at a time."""
    session.execute(select(Study.id).where(Study.id == context.study_id).with_for_update(key_share=True))
    known = session.scalars(select(Measurement).where(Measurement.study_id == context.study_id))
    rows = {(row.kind, row.question): row for row in known}
    kept = {(each.kind, each.question) for each, text in made if text is None} & set(rows)
    gone = [row.id for key, row in rows.items() if key not in kept]
    session.execute(delete(Measurement).where(Measurement.id.in_(gone)))
    for key in kept:
        rows[key].revision, rows[key].run_id = revision, context.run_id
    for each, text in made:
        if text is not None:
            session.add(_row(context, each, text, revision))
    session.flush()


def _row(context: RunContext, each: Measuring, text: str, revision: dict[str, Any]) -> Measurement:
    return Measurement(
        study_id=context.study_id,
        run_id=context.run_id,
        kind=each.kind,
        question=each.question,
        fingerprint=each.fingerprint,
        signature=each.signature,
        result=text,
        revision=revision,
    )
