"""What a run tells, in the language of whoever reads it.

Workers speak English, and what they tell of a run is stored so: nobody knows then who will read it. All of it is
made from messages of the catalogue, so that the reader's page can find the message again, by its text or by the
pattern that the text fits, and say it in another language. What fits none (a name, a trace) stays as it is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from babel.messages.catalog import Message

from app.words import ENGLISH, catalogue, in_locale, language, pattern, plural_pattern

PLACE = re.compile(r"%\((\w+)\)[sd]")
NUMBER = re.compile(r"\d{1,3}(,\d{3})*(\.\d+)?")
# A pattern of fewer letters of its own would fit nearly anything.
FEWEST_LETTERS = 4


@dataclass(frozen=True, slots=True)
class Known:
    """A message with places for values: how a text that was made from it looks, and its plural if it has one."""

    fits: re.Pattern[str]
    one: str
    many: str | None
    letters: int

    def say(self, values: dict[str, str]) -> str:
        """The message with these values in the reader's language."""
        number = int(values.get("num", "1").replace(",", ""))
        wanted = pattern(self.one) if self.many is None else plural_pattern(self.one, self.many, number)
        shown = {name: in_locale(text) if NUMBER.fullmatch(text) else text for name, text in values.items()}
        return wanted % {"num": in_locale(f"{number:,}"), **shown}


def retold(text: str) -> str:
    """The text, line by line, in the reader's language as far as it is known there."""
    if language() == ENGLISH:
        return text
    return "\n".join(map(_line, text.split("\n")))


def _line(text: str) -> str:
    exact = pattern(text) if text else ""
    if exact != text:
        return exact.replace("%%", "%")
    found = ((known, fit) for known in _known(language().code) if (fit := known.fits.fullmatch(text)))
    known, fit = next(found, (None, None))
    return known.say(fit.groupdict()) if known and fit else text


@cache
def _known(code: str) -> list[Known]:
    """The catalogue's messages with places, those that say most by themselves first."""
    found = [known for message in catalogue(code) if message.id and not message.context for known in _forms(message)]
    return sorted((each for each in found if each.letters >= FEWEST_LETTERS), key=lambda each: -each.letters)


def _forms(message: Message) -> Iterator[Known]:
    forms = [message.id] if isinstance(message.id, str) else list(message.id)
    for form in forms:
        own = PLACE.sub("", form)
        if own != form or len(forms) > 1:
            letters = sum(letter.isalpha() for letter in own)
            yield Known(_fitting(form), forms[0], forms[1] if len(forms) > 1 else None, letters)


def _fitting(form: str) -> re.Pattern[str]:
    """What fits the form; a value that stands in it twice is the same both times."""
    parts, seen = PLACE.split(form), set[str]()
    written = [re.escape(parts[0].replace("%%", "%"))]
    for name, rest in zip(parts[1::2], parts[2::2], strict=True):
        what = r"[\d,]+" if name == "num" else ".+?"
        written += [f"(?P={name})" if name in seen else f"(?P<{name}>{what})", re.escape(rest.replace("%%", "%"))]
        seen.add(name)
    return re.compile("".join(written))
