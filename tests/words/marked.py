"""A language in which every message that goes through the catalogue is marked, whether it is translated or not."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from babel.support import NullTranslations

from app import words


class Marked(NullTranslations):
    """«Each message» in quotes."""

    def gettext(self, message: str) -> str:
        """The message, marked."""
        return f"«{message}»"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """The form for that number, marked."""
        return f"«{msgid1 if n == 1 else msgid2}»"


@contextmanager
def marked_words() -> Iterator[None]:
    """Within the block each message is marked."""
    with pytest.MonkeyPatch.context() as patch, words.speaking(words.LANGUAGES["de"]):
        patch.setattr(words, "translations", lambda _: Marked())
        yield
