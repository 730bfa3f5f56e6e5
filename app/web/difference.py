"""What differs between two texts, in words: for pairs of an original and its changed form.

Small texts are aligned by difflib, which prefers long common stretches and so reads best; it takes seconds where
words repeat, so larger ones are aligned line by line first, by rapidfuzz, whose shortest edit takes milliseconds.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from rapidfuzz.distance import Indel

# A word; in Chinese and Japanese, written without spaces, a letter; one line end; blanks; any other mark by itself.
_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
TOKEN = re.compile(rf"\r\n|[\r\n]|[^\S\r\n]+|[{_IDEOGRAPHS}]|[^\W{_IDEOGRAPHS}]+|.", re.DOTALL)
LINE = re.compile(r"[^\r\n]*(?:\r\n|[\r\n])|[^\r\n]+")
LINE_END = re.compile(r"\r\n|[\r\n]")
BLANKS = re.compile(r"[^\S\r\n]+")

# Products of lengths in tokens. difflib needs 0.1 s for 100,000 at its worst, rapidfuzz for 500 million.
MOST_CAREFUL = 100_000
MOST_CAREFUL_IN_ALL = 400_000
MOST_ALIGNED = 500_000_000
# Characters of both texts together; beyond, whole lines are marked.
MOST_IN_WORDS = 100_000


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of one text, and whether the other text lacks it."""

    text: str
    changed: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """Both texts cut into parts; joined, the parts of a side are its text. ``places``: where they differ."""

    first: tuple[Part, ...]
    second: tuple[Part, ...]
    places: int


@dataclass(frozen=True, slots=True)
class _Step:
    """A stretch of both texts: the same in both, or to be marked."""

    first: str
    second: str
    same: bool

    @property
    def is_replacement(self) -> bool:
        return not self.same and bool(self.first) and bool(self.second)

    @property
    def is_blank(self) -> bool:
        return BLANKS.fullmatch(self.first) is not None

    def __add__(self, other: "_Step") -> "_Step":
        return _Step(self.first + other.first, self.second + other.second, self.same and other.same)


def difference(first: str, second: str) -> Difference:
    """The two texts, word by word."""
    steps = _slid(_joined(_steps(first, second)))
    return Difference(
        tuple(Part(step.first, not step.same) for step in steps if step.first),
        tuple(Part(step.second, not step.same) for step in steps if step.second),
        sum(not step.same for step in steps),
    )


def _steps(first: str, second: str) -> Iterator[_Step]:
    words = _tokens(first), _tokens(second)
    if _size(*words) <= MOST_CAREFUL:
        yield from _aligned(*words)
        return
    lines = _joined(_aligned(LINE.findall(first), LINE.findall(second)))
    if len(first) + len(second) > MOST_IN_WORDS:
        yield from lines
        return
    changed = {step: (_tokens(step.first), _tokens(step.second)) for step in lines if not step.same}
    careful = sum(_size(*words) for words in changed.values()) <= MOST_CAREFUL_IN_ALL
    for step in lines:
        yield from _aligned(*changed[step], careful=careful) if step in changed else [step]


def _size(first: Sequence[str], second: Sequence[str]) -> int:
    return len(first) * len(second)


def _tokens(text: str) -> list[str]:
    tokens = TOKEN.findall(text)
    return tokens if text.isascii() else _with_their_marks(tokens)


def _with_their_marks(tokens: Iterable[str]) -> list[str]:
    """An accent goes with its letter: a mark that began a part would stand on whatever is before it."""
    joined: list[str] = []
    for token in tokens:
        if joined and (unicodedata.category(token[0]).startswith("M") or token[0] == "\u200d"):
            joined[-1] += token
        else:
            joined.append(token)
    return joined


def _aligned(first: Sequence[str], second: Sequence[str], careful: bool = True) -> Iterator[_Step]:
    if _size(first, second) > MOST_ALIGNED:
        yield _Step("".join(first), "".join(second), first == second)
        return
    for tag, start, end, other_start, other_end in _codes(first, second, careful):
        yield _Step("".join(first[start:end]), "".join(second[other_start:other_end]), tag == "equal")


def _codes(first: Sequence[str], second: Sequence[str], careful: bool) -> Iterable[tuple[str, int, int, int, int]]:
    """What turns the first into the second, as difflib writes it."""
    if careful and _size(first, second) <= MOST_CAREFUL:
        return SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    codes = Indel.opcodes(first, second)
    return [(code.tag, code.src_start, code.src_end, code.dest_start, code.dest_end) for code in codes]


def _joined(steps: Iterable[_Step]) -> list[_Step]:
    """Neighbours of one kind become one; blanks between two replaced words are part of what is replaced."""
    joined: list[_Step] = []
    for step in steps:
        if joined and joined[-1].same == step.same:
            joined[-1:] = [joined[-1] + step]
        elif len(joined) > 1 and step.is_replacement and joined[-2].is_replacement and joined[-1].is_blank:
            joined[-2:] = [joined[-2] + joined[-1] + step]
        else:
            joined.append(step)
    return joined


def _slid(steps: list[_Step]) -> list[_Step]:
    """What was put in or taken out, slid to whole lines where the same letters around it allow that."""
    slid = list(steps)
    for at in range(1, len(slid) - 1):
        before, step, after = slid[at - 1 : at + 2]
        if not step.same and not step.is_replacement:
            slid[at - 1 : at + 2] = _at_line_start(before.first, step, after.first)
    return [step for step in slid if step.first or step.second]


def _at_line_start(before: str, step: _Step, after: str) -> list[_Step]:
    """The steps with the middle one turned round to begin at a line's start, if that changes neither text."""
    change = step.first or step.second
    indent = before[before.rfind("\n") + 1 :]
    end = LINE_END.match(change)
    if indent and change.endswith(f"\n{indent}"):
        rest = len(change) - len(indent)
        before, change, after = before[: -len(indent)], indent + change[:rest], indent + after
    elif end and (other := LINE_END.match(after)) and end[0] == other[0]:
        before, change, after = before + end[0], change[end.end() :] + end[0], after[end.end() :]
    middle = _Step(change, "", False) if step.first else _Step("", change, False)
    return [_Step(before, before, True), middle, _Step(after, after, True)]
