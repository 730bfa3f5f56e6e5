"""Starting texts for the forms around the grading; brackets mark what a team has to fill in.

The consent holds what the GDPR (Articles 7, 13 and 89) and the usual forms of European ethics boards ask for: who,
why, what, how long, risks and gains, payment, data and their keeping, rights, whom to ask, and that it is free to
refuse. A study gets them in the language of whoever takes them.
"""

from typing import Any

from app.words import N_, gettext

_CONSENT = N_(
    """\
# Taking part in a study of generated code

**Who we are.** This study is done by [names] at [institution, address]. It was reviewed by [ethics board, \
number of its decision].

**What it is about.** Programs write code and texts about code today. We want to learn how good these are in the \
eyes of people, and which automatic measures agree with people.

**What you do.** You read short pieces of code or text and answer questions about each. It takes about [minutes] \
minutes. You can stop and come back at any time.

**Who can take part.** You are at least 18 years old and [have some experience in programming].

**It is free to take part, and to stop.** You need not give a reason, and it has no bad consequences for you. \
[If you stop early, you are paid for what you did until then.]

**Risks and gains.** We know of no risks beyond those of reading at a screen. [You are paid … / You get no \
payment.]

**Your data.** We store your answers, the times at which you give them, and what you tell us about yourself. You \
are known by a pseudonym. We do not store your name, your e-mail address or your IP address with your answers. \
[If you come from a platform for paid work, we store the identifier that it gives you, so that you can be paid; \
it is deleted after [months] months and is never published.]

**What happens with them.** The data is kept on a server at [place] and read by the researchers of this study. \
Answers may be published and shared with other researchers, without anything that tells who you are. Original \
data is kept for [10] years, as good scientific practice asks.

**Your rights.** The legal ground is your consent (Article 6(1)(a) GDPR). You can withdraw it at any time, ask \
what is stored about you, and have it corrected or deleted, as long as we can still tell which data is yours. \
You can also complain to a data protection authority.

**Whom to ask.** About the study: [name, e-mail]. About your data: [data protection officer, e-mail]. About your \
rights as a participant: [ethics board, e-mail].

By agreeing you say that you have read this, that you are at least 18 years old, and that you take part of your \
own free will.
"""
)

_NOT_SAID = N_("I would rather not say")

_PROFILE = {
    "intro": N_(
        "A few questions about you. They help us to describe who took part; your answers are read together with "
        "those of others."
    ),
    "fields": [
        {
            "name": "years-programming",
            "label": N_("For how many years have you been programming?"),
            "kind": "number",
            "least": 0,
            "most": 70,
            "help": N_("Count from when you began to write programs regularly."),
        },
        {
            "name": "years-professional",
            "label": N_("For how many of these years was it a part of your paid work?"),
            "kind": "number",
            "least": 0,
            "most": 70,
        },
        {
            "name": "languages",
            "label": N_("Which programming languages do you know well?"),
            "kind": "text",
            "help": N_("The one that you know best first; commas between them."),
        },
        {
            "name": "familiarity",
            "label": N_("How well do you know the language of this study?"),
            "kind": "scale",
            "least": 1,
            "most": 5,
            "options": [N_("Not at all"), N_("Very well")],
        },
        {
            "name": "education",
            "label": N_("What is your highest finished education?"),
            "kind": "choice",
            "options": [
                N_("School"),
                N_("Vocational training"),
                N_("Bachelor’s degree"),
                N_("Master’s degree"),
                N_("Doctorate"),
                N_("Something else"),
                _NOT_SAID,
            ],
        },
        {
            "name": "age",
            "label": N_("How old are you?"),
            "kind": "choice",
            "options": ["18–24", "25–34", "35–44", "45–54", "55–64", N_("65 or older"), _NOT_SAID],
        },
    ],
}

_CLOSING = {
    "intro": N_("That was all to grade. Two last questions."),
    "fields": [
        {
            "name": "difficulty",
            "label": N_("How hard was it to decide on your answers?"),
            "kind": "scale",
            "least": 1,
            "most": 5,
            "options": [N_("Very easy"), N_("Very hard")],
        },
        {
            "name": "comments",
            "label": N_("Is there anything that you would like to tell us?"),
            "kind": "long",
            "required": False,
            "help": N_("For instance what was unclear, or what disturbed you."),
        },
    ],
}

_READY_MADE: dict[str, dict[str, Any]] = {
    "consent": {
        "text": _CONSENT,
        "agree": N_("I agree and want to take part"),
        "decline": N_("I don’t want to take part"),
    },
    "profile": _PROFILE,
    "closing": _CLOSING,
}

# What is read of a form; its names, kinds and numbers stay as they are.
_WORDS = ("text", "agree", "decline", "intro", "label", "help", "options")


def ready_made_form(kind: str) -> dict[str, Any]:
    """The form's content in the reader's language: from its saving on it is the study's own."""
    return _in_words(_READY_MADE[kind])


def _in_words(content: dict[str, Any]) -> dict[str, Any]:
    said = {name: _said(value) if name in _WORDS else value for name, value in content.items()}
    if "fields" in content:
        said["fields"] = [_in_words(each) for each in content["fields"]]
    return said


def _said(words: str | list[str]) -> str | list[str]:
    return gettext(words) if isinstance(words, str) else [gettext(each) for each in words]
