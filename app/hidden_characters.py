"""Characters that a reader would not see, or would take for others (CVE-2021-42574 shows why that matters)."""

import re
import unicodedata

# Letters and symbols by category, yet blank to the eye.
BLANK_LETTERS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
# What Unicode says to ignore when it can't be drawn, beyond the category Cf: selectors, tags, places kept for more.
IGNORED = re.compile("[\u034f\u180b-\u180f\u2065\ufe00-\ufe0f\ufff0-\ufff8\U000e0000-\U000e0fff]")
HIDDEN_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Co", "Zl", "Zp", "Zs"))

# Cyrillic and Greek letters with the shape of Latin ones.
LOOKALIKES = frozenset(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u0501\u051b\u051d"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0405\u0406\u0408"
    "\u03bd\u03bf\u03c1\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
)
WORD = re.compile(r"\w+")
# More accents than any language stacks; from here on they would cover the lines above.
MOST_ACCENTS = 4


def is_hidden(letter: str) -> bool:
    """Whether a reader would not see this character, wherever it stands."""
    if letter in "\t\n " or "!" <= letter <= "~":
        return False
    is_blank = letter in BLANK_LETTERS or IGNORED.match(letter) is not None
    return is_blank or unicodedata.category(letter) in HIDDEN_CATEGORIES


def is_hidden_in_names(letter: str) -> bool:
    """The same in a name or a short text: in it a no-break space is just a space."""
    return is_hidden(letter) and unicodedata.category(letter) != "Zs" and letter != "\r"


def spelled(text: str) -> str:
    """The text with what can't be seen spelled out, for figures and LaTeX: without marks, names are told apart."""
    return "".join(f"[U+{ord(letter):04X}]" if is_hidden_in_names(letter) else letter for letter in text)


def misleads(text: str, at: int) -> bool:
    """Whether the character at this place of the text would not be seen, or be taken for another."""
    letter = text[at]
    if letter == "\r":
        return text[at + 1 : at + 2] != "\n"
    if is_hidden(letter):
        return True
    return letter > "\x7f" and (_is_stray_accent(text, at) or _is_lookalike(text, at))


def _is_stray_accent(text: str, at: int) -> bool:
    """An accent with no letter of its own, or on top of too many others."""
    if not _is_accent(text[at]):
        return False
    before = text[max(0, at - MOST_ACCENTS) : at]
    if not before or before[-1].isspace() or is_hidden(before[-1]):
        return True
    return len(before) == MOST_ACCENTS and all(map(_is_accent, before))


def _is_accent(letter: str) -> bool:
    return unicodedata.category(letter).startswith("M")


def _is_lookalike(text: str, at: int) -> bool:
    """A letter or digit of another script within a Latin word or number, or one that only poses as a Latin one."""
    letter = text[at]
    if unicodedata.category(letter) == "Nd" or letter in LOOKALIKES:
        return any(each.isascii() and each.isalnum() for each in _word_around(text, at))
    plain = unicodedata.normalize("NFKC", letter) if unicodedata.category(letter) in ("Lu", "Ll") else ""
    return len(plain) == 1 and plain.isascii()


def _word_around(text: str, at: int) -> str:
    """The word that this character is part of, as far as a reader would look."""
    start = max(0, at - 40)
    around = text[start : at + 40]
    return next((word[0] for word in WORD.finditer(around) if word.start() <= at - start < word.end()), "")
