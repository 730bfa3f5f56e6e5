"""Studies: make one, find one, open and close it."""

import re
import secrets
from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.errors import Conflict, InvalidInput, NotFound
from app.services.questionnaires.instruments import add_instrument
from app.services.questionnaires.ready_made import HELPFULNESS, InstrumentDraft
from app.services.questionnaires.versions import publish_questionnaire
from app.storage.models import Study
from app.storage.transaction_turns import TurnAt, take_turn
from app.words import gettext

# From which states a study may come to each state.
TRANSITIONS = {
    "open": ("draft", "paused", "closed"),
    "paused": ("open",),
    "closed": ("open", "paused", "draft"),
}

LONGEST_TITLE = 200
# Addresses under /studies that are pages of their own.
RESERVED_SLUGS = frozenset({"new"})
_SLUG = re.compile(r"[a-z0-9-]{1,80}")  # what else an address may hold never reaches the database


def slugify(title: str) -> str:
    """A short name for addresses: "CoNaLa (2023)" becomes "conala-2023"."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:80].strip("-")


def new_study_slug(title: str) -> str:
    """The short name that a study of this title gets; InvalidInput where there can't be one."""
    slug, length = slugify(title), len(title.strip())
    if not slug:
        raise InvalidInput(gettext("A study needs a title with at least one letter or digit."))
    if length > LONGEST_TITLE:
        raise InvalidInput(
            gettext(
                "A study's title has at most %(most)s characters; this one has %(length)s.",
                most=LONGEST_TITLE,
                length=length,
            ),
            remedy=gettext("Choose a shorter title."),
        )
    if slug in RESERVED_SLUGS:
        raise InvalidInput(
            gettext("%(title)s can't be a study's title: its address is taken by another page.", title=repr(title))
        )
    return slug


def check_free(session: Session, slug: str) -> None:
    """Conflict where a study has that short name."""
    if session.scalar(select(Study.id).where(Study.slug == slug)) is not None:
        raise Conflict(
            gettext("There is a study %(slug)s already.", slug=repr(slug)), remedy=gettext("Choose another title.")
        )


def create_study(
    session: Session,
    title: str,
    *,
    seed: int | None = None,
    slug: str | None = None,
    instruments: Sequence[InstrumentDraft] = (HELPFULNESS,),
    **settings: Any,
) -> Study:
    """A new study, in draft; unless others are given, with the helpfulness question 0 to 4."""
    slug = slug or new_study_slug(title)
    take_turn(session, TurnAt.STUDIES)
    check_free(session, slug)
    study = Study(slug=slug, title=title.strip(), seed=secrets.randbelow(2**31) if seed is None else seed, **settings)
    session.add(study)
    session.flush()
    for draft in instruments:
        add_instrument(session, study, draft)
    return study


def find_study(session: Session, slug: str) -> Study:
    """The study with that short name."""
    study = session.scalar(select(Study).where(Study.slug == slug)) if _SLUG.fullmatch(slug) else None
    if study is None:
        raise NotFound(gettext("There is no such study."))
    return study


def change_state(session: Session, study: Study, state: str) -> None:
    """Open, pause or close the study."""
    if study.state not in TRANSITIONS.get(state, ()):
        raise Conflict(gettext("A study that is %(before)s can't become %(after)s.", before=study.state, after=state))
    study.state = state
    if state == "open":
        study.opened_at, study.closed_at = study.opened_at or utc_now(), None
        publish_questionnaire(session, study)
    if state == "closed":
        study.closed_at = utc_now()
    session.flush()
