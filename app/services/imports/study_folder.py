"""Which file of a published study folder (JetBrains' codegen-metrics layout) is what, told by their names."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from app.services.imports.images import SUFFIXES
from app.services.imports.problems import ProblemList
from app.words import gettext

GRADER = re.compile(r"(grader[^./]*)\.([^/]+)\.json")
PUBLISHED = ("published/", "")


@dataclass
class StudyFolder:
    """The files of one study."""

    main: str
    graders: dict[str, str] = field(default_factory=dict)  # pseudonym -> file
    merged_grades: str | None = None
    scores: str | None = None
    images: dict[int, str] = field(default_factory=dict)  # row, from 0 -> file


def find_files(names: Iterable[str], wanted: str | None, problems: ProblemList) -> StudyFolder:
    """Sort the files of an upload; stops with a problem when no study, or more than one, is there."""
    names = list(names)
    if len(names) == 1:
        return StudyFolder(names[0], graders=_graders_of(names, None))
    study = _study_name(names, wanted, problems)
    return StudyFolder(
        main=f"{study}.json",
        graders=_graders_of(names, study),
        merged_grades=_first(names, f"{study}-human-grades.json"),
        scores=_first(names, f"{study}-all-grades.json"),
        images=_images(names),
    )


def _study_name(names: list[str], wanted: str | None, problems: ProblemList) -> str:
    tops = [name[: -len(".json")] for name in names if name.endswith(".json") and "/" not in name]
    mains = [name for name in tops if not GRADER.fullmatch(f"{name}.json") and not name.endswith("-grades")]
    graded = [name for name in mains if _graders_of(names, name)]
    found = [name for name in (graded or mains) if wanted in (None, name)]
    if not found:
        problems.stop(
            gettext("The folder holds no %(name)s.json with the outputs.", name=wanted or "NAME"),
            remedy=gettext("A study folder has NAME.json beside grader1.NAME.json, grader2.NAME.json and so on."),
        )
    if len(found) > 1:
        listed = ", ".join(sorted(found))
        problems.stop(
            gettext("The folder holds several studies: %(listed)s.", listed=listed),
            remedy=gettext("Say which by its name."),
        )
    return found[0]


def _graders_of(names: list[str], study: str | None) -> dict[str, str]:
    matches = [(name, GRADER.fullmatch(name)) for name in names]
    graders = {match[1]: name for name, match in matches if match and study in (None, match[2])}
    return dict(sorted(graders.items(), key=lambda pair: _natural(pair[0])))


def _natural(name: str) -> tuple[int, str]:
    """grader2 before grader10."""
    return len(name), name


def _first(names: list[str], file: str) -> str | None:
    return next((folder + file for folder in PUBLISHED if folder + file in names), None)


def _images(names: list[str]) -> dict[int, str]:
    paths = [PurePosixPath(name) for name in names]
    return {
        int(path.stem): str(path)
        for path in paths
        if path.suffix.lower() in SUFFIXES and path.stem.isascii() and path.stem.isdigit()
    }
