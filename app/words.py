"""The interface's words in the reader's language.

The language belongs to the request: the web says which one (``speaking``), and every floor below only asks for words.
Where nobody said, in workers and on the command line, it is English, the language of the sources. What is stored is
stored in English.

A message is always a %-pattern, as in templates: a percent sign in it is written %%.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from io import BytesIO
from pathlib import Path

from babel import Locale
from babel.dates import format_skeleton
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import get_decimal_symbol, get_group_symbol
from babel.support import NullTranslations, Translations

TRANSLATIONS = Path(__file__).resolve().parent / "translations"


@dataclass(frozen=True, slots=True)
class Language:
    """A language that CodeJury speaks. ``code`` as in folders and cookies ("pt_BR"), ``tag`` as in HTML ("pt-BR")."""

    code: str
    name: str
    direction: str

    @property
    def tag(self) -> str:
        """As HTML, HTTP and JavaScript write it."""
        return self.code.replace("_", "-")

    @property
    def locale(self) -> Locale:
        """How numbers and dates are written."""
        return Locale.parse("en_GB" if self.code == "en" else self.code)


def _language(code: str) -> Language:
    locale = Locale.parse(code)
    name = locale.get_display_name(code) or code
    return Language(code, name[:1].upper() + name[1:], locale.text_direction)


def catalogue_path(code: str) -> Path:
    """Where a language's words are kept."""
    return TRANSLATIONS / code / "LC_MESSAGES" / "messages.po"


ENGLISH = _language("en")
LANGUAGES = {"en": ENGLISH} | {
    path.parent.parent.name: _language(path.parent.parent.name)
    for path in sorted(TRANSLATIONS.glob("*/LC_MESSAGES/messages.po"))
}
_current: ContextVar[Language] = ContextVar("language", default=ENGLISH)


def language() -> Language:
    """The reader's language."""
    return _current.get()


@contextmanager
def speaking(chosen: Language) -> Iterator[None]:
    """Within the block, and in the threads that it starts work in, words are in this language."""
    token = _current.set(chosen)
    try:
        yield
    finally:
        _current.reset(token)


@cache
def catalogue(code: str) -> Catalog:
    """A language's words as its file has them."""
    with catalogue_path(code).open("rb") as file:
        return read_po(file, locale=code, abort_invalid=True)


@cache
def translations(code: str) -> NullTranslations:
    """A language's words for looking up; English has none and answers with the message itself."""
    if code == ENGLISH.code:
        return NullTranslations()
    compiled = BytesIO()
    write_mo(compiled, catalogue(code))
    compiled.seek(0)
    return Translations(compiled)


def pattern(message: str) -> str:
    """The message in the reader's language, its placeholders not filled in."""
    return translations(language().code).gettext(message)


def plural_pattern(one: str, many: str, number: int) -> str:
    """The form for that number, its placeholders not filled in."""
    return translations(language().code).ngettext(one, many, number)


def context_pattern(context: str, message: str) -> str:
    """As ``pattern``, for a message that means different things in different places."""
    return str(translations(language().code).pgettext(context, message))


def gettext(message: str, **values: object) -> str:
    """The message in the reader's language: ``gettext("Hello %(name)s", name=name)``."""
    return pattern(message) % values


def ngettext(one: str, many: str, number: int, **values: object) -> str:
    """The form for that number: ``ngettext("%(num)s item", "%(num)s items", 3)``."""
    return plural_pattern(one, many, number) % {"num": number, **values}


def pgettext(context: str, message: str, **values: object) -> str:
    """As ``gettext``, for a message that means different things in different places."""
    return context_pattern(context, message) % values


def N_(message: str) -> str:  # noqa: N802 - its name wherever gettext is used
    """Mark a message where it is written down; it is looked up by ``gettext`` where it is shown."""
    return message


def human_time(value: datetime) -> str:
    """As "27 Nov 2026, 14:05 UTC" in the reader's language; the browser puts it into the reader's zone."""
    locale = language().locale
    day, time = (format_skeleton(skeleton, value, locale=locale) for skeleton in ("yMMMd", "Hm"))
    return f"{day}, {time} UTC"


def human_number(value: float, digits: int = 0) -> str:
    """With so many digits after the point and the thousands set apart, as the reader's language does it."""
    return in_locale(f"{value:,.{digits}f}")


def in_locale(number: str) -> str:
    """A number that Python wrote ("1,234.5") as the reader's language writes it."""
    return number.translate(_separators(language().code))


@cache
def _separators(code: str) -> dict[int, str]:
    locale = LANGUAGES[code].locale
    return str.maketrans({",": get_group_symbol(locale), ".": get_decimal_symbol(locale)})


def inert(text: str) -> str:
    """The text with its control characters spelled out: none may steer the terminal that shows it."""
    return "".join(each if each.isprintable() or each in "\n\t" else _spelled(each) for each in text)


def _spelled(letter: str) -> str:
    return letter.encode("unicode_escape").decode()
