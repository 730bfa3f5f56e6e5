"""Text in CSV that a spreadsheet would take for a formula: made harmless on the way out, exact again on the way in.

An apostrophe before it makes it text. What begins with apostrophes and would be such text without them gets one more,
so that taking one away is always right, and a spreadsheet that shows the apostrophe shows no other text twice.
"""

import re

# OWASP's list of what begins a formula, with the full-width forms that spreadsheets take for the same.
_STARTS = "=+\\-@\t\r\n\0＝＋－＠"
_DANGEROUS = re.compile(rf"'*[{_STARTS}]")
_HARMLESS = re.compile(rf"'+[{_STARTS}]")


def neutralise(text: str) -> str:
    """The text as a cell that no spreadsheet computes."""
    return f"'{text}" if _DANGEROUS.match(text) else text


def restore(cell: str) -> str:
    """The text that ``neutralise`` made the cell of."""
    return cell[1:] if _HARMLESS.match(cell) else cell
