"""A text as paragraphs, and a paragraph's words on the lines of another one."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby, pairwise


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """What stands between blank lines, and where; white space around it left out."""
    place = 0
    for is_blank, group in groupby(text.splitlines(keepends=True), key=lambda line: not line.strip()):
        lines = "".join(group)
        if not is_blank:
            yield place + len(lines) - len(lines.lstrip()), lines.strip()
        place += len(lines)


def on_lines_of(paragraph: str, words: Sequence[str]) -> str | None:
    """Words shared out among the paragraph's lines by their lengths, each line with its indentation and its end.

    None where there are fewer words than lines.
    """
    lines = paragraph.splitlines(keepends=True)
    if len(words) < len(lines):
        return None
    ends = [0, *(round(len(words) * share / len(paragraph)) for share in accumulate(map(len, lines)))]
    spread = [max(end, number) for number, end in enumerate(ends)]  # no line stays empty at the top …
    spread = [min(end, len(words) - len(lines) + number) for number, end in enumerate(spread)]  # … nor at the end
    return "".join(
        _filled(line, words[start:end]) for line, (start, end) in zip(lines, pairwise(spread), strict=True)
    )


def _filled(line: str, words: Sequence[str]) -> str:
    core = line.strip()
    before = line[: line.index(core)] if core else line
    return before + " ".join(words) + line[len(line.rstrip()) :]
