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
    "order of questions": N_("Order of the questions"),
    "help": N_("Help"),
    "kind": N_("Kind"),
    "name": N_("Name"),
    "item": N_("Item"),
    # Of exports
    "form": N_("Form"),
    "run": N_("Run"),
    "skips": N_("With skipped items"),
    "question": N_("Question"),
    "material": N_("With problems, outputs and items"),
    "platform_ids": N_("With the names that platforms gave to people"),
    "answers_about_people": N_("With answers about people"),
    # Of what models write, and of perturbed sets
    "benchmark": N_("Benchmark"),
    "systems": N_("Systems"),
    "generation": N_("Generation"),
    "transformations": N_("Transformations"),
    "seed": N_("Seed"),
    "model": N_("Model"),
    "file": N_("File"),
    # Of people
    "user": N_("Number of the account"),
    "role": N_("Role"),
    "link": N_("Number of the link"),
    "email": N_("Email address"),
    "address": N_("Address"),
    "by": N_("By"),
}
# What begins so goes on with the name of an instrument or of a question.
PREFIXES: dict[str, str] = {
    "grades per item of ": N_("Grades per item of %(instrument)s"),
    "question ": N_("Question %(name)s"),
    "text of ": N_("Text of %(name)s"),
    "help of ": N_("Help of %(name)s"),
    "kind of ": N_("Kind of question of %(name)s"),
    "scale of ": N_("Scale of %(name)s"),
    "required of ": N_("An answer is needed to %(name)s"),
}
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
    "mturk": N_("Mechanical Turk"),
    "prolific": N_("Prolific"),
    "admin": N_("admin"),
    "researcher": N_("researcher"),
    "choice": N_("One of some values"),
    "labels": N_("Any of some labels"),
    "number": N_("A number of a range"),
    "comment": N_("A comment"),
}
# Who did something without being a person.
ACTORS: dict[str, str] = {
    "anonymous": N_("nobody who is known"),
    "command line": N_("command line"),
    "system": N_("CodeJury itself"),
}


def action_name(action: str) -> str:
    """What was done, in a few words."""
    return gettext(ACTIONS[action]) if action in ACTIONS else action


def setting_name(name: str) -> str:
    """What was changed."""
    if name in SETTINGS:
        return gettext(SETTINGS[name])
    for prefix, message in PREFIXES.items():
        if name.startswith(prefix):
            named = name.removeprefix(prefix)
            return gettext(message, name=named, instrument=named)
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def actor_name(actor: str) -> str:
    """Who did it, where that is neither a user nor an annotator."""
    return gettext(ACTORS[actor]) if actor in ACTORS else actor


def value_name(value: str) -> str:
    """A value that is one of CodeJury's own words."""
    return gettext(VALUES[value]) if value in VALUES else value
