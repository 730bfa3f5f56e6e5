"""The Dockerfile as data: its stages, and the files that an image would have, without an engine to build it."""

import fnmatch
import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from app.config import PROJECT_ROOT

Instruction = tuple[str, str]


@dataclass
class Stage:
    """One FROM with what follows it."""

    base: str
    instructions: list[Instruction] = field(default_factory=list)


def read_stages() -> dict[str, Stage]:
    """Every stage by its name."""
    text = (PROJECT_ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    stages: dict[str, Stage] = {}
    current = Stage("")
    for word, _, rest in (line.partition(" ") for line in lines if line.strip()):
        if word == "FROM":
            base, _, name = rest.partition(" AS ")
            current = stages[name] = Stage(base)
        else:
            current.instructions.append((word, " ".join(rest.split())))
    return stages


def instructions_of(target: str) -> list[Instruction]:
    """All that makes that image, from its first stage on; stages that are only copied from are none of it."""
    stages = read_stages()
    stage = stages[target]
    return [*(instructions_of(stage.base) if stage.base in stages else []), *stage.instructions]


def last(target: str, word: str) -> str:
    """What the image is told last by that instruction."""
    return [rest for each, rest in instructions_of(target) if each == word][-1]


def words_of(target: str, word: str) -> list[str]:
    """The same where it is a list of words."""
    words: list[str] = json.loads(last(target, word).partition("CMD ")[2] or last(target, word))
    return words


def environment_of(target: str) -> dict[str, str]:
    """The image's own variables."""
    pairs = [pair for word, rest in instructions_of(target) if word == "ENV" for pair in shlex.split(rest)]
    return dict(pair.split("=", 1) for pair in pairs)


def files_of_image(target: str) -> dict[PurePosixPath, Path]:
    """Each file below the image's working folder, and where it lies here; packages are left to pip."""
    home = PurePosixPath(last(target, "WORKDIR"))
    found: dict[PurePosixPath, Path] = {}
    for word, rest in instructions_of(target):
        if word == "COPY":
            *sources, goal = [each for each in rest.split() if not each.startswith("--")]
            if not goal.startswith("/opt/venv"):
                origin = re.search(r"--from=(\S+)", rest)
                for source in sources:
                    found |= dict(_copied(source, PurePosixPath(goal), origin[1] if origin else None, home))
    return found


def _copied(
    source: str, goal: PurePosixPath, stage: str | None, home: PurePosixPath
) -> Iterator[tuple[PurePosixPath, Path]]:
    """What one source of a COPY brings. Another stage makes it at the place where it lies here after set-up."""
    within = source.removeprefix(f"{last(stage, 'WORKDIR')}/") if stage else source
    here = PROJECT_ROOT / within
    for path in sorted(here.rglob("*")) if here.is_dir() else [here]:
        name = path.relative_to(PROJECT_ROOT).as_posix()
        if path.is_file() and (stage or not is_ignored(name)):
            inner = path.relative_to(here) if here.is_dir() else Path(path.name)
            yield goal / inner.as_posix(), path


def is_ignored(name: str) -> bool:
    """Whether .dockerignore keeps that file out of a build: the last rule that fits it or a folder above decides."""
    ignored = False
    parts = [PurePosixPath(name), *PurePosixPath(name).parents][:-1]  # without the context itself
    for rule in (PROJECT_ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        if rule and not rule.startswith("#"):
            pattern = rule.removeprefix("!").strip("/")
            if any(_fits(str(part), pattern) for part in parts):
                ignored = not rule.startswith("!")
    return ignored


def _fits(name: str, pattern: str) -> bool:
    if pattern.startswith("**/"):  # at any depth
        return _fits(name, pattern[3:]) or fnmatch.fnmatchcase(name.rpartition("/")[2], pattern[3:])
    return name.count("/") == pattern.count("/") and fnmatch.fnmatchcase(name, pattern)
