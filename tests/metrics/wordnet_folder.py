"""A WordNet for tests: the installed one, or a small one of our own in WordNet's file format."""

from collections import defaultdict
from pathlib import Path

from app.metrics.wordnet import WordNet, find_wordnet, wordnet_status
from tests.shared_data import skip_or_fail

LICENCE = "".join(f"  {number} {text}  \n" for number, text in enumerate(["OR", "WordNet 9.9 Copyright"], 1))


def require_wordnet() -> WordNet:
    """The installed WordNet; the test is left out without one, and fails where CI=true."""
    wordnet = find_wordnet()
    if wordnet is None:
        skip_or_fail(wordnet_status().advice)
    return wordnet


def write_wordnet(
    folder: Path, synsets: dict[str, list[list[str]]], exceptions: dict[str, dict[str, str]] | None = None
) -> Path:
    """Write index.*, data.* and, where given, *.exc: synsets and irregular forms by part of speech."""
    folder.mkdir(parents=True, exist_ok=True)
    for part in ("noun", "verb", "adj", "adv"):
        _write_part(folder, part, synsets.get(part, []))
        if exceptions is not None:
            lines = [f"{form} {base}\n" for form, base in sorted(exceptions.get(part, {}).items())]
            (folder / f"{part}.exc").write_text("".join(lines))
    return folder


def _write_part(folder: Path, part: str, synsets: list[list[str]]) -> None:
    data, offsets = LICENCE, defaultdict(list)
    for lemmas in synsets:
        for lemma in lemmas:
            offsets[lemma.lower().split("(")[0]].append(f"{len(data):08d}")
        words = " ".join(f"{lemma} 0" for lemma in lemmas)
        data += f"{len(data):08d} 03 {part[0]} {len(lemmas):02x} {words} 000 | a gloss  \n"
    lines = [
        f"{lemma} {part[0]} {len(found)} 1 @ {len(found)} 0 {' '.join(found)}  \n"
        for lemma, found in sorted(offsets.items())
    ]
    (folder / f"data.{part}").write_text(data)
    (folder / f"index.{part}").write_text(LICENCE + "".join(lines))
