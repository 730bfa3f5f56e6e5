"""A line of a text by which people tell it from others: code often begins as all other code does."""

import re

LONGEST = 120
# Lines that say nothing about what follows: imports, and the marks that open a comment.
COMMON = re.compile(
    r"""\s*(import\s|from\s+\S+\s+import\b|(using|package)\s.*;\s*$|\#\s*include\b|\#!|\"{3}\s*$|'{3}\s*$|/\*+\s*$)"""
)


def first_line(text: str) -> str:
    """The first line that tells something; the first one at all where none does."""
    lines = text.strip().splitlines()
    return cut(next(iter(_telling(text)), lines[0].strip() if lines else ""))


def in_one_line(text: str) -> str:
    """As much of the text as fits into a line, what says nothing apart."""
    return cut(" ".join(" ".join(_telling(text) or text.split()).split()))


def cut(text: str) -> str:
    """No more of it than a list shows."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _telling(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip() and not COMMON.match(line)]
