"""Names of instruments, questions and fields, made from their words; exports and programs know them by these."""

import re
import unicodedata
from collections.abc import Collection

LONGEST = 40


def slug(text: str, fallback: str = "question") -> str:
    """A short name from words: "How helpful is it?" becomes "how-helpful-is-it"."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST].rstrip("-") or fallback


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, with a number where it is taken."""
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{name[: 80 - 4]}-{number}"
    return candidate
