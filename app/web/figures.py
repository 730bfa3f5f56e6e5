"""Figures in pages: JSON that can't end its script element, and file names for downloads."""

import json
from typing import Any

from markupsafe import Markup

from app.hidden_characters import spelled
from app.services.studies import slugify


def figure_script(figure: dict[str, Any]) -> Markup:
    """The figure as an element that no browser runs; inert whatever its texts hold."""
    text = json.dumps(figure, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    # Every letter that HTML reads is escaped above.
    return Markup(f'<script type="application/json">{spelled(text)}</script>')  # noqa: S704 - every letter that HTML reads was escaped  # nosec B704


def file_stem(study_slug: str, name: str) -> str:
    """Name of a downloaded file without its ending."""
    return f"{study_slug}-{slugify(name) or 'table'}"
