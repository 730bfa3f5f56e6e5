"""What is exported, how, and with how much about people. Kept as the payload of the run."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict
from sqlalchemy.orm import Session

from app.errors import NotPermitted
from app.services import audit
from app.services.exports.wide import wide_question
from app.services.runs import enqueue
from app.storage.models import Run, Study
from app.words import gettext


class Form(StrEnum):
    """The form of an export."""

    BUNDLE = "bundle"
    TEMPLATE = "template"
    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    WIDE = "wide"
    LABEL_STUDIO = "label-studio"
    WMT = "wmt"
    TABLES = "tables"


class ExportRequest(BaseModel):
    """One export. What does not belong to its form is passed over."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    form: Form = Form.BUNDLE
    skips: bool = False  # of a long table: skipped items, too, as rows without an answer
    question: str | None = None  # of the forms wide and wmt: which; the first about outputs without it
    material: bool = True  # of a template: problems, outputs and items
    platform_ids: bool = False  # of a bundle: the names that platforms and the team gave to people
    answers_about_people: bool = False  # of a bundle: what they answered to questions about them

    @property
    def is_private(self) -> bool:
        """Whether the file tells more of people than their pseudonyms: then it is for admins."""
        return self.form is Form.BUNDLE and (self.platform_ids or self.answers_about_people)


def request_export(
    session: Session,
    study: Study,
    request: ExportRequest | None = None,
    *,
    actor: str = "system",
    user_id: int | None = None,
    is_admin: bool = False,
) -> Run:
    """Ask for an export; the finished run names the artifact to download. Who asked for what is written down."""
    request = request or ExportRequest()
    if request.form in (Form.WIDE, Form.WMT):
        wide_question(session, study, request.question)  # it says at once what is missing
    if request.is_private and not is_admin:
        raise NotPermitted(
            gettext("Only an admin may export what tells who somebody is."),
            remedy=gettext("Export with pseudonyms, or ask an admin."),
        )
    run = enqueue(session, "export", request.model_dump(mode="json"), study_id=study.id, user_id=user_id, priority=5)
    asked = request.model_dump(mode="json", exclude_defaults=True)
    audit.record(session, actor, "export", study.id, **(asked | {"form": request.form.value, "run": run.public_id}))
    return run
