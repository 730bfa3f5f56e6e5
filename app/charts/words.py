"""Small grammar for computed sentences."""

from collections.abc import Sequence

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def join(words: Sequence[str], last: str = "and") -> str:
    """ "A", "A and B", "A, B and C"; nothing for none."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def count(number: int, singular: str, plural: str | None = None) -> str:
    """ "no pair", "one pair", "3,321 pairs": small numbers in words."""
    word = NUMBERS[number] if 0 <= number < len(NUMBERS) else f"{number:,}"
    return f"{word} {singular if number <= 1 else plural or singular + 's'}"


def verb(number: int, singular: str, plural: str) -> str:
    """The form of a verb for so many."""
    return singular if number == 1 else plural


def percent(part: float, whole: float, decimals: int = 1) -> str:
    """ "8.5 %"; never "0.0 %" or "100.0 %" for what is not exactly that."""
    share = 100 * part / whole
    text = f"{share:.{decimals}f}"
    if share > 0 and float(text) == 0:
        text = f"under {10**-decimals:g}"
    elif share < 100 and float(text) == 100:
        text = f"over {100 - 10**-decimals:g}"
    return f"{text.removesuffix('.0') if share in (0, 100) else text} %"


def points(value: float) -> str:
    """ "5 points", "1 point", "2.5 points"."""
    return f"{value:g} {'point' if value == 1 else 'points'}"


def sentence(text: str) -> str:
    """With an end. Its start stays: a sentence may begin with a name, and chrF is not ChrF."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def capital(text: str) -> str:
    """Text that begins with a word of ours, as a sentence begins."""
    return text[:1].upper() + text[1:]
