"""What the grading templates are given."""

from typing import Any

from sqlalchemy.orm import Session

from app.ids import content_hash
from app.services import pace, shown_items
from app.services.questionnaires.instruments import questions_of
from app.services.shown_items import ShownItem
from app.storage.models import Annotator
from app.web.code_view import view_code, visible_text
from app.web.markdown import render_markdown
from app.web.templating import templates


def base_context(session: Session, annotator_id: int, position: int | None = None) -> dict[str, Any]:
    """What every page of an annotator shows: the study, its question, one's own progress (at the item that shows)."""
    study = shown_items.study_of(session, annotator_id)
    annotator = session.get_one(Annotator, annotator_id)
    question = questions_of(session, study.id)[0]
    return {
        "study": study,
        "question": question,
        "choices": question.scale["choices"],
        "instructions": render_markdown(study.instructions),
        "progress": (progress := pace.progress_of(session, annotator_id)),
        "progress_line": progress.line(position),
        "pseudonym": annotator.pseudonym,
        # Tells one annotator's waiting answers in a shared browser from another's; leads nowhere by itself.
        "owner": content_hash("outbox", str(study.seed), str(annotator_id))[:24],
    }


def item_context(shown: ShownItem) -> dict[str, Any]:
    """An item made ready for its template."""
    return {
        "item": shown,
        "code": view_code(shown.text, shown.language),
        "intent": visible_text(shown.intent.strip()) if shown.intent and shown.intent.strip() else None,
        "context": visible_text(shown.context) if shown.context else None,
    }


def progress_json(session: Session, annotator_id: int) -> dict[str, str | int]:
    """What the script makes the line above an item from, whichever item shows."""
    progress = pace.progress_of(session, annotator_id)
    return {"pattern": progress.pattern, "earlier": progress.earlier, "offset": progress.offset}


def item_html(shown: ShownItem) -> str:
    """The item as the script puts it into the page."""
    return templates.get_template("grading/_item.html").render(**item_context(shown))
