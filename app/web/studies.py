"""The study that a route changes."""

from typing import Annotated

from fastapi import Depends

from app.services import study_settings
from app.storage.models import Study
from app.web.database import WriteSession


def _locked(slug: str, session: WriteSession) -> Study:
    return study_settings.lock(session, slug)


# Stands behind what was posted, so that nobody waits while a form is still on its way.
LockedStudy = Annotated[Study, Depends(_locked)]
