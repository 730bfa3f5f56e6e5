"""Studies: listed, made, changed, opened and closed, copied."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import ConfigDict, Field
from sqlalchemy.orm import Session

from app.errors import InvalidInput
from app.services import study_settings
from app.services.code_languages import DEFAULT
from app.services.desk import copying
from app.services.desk import runs as desk_runs
from app.services.listings import newest_studies
from app.services.questionnaires.instruments import instruments_of
from app.services.questionnaires.ready_made import BLANK, HELPFULNESS, READY_MADE, in_words
from app.services.studies import find_study
from app.services.study_progress import StudyProgress, progress_of
from app.storage.models import Study
from app.web.access import CurrentPrincipal
from app.web.api.once import once
from app.web.api.paging import After, Limit, Page, page_of
from app.web.api.permissions import CHANGE, READ
from app.web.api.runs import RunShown, shown_run
from app.web.api.shapes import Incoming, Outgoing, body
from app.web.database import ReadSession, WriteSession
from app.web.forms import CodeLanguage
from app.web.studies import LockedStudy
from app.words import gettext

router = APIRouter(tags=["studies"])

Title = Annotated[str, Field(min_length=1, max_length=200)]
Text = Annotated[str, Field(max_length=5_000)]
Grades = Annotated[int, Field(ge=1, le=100)]


class Progress(Outgoing):
    """Counts of one study. ``held``: the grades towards ``wanted``."""

    model_config = ConfigDict(from_attributes=True)

    problems: int
    systems: int
    outputs: int
    items: int
    graded: int
    held: int
    wanted: int
    annotators: int


class StudyShown(Outgoing):
    """A study, with its settings and how far it is."""

    study: str = Field(description="Its short name, by which addresses name it.")
    title: str
    description: str
    instructions: str
    message: str
    language: str
    state: Literal["draft", "open", "paused", "closed"]
    seed: int
    grades_per_item: int
    claim_minutes: int
    merge_identical: bool
    include_references: bool
    targets: dict[str, int | None] = Field(description="By instrument; null: the study's own.")
    created_at: datetime
    opened_at: datetime | None
    closed_at: datetime | None
    progress: Progress
    links: dict[str, str]


class NewStudy(Incoming):
    """What a study begins with. ``instruments``: ready-made ones by name."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"title": "My study", "grades_per_item": 3}]})

    title: Title
    description: Text = ""
    language: CodeLanguage = DEFAULT
    grades_per_item: Grades = 3
    merge_identical: bool = True
    include_references: bool = True
    seed: int | None = Field(None, ge=0, lt=2**63)
    instruments: list[str] = Field([HELPFULNESS.name], min_length=1, max_length=20)


class Settings(Incoming):
    """What changes; whatever is not said stays."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"grades_per_item": 5}]})

    title: Title | None = None
    description: Text | None = None
    instructions: Annotated[str, Field(max_length=50_000)] | None = None
    language: CodeLanguage | None = None
    grades_per_item: Grades | None = None
    claim_minutes: Annotated[int, Field(ge=1, le=10_080)] | None = None
    merge_identical: bool | None = None
    include_references: bool | None = None
    message: Annotated[str, Field(max_length=5_000)] | None = Field(None, description="To annotators, in Markdown.")


class NewState(Incoming):
    """The state to come to."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"state": "open"}]})

    state: Literal["open", "paused", "closed"]


class Targets(Incoming):
    """Grades per item, by instrument; null stands for the study's own."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"targets": {"helpfulness": 5}}]})

    targets: dict[str, Grades | None]


class WantedCopy(Incoming):
    """A copy's title, and whether the material comes along."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"title": "The same again", "material": True}]})

    title: Title
    material: bool = False


class CopyShown(Outgoing):
    """The copy; ``run`` copies its material where that is large."""

    study: StudyShown
    run: RunShown | None


@router.get("/studies", dependencies=[READ])
def list_studies(session: ReadSession, after: After, limit: Limit = 50) -> Page[StudyShown]:
    """Every study, the newest first."""
    found = newest_studies(session, after.row, limit)
    progress = progress_of(session, found.rows)
    return page_of(found, lambda study: _shown(session, study, progress[study.id]), after)


