"""What the decision log calls things: actions, as its filter lists them, settings, and values that are words."""

from app.words import N_, gettext

ACTIONS: dict[str, str] = {
    "API token made": N_("an API token made"),
    "API token revoked": N_("an API token revoked"),
    "account made": N_("an account made"),
    "annotator excluded": N_("an annotator excluded"),
    "annotator named": N_("a name or note given"),
    "annotator restored": N_("an annotator restored"),
    "annotator's name removed": N_("a name or note removed"),
    "benchmark imported": N_("a benchmark imported"),
    "canonical solutions run": N_("canonical solutions run again"),
    "completions run": N_("completions run against the tests"),
    "outputs run": N_("outputs run against the tests"),
    "generation requested": N_("a generation asked for"),
    "generation started": N_("a generation started"),
    "perturbed set requested": N_("a perturbed set asked for"),
    "perturbed set extended": N_("a perturbed set extended"),
    "perturbed set imported": N_("a released folder of perturbed prompts imported"),
    "check added": N_("a practice item or check added"),
    "check changed": N_("a practice item or check changed"),
    "practice moved": N_("a practice item put elsewhere"),
    "check removed": N_("a practice item or check removed"),
    "closing changed": N_("the closing questions changed"),
    "closing dropped": N_("the closing questions dropped"),
    "consent changed": N_("the consent changed"),
    "consent dropped": N_("the consent dropped"),
    "export": N_("an export"),
    "import": N_("an import"),
    "instrument added": N_("an instrument added"),
    "instrument changed": N_("an instrument changed"),
    "instrument removed": N_("an instrument removed"),
    "instruments reordered": N_("the order of the instruments changed"),
    "invitation made": N_("an invitation made"),
    "invitation revoked": N_("an invitation revoked"),
    "invitations made": N_("single-use links made"),
    "items sampled": N_("a sample drawn"),
    "message changed": N_("the message to annotators changed"),
    "password changed": N_("a password changed"),
    "password link made": N_("a link for a new password made"),
    "personal link made": N_("a personal link made"),
    "profile changed": N_("the questions about people changed"),
    "profile dropped": N_("the questions about people dropped"),
    "role changed": N_("a role changed"),
    "sign-in refused": N_("a sign-in refused"),
    "signed in": N_("signed in"),
    "signed out": N_("signed out"),
    "session ended": N_("another device signed out"),
    "user added": N_("a user added"),
    "provider tied": N_("an account tied to the provider"),
    "run cancelled": N_("a run cancelled"),
    "run tried again": N_("a run tried again"),
    "signed out everywhere": N_("signed out everywhere"),
    "study copied": N_("the study made as a copy"),
    "study made": N_("the study made"),
    "study settings changed": N_("settings changed"),
    "study state changed": N_("the state changed"),
    "study way changed": N_("the annotators’ way changed"),
    "study.create": N_("the study made by an import"),
    "targets changed": N_("targets changed"),
    "webhook made": N_("a webhook made"),
    "webhook removed": N_("a webhook removed"),
    "user disabled": N_("an account disabled"),
    "user enabled": N_("an account enabled"),
    "user invitation revoked": N_("a colleague’s invitation revoked"),
    "user invited": N_("a colleague invited"),
}
SETTINGS: dict[str, str] = {
    "version": N_("Version"),
    "title": N_("Title"),
    "language": N_("Language"),
    "message": N_("Message"),
    "instructions": N_("Instructions"),
    "description": N_("Description"),
    "grades_per_item": N_("Grades per item"),
    "claim_minutes": N_("Minutes that an item is held for whoever got it"),
    "merge_identical": N_("Identical outputs are one item"),
    "include_references": N_("References are graded, too"),
    "instrument": N_("Instrument"),
    "order of instruments": N_("Order of the instruments"),
    "retire_after": N_("Items are retired after so many skips"),
    "quotas": N_("Quotas"),
    "id_parameter": N_("Parameter with the id"),
    "answers": N_("Right answers"),
    "feedback": N_("Feedback"),
    "place": N_("Place"),
    "practice.pass_mark": N_("Practice: pass mark"),
    "practice.tries": N_("Practice: tries"),
    "practice.on_failing": N_("Practice: when somebody fails"),
    "checks.loud_every": N_("One loud check in so many items"),
    "checks.silent_every": N_("One silent check in so many items"),
    "checks.repeat_every": N_("One repeated item in so many items"),
    "checks.most_failed": N_("The work ends after so many failed checks"),
    "limits.items": N_("Items a person at most"),
    "limits.minutes": N_("Minutes a person at most"),
    "limits.pause_after": N_("A break after so many minutes"),
    "limits.pause": N_("Minutes of a break"),
    "endings.done.code": N_("Code for done"),
    "endings.done.address": N_("Address for done"),
    "endings.failed.code": N_("Code for failed"),
    "endings.failed.address": N_("Address for failed"),
    "endings.declined.code": N_("Code for no consent"),
    "endings.declined.address": N_("Address for no consent"),
}
TARGET = "grades per item of "  # and the instrument's name
VALUES: dict[str, str] = {
    "draft": N_("draft"),
    "open": N_("open"),
    "paused": N_("paused"),
    "closed": N_("closed"),
    "practice": N_("practice"),
    "loud": N_("loud check"),
    "silent": N_("silent check"),
    "link": N_("plain"),
    "id": N_("an id"),
    "stop": N_("the work ends"),
    "go on": N_("grading begins all the same"),
}


def action_name(action: str) -> str:
    """What was done, in a few words."""
    return gettext(ACTIONS[action]) if action in ACTIONS else action


def setting_name(name: str) -> str:
    """What was changed."""
    if name in SETTINGS:
        return gettext(SETTINGS[name])
    if name.startswith(TARGET):
        return gettext("Grades per item of %(instrument)s", instrument=name.removeprefix(TARGET))
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def value_name(value: str) -> str:
    """A value that is one of CodeJury's own words."""
    return gettext(VALUES[value]) if value in VALUES else value
