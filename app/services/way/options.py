"""Change the settings of a study's way while it runs; the event says from what to what."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services import audit
from app.services.study_options import StudyOptions, options_of
from app.storage.models import Item, Study


def change_options(session: Session, actor: str, study: Study, options: StudyOptions) -> None:
    """Keep the options; the caller holds the study."""
    before, after = _flat(options_of(study)), _flat(options)
    changes = {
        name: {"before": before.get(name), "after": after.get(name)}
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    }
    if not changes:
        return
    study.options = options.model_dump(mode="json")
    session.flush()
    audit.record(session, actor, "study way changed", study.id, changes=changes)


def strata_of(session: Session, study: Study) -> list[str]:
    """The strata that the study's items were sampled as."""
    mine = select(Item.stratum).where(Item.study_id == study.id, Item.role == "main", Item.stratum != "")
    return sorted(session.scalars(mine.distinct()))


def idle_quotas(session: Session, study: Study) -> list[str]:
    """Strata with a quota and without an item: they limit nothing, or nothing yet."""
    quotas = options_of(study).quotas
    return sorted(set(quotas) - set(strata_of(session, study))) if quotas else []


def _flat(options: StudyOptions) -> dict[str, Any]:
    """Each setting by a name with dots: "limits.items"."""
    return dict(_walk("", options.model_dump(mode="json")))


def _walk(prefix: str, values: dict[str, Any]) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, value in values.items():
        found += _walk(f"{prefix}{name}.", value) if isinstance(value, dict) else [(f"{prefix}{name}", value)]
    return found