@router.post("/studies", dependencies=[CHANGE], status_code=201)
@once
def make_study(
    session: WriteSession, principal: CurrentPrincipal, wanted: Annotated[NewStudy, body(NewStudy)]
) -> StudyShown:
    """A study without material, in draft."""
    offered = READY_MADE | BLANK
    if unknown := [name for name in wanted.instruments if name not in offered]:
        raise InvalidInput(
            gettext("There is no such instrument to add: %(names)s.", names=", ".join(unknown)),
            remedy=gettext("Known: %(names)s.", names=", ".join(offered)),
        )
    chosen = [in_words(offered[name]) for name in dict.fromkeys(wanted.instruments)]
    settings = wanted.model_dump(exclude={"instruments"})
    return shown_study(session, study_settings.create(session, principal.actor, **settings, instruments=chosen))


@router.get("/studies/{slug}", dependencies=[READ])
def show_study(session: ReadSession, slug: str) -> StudyShown:
    """One study."""
    return shown_study(session, find_study(session, slug))


@router.patch("/studies/{slug}", dependencies=[CHANGE])
@once
def change_settings(
    principal: CurrentPrincipal,
    wanted: Annotated[Settings, body(Settings)],
    session: WriteSession,
    study: LockedStudy,
) -> StudyShown:
    """Keep other settings, also while the study runs."""
    changes = wanted.model_dump(exclude_none=True)
    message = changes.pop("message", None)
    study_settings.change(session, principal.actor, study, **changes)
    if message is not None:
        study_settings.change_message(session, principal.actor, study, message)
    return shown_study(session, study)


@router.post("/studies/{slug}/state", dependencies=[CHANGE])
@once
def change_state(
    principal: CurrentPrincipal,
    wanted: Annotated[NewState, body(NewState)],
    session: WriteSession,
    study: LockedStudy,
) -> StudyShown:
    """Open, pause or close the study."""
    study_settings.change_state(session, principal.actor, study, wanted.state)
    return shown_study(session, study)


@router.put("/studies/{slug}/targets", dependencies=[CHANGE])
@once
def change_targets(
    principal: CurrentPrincipal, wanted: Annotated[Targets, body(Targets)], session: WriteSession, study: LockedStudy
) -> StudyShown:
    """Keep other targets for instruments; those that are not named stay."""
    fields = {each.name: study_settings.target_field(each) for each in instruments_of(session, study.id)}
    named = {
        fields.get(name, f"“{name}”"): "" if most is None else str(most) for name, most in wanted.targets.items()
    }
    study_settings.change_targets(session, principal.actor, study, named)
    return shown_study(session, study)


@router.post("/studies/{slug}/copies", dependencies=[CHANGE], status_code=201)
@once
def copy_study(
    session: WriteSession, principal: CurrentPrincipal, slug: str, wanted: Annotated[WantedCopy, body(WantedCopy)]
) -> CopyShown:
    """A new study like this one, without grades and people."""
    source = find_study(session, slug)
    made = copying.copy_study(session, principal.actor, source, wanted.title)
    run = None
    if wanted.material and copying.is_small(session, source):
        copying.copy_all_problems(session, source, made)
    elif wanted.material:
        run = shown_run(session, desk_runs.request_copy(session, source, made, principal.user_id))
    return CopyShown(study=shown_study(session, made), run=run)


def shown_study(session: Session, study: Study) -> StudyShown:
    """The study as it goes out."""
    return _shown(session, study, progress_of(session, [study])[study.id])


def _shown(session: Session, study: Study, progress: StudyProgress) -> StudyShown:
    values: dict[str, Any] = {
        name: getattr(study, name) for name in StudyShown.model_fields if hasattr(study, name)
    } | {"study": study.slug}
    return StudyShown(
        **values,
        targets={each.name: each.grades_per_item for each in instruments_of(session, study.id)},
        progress=Progress.model_validate(progress),
        links={"study": f"/api/v1/studies/{study.slug}", "page": f"/studies/{study.slug}"},
    )
