"""Events of the audit trail in sentences. An action that has none of its own is told by its name and its details."""

from collections.abc import Iterator, Mapping
from typing import Any

from app.services.desk.log_names import action_name, setting_name, value_name
from app.services.desk.log_scales import scale_in_words
from app.services.desk.sample_words import choices_in_words
from app.services.excerpts import cut
from app.services.imports.storing import message_of
from app.services.way.expected import in_words as answers_in_words
from app.storage.models import AuditEvent
from app.words import N_, gettext

# Details whose values are CodeJury's own words.
WORDS = ("before", "after", "role", "source")

# {name} is a detail; {who} the annotator or user whom the event is about.
SENTENCES: dict[str, str] = {
    "API token made": N_("Made the API token %(hint)s, for %(days)s days."),
    "API token revoked": N_("Revoked the API token %(hint)s."),
    "study made": N_("Made the study “%(title)s” with the seed %(seed)s."),
    "study copied": N_("Made this study as a copy of “%(source)s”."),
    "study state changed": N_("Changed the state from %(before)s to %(after)s."),
    "invitations made": N_("Made %(count)s single-use links with the label “%(label)s”."),
    "personal link made": N_("Made a new personal link for %(who)s; earlier ones ended."),
    "annotator named": N_("Changed the name or note of %(who)s."),
    "annotator's name removed": N_("Removed the name or note of %(who)s."),
    "annotator excluded": N_("Excluded %(who)s, whose %(items)s grades count in no result. Reason: %(reason)s"),
    "annotator restored": N_(
        "Restored %(who)s: %(items)s grades count again, %(surplus)s are surplus. Reason: %(reason)s"
    ),
    "role changed": N_("Changed the role of %(who)s from %(before)s to %(after)s."),
    "check removed": N_("Showed a practice item or check to nobody any more (%(role)s)."),
    "items sampled": N_("Drew a sample for %(instrument)s: %(items)s new items."),
    "webhook made": N_("Made a webhook to %(url)s."),
    "webhook removed": N_("Removed the webhook to %(url)s."),
    "user disabled": N_("Disabled the account of %(who)s."),
    "user enabled": N_("Enabled the account of %(who)s."),
    "user added": N_("Added %(who)s as %(role)s."),
    "provider tied": N_("Tied the account of %(who)s to %(issuer)s."),
    "user invited": N_("Invited somebody as %(role)s."),
    "password changed": N_("Changed a password."),
    "signed in": N_("Signed in."),
    "signed out": N_("Signed out."),
    "session ended": N_("Signed another device out."),
    "signed out everywhere": N_("Signed out everywhere."),
    "sign-in refused": N_("Was refused at the sign-in."),
}


def in_words(event: AuditEvent, names: Mapping[str, str]) -> tuple[str, ...]:
    """What was done, a sentence for each change."""
    if isinstance(changes := event.details.get("changes"), Mapping):
        return (_heading(event), *(_change(name, change) for name, change in sorted(changes.items())))
    if event.action in ("invitation made", "invitation revoked"):
        return tuple(_invitation(event))
    if event.action == "check added":
        return tuple(_check(event.details))
    if event.action == "import" and isinstance(event.details.get("added"), Mapping):
        return tuple(_import(event.details))
    more: tuple[str, ...] = ()
    if event.action == "items sampled" and isinstance(event.details.get("spec"), Mapping):
        more = tuple(choices_in_words(event.details["spec"]))
    values = {name: _value(name, value) for name, value in event.details.items()} | {
        "who": _who(event.details, names)
    }
    message = SENTENCES.get(event.action)
    try:
        return (gettext(message, **values), *more) if message else (_plain(event, values),)
    except KeyError:  # an event of an earlier version, which told less
        return (_plain(event, values),)


def _heading(event: AuditEvent) -> str:
    """Of what the settings below are: a version alone doesn't tell."""
    action, instrument = action_name(event.action), event.details.get("instrument")
    of = f" ({instrument})" if instrument else ""
    return f"{action[:1].upper()}{action[1:]}{of}."


def _invitation(event: AuditEvent) -> Iterator[str]:
    about = event.details
    name = f"“{_short(about['label'])}”" if about.get("label") else f"{about.get('invitation', '–')}"
    if event.action == "invitation revoked":
        yield gettext("Revoked the invitation %(invitation)s.", invitation=name)
        return
    yield gettext("Made the invitation %(invitation)s.", invitation=name)
    if about.get("source"):
        yield gettext("Kind of link: %(kind)s.", kind=value_name(about["source"]))
    if about.get("max_uses"):
        yield gettext("For %(number)s people at most.", number=about["max_uses"])
    if about.get("opens_at"):
        yield gettext("Good from %(at)s.", at=about["opens_at"])
    if about.get("expires_at"):
        yield gettext("Good until %(at)s.", at=about["expires_at"])


def _import(about: Mapping[str, Any]) -> Iterator[str]:
    """The file, and what it added."""
    file = f"“{_short(about.get('file') or '–')}”"
    yield gettext("Imported the file %(file)s.", file=file)
    yield from message_of(about["added"], about.get("left_out") or 0, []).split("\n")


def _check(about: Mapping[str, Any]) -> Iterator[str]:
    """The kind of item, and what is right about it."""
    yield gettext("Added a practice item or check (%(role)s).", role=value_name(str(about.get("role", ""))))
    expected = about.get("expected") or {}
    for question, accepted in sorted(expected.get("answers", {}).items()):
        yield gettext("Right for %(question)s: %(answers)s.", question=question, answers=answers_in_words(accepted))


def _who(details: Mapping[str, Any], names: Mapping[str, str]) -> str:
    for kind in ("annotator", "user"):
        if kind in details:
            return names.get(f"{kind}:{details[kind]}", f"{kind} {details[kind]}")
    return "–"


def _change(name: str, change: Any) -> str:
    if not isinstance(change, Mapping) or not {"before", "after"} <= set(change):
        return f"{setting_name(name)}: {_short(change)}"
    return gettext(
        "%(name)s: from %(before)s to %(after)s.",
        name=setting_name(name),
        before=_quoted(name, change["before"], change["after"]),
        after=_quoted(name, change["after"], change["before"]),
    )


def _plain(event: AuditEvent, values: Mapping[str, str]) -> str:
    told = [f"{setting_name(name)}: {values[name]}" for name in sorted(event.details)]
    action = action_name(event.action)
    action = action[:1].upper() + action[1:]
    return f"{action} ({'; '.join(told)})." if told else f"{action}."


def _value(name: str, value: Any) -> str:
    return value_name(value) if name in WORDS and isinstance(value, str) else _short(value)


def _quoted(name: str, value: Any, other: Any) -> str:
    if name.startswith("scale of "):
        return scale_in_words(value, other)
    if value in ("", None):
        return gettext("nothing")
    if name == "answers" and isinstance(value, Mapping):
        return "; ".join(f"{question}: {answers_in_words(right)}" for question, right in sorted(value.items()))
    if isinstance(value, str):
        is_word = name == "practice.on_failing" or name.startswith("kind of ")
        return value_name(value) if is_word else f"“{_short(value)}”"
    return _short(value)


def _short(value: Any) -> str:
    return cut(" ".join(_said(value).split()))


def _said(value: Any) -> str:
    """A value as people write it, not as JSON has it."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, Mapping):
        return "; ".join(f"{setting_name(str(name))}: {_said(each)}" for name, each in value.items())
    return ", ".join(map(_said, value)) if isinstance(value, list | tuple) else str(value)
