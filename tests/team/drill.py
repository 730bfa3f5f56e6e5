"""docs/drill.md as a program: its files, its commands in their order, and what each block should print."""

import re
from dataclasses import dataclass
from pathlib import Path

from app.config import PROJECT_ROOT

PAGE = PROJECT_ROOT / "docs" / "drill.md"
BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN = re.compile(r"# Not run by the test: (.+)")
MARK = "--- block "


@dataclass(frozen=True)
class Block:
    """Some commands: why the test leaves them out (empty: it runs them), and the lines that they print."""

    commands: str
    reason: str
    prints: tuple[str, ...] = ()


def blocks(page: str) -> list[Block]:
    """All commands of the page, in their order."""
    found: list[Block] = []
    for kind, _, text in BLOCK.findall(page):
        if kind == "sh":
            told = NOT_RUN.match(text)
            found.append(Block(text, told[1] if told else ""))
        elif kind == "text":
            found[-1] = Block(found[-1].commands, found[-1].reason, tuple(text.splitlines()))
    return found


def files(page: str) -> dict[str, str]:
    """The files that the page has one write, by name."""
    return {name: text for _, name, text in BLOCK.findall(page) if name}


def names_of_settings(page: str) -> set[str]:
    """What the reader sets, and the test in the reader's place."""
    return set(re.findall(r"(\w+)=", blocks(page)[0].commands))


def script(run: list[Block]) -> str:
    """One shell for all of them, which stops at the first command that fails and says where each block begins."""
    parts = [f'echo "{MARK}{number}, after $SECONDS s"\n{block.commands}' for number, block in enumerate(run)]
    return "\n".join(["set -euo pipefail", *parts])


def outputs(log: str) -> list[str]:
    """What each block printed, as far as it came."""
    return re.split(rf"^{MARK}.+\n", log, flags=re.MULTILINE)[1:]


def is_printed(prints: tuple[str, ...], output: str) -> bool:
    """Whether these lines are there, in this order; others may stand between them. "…" stands for anything."""
    lines = (re.escape(each).replace("…", ".*") for each in prints)
    return re.search("".join(rf"^{line}\n(?:.*\n)*?" for line in lines), output, re.MULTILINE) is not None


def write_files(page: str, folder: Path) -> None:
    """Write the page's files, as its reader does."""
    for name, text in files(page).items():
        (folder / name).write_text(text, encoding="utf-8")
