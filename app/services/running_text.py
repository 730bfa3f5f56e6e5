"""Whether the items of an instrument are shown as running text, in words' type, or as code, in numbered lines.

The rule: a prompt or a pair is running text unless it is laid out as code is. Outputs are code, unless most of the
instrument's first ones read like sentences, as summaries of code do: one look for all, since an output that looked
otherwise than its neighbours would be judged otherwise. Copies made as checks don't count: they come while people
grade, and must not change how everything looks.
"""

import re
from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.kept import kept
from app.storage.models import Instrument, Item

FIRST = 9
# A word as sentences have it: letters, perhaps with a hyphen or an apostrophe, in quotes or before a mark.
_WORD = re.compile(r"[\"'“‘„«(]*[^\W\d_]+(?:[-'’/][^\W\d_]+)*[.,:!?…\"'”’»)。、，：]*")
# Of 3,000 outputs of the CoNaLa study 6 % read like sentences by this share, of its 500 intents 96 %.
LEAST_SHARE = 2 / 3
FEWEST_WORDS = 3


def is_running_text(session: Session, instrument: Instrument, texts: Iterable[str]) -> bool:
    """Whether these texts, an item of the instrument, are running text."""
    if instrument.kind == "output":
        key = ("running text", instrument.id)
        return kept(session, key, lambda: _most_read_like_sentences(_first_texts(session, instrument)))
    return not any(map(_is_laid_out, texts))


def reads_like_sentences(text: str) -> bool:
    """Whether nearly all of it is words, and its lines aren't laid out as code's."""
    words = text.split()
    plain = sum(_WORD.fullmatch(word) is not None for word in words)
    return len(words) >= FEWEST_WORDS and plain >= LEAST_SHARE * len(words) and not _is_laid_out(text)


def _first_texts(session: Session, instrument: Instrument) -> list[str]:
    mine = select(Item.text).where(Item.instrument_id == instrument.id, Item.role == "main")
    return list(session.scalars(mine.order_by(Item.problem_id, Item.identity).limit(FIRST)))  # as the index has them


def _most_read_like_sentences(texts: list[str]) -> bool:
    return 2 * sum(map(reads_like_sentences, texts)) > len(texts)


def _is_laid_out(text: str) -> bool:
    """Whether lines are indented, as code is and running text isn't."""
    return any(line[:1] in (" ", "\t") and line.strip() for line in text.split("\n"))
