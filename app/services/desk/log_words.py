"""Events of the audit trail in sentences. An action that has none of its own is told by its name and its details."""

import json
from collections.abc import Mapping
from typing import Any

from app.storage.models import AuditEvent
from app.words import N_, gettext

LONGEST = 120

# {name} is a detail; {who} the annotator or user whom the event is about.
SENTENCES: dict[str, str] = {
    "study made": N_("Made the study “%(title)s” with the seed %(seed)s."),
    "study copied": N_("Made this study as a copy of “%(source)s”."),
    "study state changed": N_("Changed the state from %(before)s to %(after)s."),
    "invitation made": N_("Made the invitation %(invitation)s."),
    "invitation revoked": N_("Revoked the invitation %(invitation)s."),
    "personal link made": N_("Made a new personal link for %(who)s; earlier ones ended."),
    "annotator named": N_("Changed the name or note of %(who)s."),
    "annotator's name removed": N_("Removed the name or note of %(who)s."),
    "annotator excluded": N_("Excluded %(who)s, whose %(items)s grades count in no result. Reason: %(reason)s"),
    "annotator restored": N_(
        "Restored %(who)s: %(items)s grades count again, %(surplus)s are surplus. Reason: %(reason)s"
    ),
    "role changed": N_("Changed the role of %(who)s from %(before)s to %(after)s."),
    "user disabled": N_("Disabled the account of %(who)s."),
    "user enabled": N_("Enabled the account of %(who)s."),
    "user invited": N_("Invited somebody as %(role)s."),
    "password changed": N_("Changed a password."),
    "signed in": N_("Signed in."),
    "signed out": N_("Signed out."),
    "signed out everywhere": N_("Signed out everywhere."),
    "sign-in refused": N_("Was refused at the sign-in."),
}


def in_words(event: AuditEvent, names: Mapping[str, str]) -> tuple[str, ...]:
    """What was done, a sentence for each change."""
    if isinstance(changes := event.details.get("changes"), Mapping):
        return tuple(_change(name, change) for name, change in sorted(changes.items()))
    values = {name: _short(value) for name, value in event.details.items()} | {"who": _who(event.details, names)}
    message = SENTENCES.get(event.action)
    try:
        return (gettext(message, **values),) if message else (_plain(event, values),)
    except KeyError:  # an event of an earlier version, which told less
        return (_plain(event, values),)


def _who(details: Mapping[str, Any], names: Mapping[str, str]) -> str:
    for kind in ("annotator", "user"):
        if kind in details:
            return names.get(f"{kind}:{details[kind]}", f"{kind} {details[kind]}")
    return "–"


def _change(name: str, change: Any) -> str:
    if not isinstance(change, Mapping) or not {"before", "after"} <= set(change):
        return f"{_readable(name)}: {_short(change)}"
    return gettext(
        "%(name)s: from %(before)s to %(after)s.",
        name=_readable(name),
        before=_quoted(change["before"]),
        after=_quoted(change["after"]),
    )


def _plain(event: AuditEvent, values: Mapping[str, str]) -> str:
    told = [f"{_readable(name)}: {values[name]}" for name in sorted(event.details)]
    action = event.action[:1].upper() + event.action[1:]
    return f"{action} ({'; '.join(told)})." if told else f"{action}."


def _readable(name: str) -> str:
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def _quoted(value: Any) -> str:
    if value in ("", None):
        return gettext("nothing")
    return f"“{_short(value)}”" if isinstance(value, str) else _short(value)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
