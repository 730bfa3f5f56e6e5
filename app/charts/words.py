"""Small grammar for computed sentences, in the reader's language."""

from collections.abc import Sequence

from app.words import N_, gettext, human_number, in_locale, ngettext

NUMBERS = (
    N_("no"),
    N_("one"),
    N_("two"),
    N_("three"),
    N_("four"),
    N_("five"),
    N_("six"),
    N_("seven"),
    N_("eight"),
    N_("nine"),
    N_("ten"),
    N_("eleven"),
    N_("twelve"),
)


def join(words: Sequence[str]) -> str:
    """ "A", "A and B", "A, B and C"; nothing for none."""
    if len(words) < 2:
        return "".join(words)
    return gettext("%(others)s and %(last)s", others=", ".join(words[:-1]), last=words[-1])


def in_words(number: int) -> str:
    """ "three", "3,321": small numbers in words."""
    return gettext(NUMBERS[number]) if 0 <= number < len(NUMBERS) else human_number(number)


def percent(part: float, whole: float, decimals: int = 1) -> str:
    """ "8.5 %"; never "0.0 %" or "100.0 %" for what is not exactly that."""
    return gettext("%(share)s %%", share=share(part, whole, decimals))


def share(part: float, whole: float, decimals: int = 1) -> str:
    """As ``percent``, without the sign."""
    value = 100 * part / whole
    text = f"{value:.{decimals}f}"
    if value > 0 and float(text) == 0:
        return gettext("under %(share)s", share=short(10**-decimals))
    if value < 100 and float(text) == 100:
        return gettext("over %(share)s", share=short(100 - 10**-decimals))
    return in_locale(text.removesuffix(".0") if value in (0, 100) else text)


def short(value: float) -> str:
    """ "5", "2.5": with as few digits as it takes."""
    return in_locale(f"{value + 0.0:g}")  # never "-0"


def points(value: float) -> str:
    """ "5 points", "1 point", "2.5 points"."""
    return ngettext("%(value)s point", "%(value)s points", 1 if value == 1 else 2, value=short(value))


def sentence(text: str) -> str:
    """With an end. Its start stays: a sentence may begin with a name, and chrF is not ChrF."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def capital(text: str) -> str:
    """Text that begins with a word of ours, as a sentence begins."""
    return text[:1].upper() + text[1:]
