"""Ready-made instruments. The words are ours, in the sense of the scales of the published studies.

A study gets them in the language of whoever makes it (``in_words``); from then on they are the study's own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.words import N_, gettext

# What is read of a scale; its names, values and keys stay as they are.
_WORDS = ("label", "description", "low_label", "high_label")
# Value, label, description; the key is the value's digit, or its place where values aren't digits.
Row = tuple[float, str, str]


@dataclass(frozen=True, slots=True)
class QuestionDraft:
    """A question before it belongs to a study."""

    name: str
    text: str
    scale: dict[str, Any]
    kind: str = "choice"
    help: str = ""
    required: bool = True


@dataclass(frozen=True, slots=True)
class InstrumentDraft:
    """An instrument before it belongs to a study. ``title`` and ``about`` are for whoever chooses it."""

    name: str
    title: str
    about: str
    kind: str
    questions: tuple[QuestionDraft, ...]


def choices(rows: Sequence[Row], *, keys: str = "", level: str = "ordinal") -> dict[str, Any]:
    """A choice's scale; ``keys`` in the order of the values, the values' own digits where it is empty."""
    return {
        "level": level,
        "choices": [
            {
                "value": value,
                "key": keys[place] if keys else f"{value:g}",
                "label": label,
                "description": description,
            }
            for place, (value, label, description) in enumerate(rows)
        ],
    }


def _one_to_five(lowest: str, highest: str) -> dict[str, Any]:
    words = (lowest, "", "", "", highest)
    return choices([(value, word, "") for value, word in enumerate(words, start=1)])


HELPFULNESS = InstrumentDraft(
    name="helpfulness",
    title=N_("Helpfulness, 0 to 4"),
    about=N_("How far code helps someone who has to solve the problem."),
    kind="output",
    questions=(
        QuestionDraft(
            "helpfulness",
            N_("How helpful is this code for someone who has to solve the problem?"),
            choices(
                [
                    (
                        0,
                        N_("Not helpful"),
                        N_("It has nothing to do with the problem, or reading it would only cost time."),
                    ),
                    (
                        1,
                        N_("Slightly helpful"),
                        N_("It contains something of use, yet writing the code from scratch would be easier."),
                    ),
                    (2, N_("Somewhat helpful"), N_("It needs considerable changes, but it points the right way.")),
                    (3, N_("Small change"), N_("A small change turns it into a solution.")),
                    (4, N_("Solves it"), N_("It solves the problem as it stands.")),
                ]
            ),
        ),
    ),
)

NATURALNESS = InstrumentDraft(
    name="naturalness",
    title=N_("Naturalness: 0, 0.5, 1"),
    about=N_("Whether a person might have written a prompt like this."),
    kind="prompt",
    questions=(
        QuestionDraft(
            "naturalness",
            N_("Could a programmer have written this?"),
            choices(
                [
                    (0, N_("Not natural"), N_("Hardly any person would write it like this.")),
                    (0.5, N_("Possible but rare"), N_("A person could write it like this, but it would be unusual.")),
                    (1, N_("Natural"), N_("It reads like what people write.")),
                ],
                keys="012",
            ),
        ),
    ),
)

SIMILARITY = InstrumentDraft(
    name="semantic-similarity",
    title=N_("Semantic similarity of a pair: 0, 0.5, 1"),
    about=N_("Whether a changed text still means what the original means."),
    kind="pair",
    questions=(
        QuestionDraft(
            "semantic-similarity",
            N_("Do both mean the same?"),
            choices(
                [
                    (0, N_("Totally changed"), N_("They ask for different things.")),
                    (0.5, N_("Slightly changed"), N_("Mostly the same, but something is lost, added or unclear.")),
                    (1, N_("Exactly preserved"), N_("Both ask for exactly the same.")),
                ],
                keys="012",
            ),
        ),
    ),
)

CODE_SUMMARY = InstrumentDraft(
    name="code-summary",
    title=N_("Code summaries: direct assessment, adequacy, conciseness, fluency"),
    about=N_("The four questions of studies of code summaries: one from 0 to 100, three from 1 to 5."),
    kind="output",
    questions=(
        QuestionDraft(
            "direct-assessment",
            N_("How good is this summary of the code, all in all?"),
            {"low": 0, "high": 100, "step": 1, "low_label": N_("Useless"), "high_label": N_("Perfect")},
            kind="number",
        ),
        QuestionDraft(
            "content-adequacy",
            N_("Does it say what matters about the code?"),
            _one_to_five(N_("Misses it all"), N_("Misses nothing")),
        ),
        QuestionDraft(
            "conciseness",
            N_("Is it free of what nobody needs to know?"),
            _one_to_five(N_("Mostly needless"), N_("Nothing needless")),
        ),
        QuestionDraft("fluency", N_("Is it well written?"), _one_to_five(N_("Hard to read"), N_("Reads easily"))),
    ),
)

COMMENT = QuestionDraft(
    "comment",
    N_("Is there anything to add?"),
    {"most": 2_000},
    kind="comment",
    required=False,
)

LABELS = QuestionDraft(
    "labels",
    N_("What is wrong with it? Choose all that apply."),
    {
        "least": 0,
        "choices": [
            {"name": "does-not-run", "key": "1", "label": N_("Does not run"), "description": ""},
            {"name": "wrong-result", "key": "2", "label": N_("Wrong result"), "description": ""},
            {"name": "incomplete", "key": "3", "label": N_("Incomplete"), "description": ""},
            {"name": "needless-code", "key": "4", "label": N_("Needless code"), "description": ""},
        ],
    },
    kind="labels",
    required=False,
)


def _own(kind: str, about: str) -> InstrumentDraft:
    question = QuestionDraft(f"own-{kind}", N_("Is it right?"), choices([(0, N_("No"), ""), (1, N_("Yes"), "")]))
    return InstrumentDraft(question.name, N_("Our own question"), about, kind, (question,))


# To begin with where none of the ready-made ones fits: one question, to be rewritten.
BLANK = {
    each.name: each
    for each in (
        _own("output", N_("About an output beside its problem.")),
        _own("prompt", N_("About a prompt by itself.")),
        _own("pair", N_("About a pair: an original, and what was made of it.")),
    )
}

FREE_LABELS = InstrumentDraft(
    name="free-labels",
    title=N_("Free choice of labels, and a comment"),
    about=N_("What is wrong with an output, by labels of your own, and what else there is to say about it."),
    kind="output",
    questions=(replace(LABELS, name="what-is-wrong", required=True), replace(COMMENT, name="remark")),
)

READY_MADE = {each.name: each for each in (HELPFULNESS, NATURALNESS, SIMILARITY, CODE_SUMMARY, FREE_LABELS)}
READY_MADE_QUESTIONS = {each.name: each for each in (LABELS, COMMENT)}


def in_words(draft: InstrumentDraft) -> InstrumentDraft:
    """The instrument in the reader's language."""
    questions = tuple(map(question_in_words, draft.questions))
    return replace(draft, title=gettext(draft.title), questions=questions)


def question_in_words(draft: QuestionDraft) -> QuestionDraft:
    """The question in the reader's language; names, values and keys stay."""
    return replace(draft, text=gettext(draft.text), help=_said(draft.help), scale=_scale_in_words(draft.scale))


def _scale_in_words(scale: dict[str, Any]) -> dict[str, Any]:
    said = {name: _said(value) if name in _WORDS else value for name, value in scale.items()}
    if "choices" in scale:
        said["choices"] = [_scale_in_words(choice) for choice in scale["choices"]]
    return said


def _said(text: str) -> str:
    return gettext(text) if text else ""  # a catalogue's empty message is its head
