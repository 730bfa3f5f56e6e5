"""The annotators' flags as rows of a table."""

from collections.abc import Iterator

from sqlalchemy.orm import Session

from app.services.exports.formats import Row, iso
from app.services.flags import flags_of
from app.storage.models import Study


def flag_rows(session: Session, study: Study) -> Iterator[Row]:
    """Every flag that stands, the latest first."""
    for flag in flags_of(session, study):
        yield {
            "problem": flag.problem,
            "systems": list(flag.systems),
            "text": flag.item.text,
            "worker": flag.pseudonym,
            "note": flag.note,
            "flagged_at": iso(flag.flagged_at),
        }
