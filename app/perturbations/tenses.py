"""Sentences put into the past or into the future: their finite verbs, and imperatives ("Return" -> "Returned").

A verb is finite if its tag says so (VBZ, VBP, VBD); a base form (VB) counts if it commands. What follows a modal verb
or "to", and participles, stay as they are.
"""

from collections.abc import Iterator, Sequence

from app.perturbations.edits import Edit
from app.perturbations.inflections import forms, in_case_of, inflected, lemma
from app.perturbations.parts_of_speech import Word

PRESENT = ("VBZ", "VBP")
_OPEN_CLAUSES = ("ROOT", "ccomp", "advcl", "parataxis")  # where a base form without a subject's help commands
_ATTRIBUTES = ("acl", "amod", "compound", "prep")  # "string encoded with": no past tense, whatever its tag
_SHORT_PAST = {"'re": " were", "'m": " was"}
_SHORT_FUTURE = {"'re": "'ll be", "'m": "'ll be"}
_OBJECT_FOLLOWS = ("DT", "PRP$")


def past(words: Sequence[Word]) -> Iterator[Edit]:
    """Changes by which the text tells of the past; what is there already stays."""
    for place, word in enumerate(words):
        tag = _tag(words, place)
        if tag in (*PRESENT, "VB") and _follows(words, place) != "n't":
            yield Edit(word.start, word.end, _SHORT_PAST.get(word.text) or _in_the_past(word, is_plural=tag == "VBP"))
        elif word.text.lower() == "will" and word.tag == "MD" and _is_base(words, place + 1):
            verb = words[place + 1]
            yield Edit(word.start, verb.end, in_case_of(_in_the_past(verb, _is_plural(words, place - 1)), word.text))


def future(words: Sequence[Word]) -> Iterator[Edit]:
    """Changes by which the text tells of the future; "will be" and the like stay."""
    for place, word in enumerate(words):
        tag = _tag(words, place)
        if tag not in (*PRESENT, "VBD", "VB") or _follows(words, place) == "n't":
            continue
        base, will = lemma(word.text, word.part), in_case_of("will", word.text)
        if word.text in _SHORT_FUTURE:
            yield Edit(word.start, word.end, _SHORT_FUTURE[word.text])
        elif word.role == "aux" and base == "do":
            yield Edit(word.start, word.end, will)
        elif _follows(words, place) == "not":
            yield Edit(word.start, word.end, will)
            yield Edit(words[place + 1].end, words[place + 1].end, f" {base}")
        elif word.text[0] != "'":
            yield Edit(word.start, word.end, f"{will} {base}")


def _in_the_past(word: Word, is_plural: bool) -> str:
    base = lemma(word.text, word.part)
    form = ("were" if is_plural else "was") if base == "be" else inflected(base, "VBD")
    return in_case_of(form, word.text)


def _tag(words: Sequence[Word], place: int) -> str | None:
    """The tag of a verb that a tense changes, corrected where a first word was taken for a noun; else None."""
    word = words[place]
    if word.begins_sentence and word.part not in ("VERB", "AUX") and _looks_like_order(words, place):
        return "VBZ" if word.tag == "NNS" else "VB"
    if word.tag == "VB":
        return "VB" if _is_finite(words, place, set()) else None
    is_verb = word.tag in (*PRESENT, "VBD") and word.part in ("VERB", "AUX") and word.role not in _ATTRIBUTES
    is_fixed = word.text == "'s" or (word.text == "follows" and place > 0 and words[place - 1].text == "as")
    return word.tag if is_verb and not is_fixed else None


def _looks_like_order(words: Sequence[Word], place: int) -> bool:
    """ "Filter an input list", "Checks if …", "Return list": a form of a verb that reads like a noun.

    It is one where its object follows, or where nothing else in the sentence could be its main verb.
    """
    text = words[place].text.lower()
    if words[place].tag not in ("NN", "NNP", "NNS", "JJ") or text not in forms(text, "VERB"):
        return False
    following = words[place + 1] if place + 1 < len(words) else None
    if following is not None and (following.tag in _OBJECT_FOLLOWS or following.text.lower() in ("if", "whether")):
        return True
    if following is None or following.tag == "VB" or not following.text.isalnum():
        return False
    return _main_word(words, place).part not in ("VERB", "AUX")


def _main_word(words: Sequence[Word], place: int) -> Word:
    while words[place].head != place:
        place = words[place].head
    return words[place]


def _is_finite(words: Sequence[Word], place: int, seen: set[int]) -> bool:
    """Whether a base form commands, or goes on with what a finite verb began ("takes a list and return it")."""
    word = words[place]
    if word.tag in (*PRESENT, "VBD"):
        return True
    is_helped = any(each.head == place and each.role == "aux" for each in words[:place])
    if (
        word.tag != "VB"
        or place in seen
        or is_helped
        or not forms(word.text, "AUX" if word.part == "AUX" else "VERB")
    ):
        return False
    if place + 1 < len(words) and words[place + 1].text == ":":
        return False  # "Note: …"
    if word.role == "conj":
        return _is_finite(words, word.head, seen | {place})
    return word.role in _OPEN_CLAUSES and (place == 0 or words[place - 1].tag not in ("TO", "MD"))


def _follows(words: Sequence[Word], place: int) -> str:
    """ "not" or "n't" where one of them comes next."""
    text = words[place + 1].text.lower().replace("’", "'") if place + 1 < len(words) else ""
    return text if text in ("not", "n't") else ""


def _is_base(words: Sequence[Word], place: int) -> bool:
    return place < len(words) and words[place].tag == "VB"


def _is_plural(words: Sequence[Word], place: int) -> bool:
    """Whether the word before "will" is a subject with "were"."""
    subject = words[place] if place >= 0 else None
    return subject is not None and (
        subject.tag in ("NNS", "NNPS") or subject.text.lower() in ("you", "we", "they", "these", "those")
    )
