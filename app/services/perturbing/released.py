"""Files of ReCode's release: nominal problems, and what a transformation made of them with a seed, row by row.

Nominal files are HumanEval.jsonl and humaneval_partial.jsonl, or mbpp_wtest.jsonl and mbpp_partial.jsonl; perturbed
ones lie in the folders nlaugmenter, func_name, natgen and format and are called DATA_NAME_sSEED.jsonl. Whatever
folders lie around them does not matter. ``partial`` of a row is left where it is: it is the nominal one.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from app.perturbations import Category, Form, Outcome, Perturbed, Problem, Unchanged
from app.services.imports.cells import Cells
from app.services.imports.problems import ProblemList
from app.services.imports.reading import Row, read_rows
from app.services.imports.sources import Bundle
from app.services.perturbing.recipes import Piece, ReleasedFile
from app.services.perturbing.released_names import GROUPS, form_of, name_of
from app.services.perturbing.variants import LONGEST_KEY
from app.words import gettext, human_number, ngettext

NOMINAL = {
    "HumanEval.jsonl": ("humaneval", Form.WHOLE),
    "humaneval_partial.jsonl": ("humaneval", Form.HALF),
    "mbpp_wtest.jsonl": ("mbpp", Form.WHOLE),
    "mbpp_partial.jsonl": ("mbpp", Form.HALF),
}
COLUMNS = {
    "key": ["task_id"],
    "prompt": ["prompt"],
    "entry_point": ["entry_point"],
    "canonical_solution": ["canonical_solution"],
    "tests": ["test"],
    "seed": ["seed"],
}
AS_RELEASED = "The released file leaves it as it is."
LONGEST_NAME = 60
_FILE = re.compile(r"(?:.*/)?(?P<group>[a-z_]+)/(?P<data>humaneval|mbpp)_(?P<name>\w+)_s(?P<seed>\d{1,4})\.jsonl")


@dataclass(slots=True)
class Folder:
    """The files of one data set in a released folder."""

    data: str
    nominal: dict[Form, str] = field(default_factory=dict)
    files: list[ReleasedFile] = field(default_factory=list)


def folders(names: Sequence[str]) -> dict[str, Folder]:
    """What lies in an upload with these files, by data set; other files are none of the release's."""
    found: dict[str, Folder] = {}
    for name in sorted(names):
        base = PurePosixPath(name).name
        if base in NOMINAL:
            data, form = NOMINAL[base]
            found.setdefault(data, Folder(data)).nominal[form] = name
        elif (match := _FILE.fullmatch(name)) and match["group"] in GROUPS:
            category = GROUPS[match["group"]]
            made = name_of(category, match["name"][:LONGEST_NAME])
            file = ReleasedFile(
                file=name, transformation=made, category=category, form=form_of(category), seed=int(match["seed"])
            )
            found.setdefault(match["data"], Folder(match["data"])).files.append(file)
    for folder in found.values():
        folder.files.sort(key=_place)
    return {data: each for data, each in found.items() if each.files}


def _place(file: ReleasedFile) -> tuple[int, str, int]:
    """By the categories' order, then by name and seed."""
    return list(Category).index(file.category), file.transformation, file.seed


def read_nominal(bundle: Bundle, file: str, form: Form) -> list[Problem]:
    """The nominal problems of a file; BadFile lists all that is wrong with it."""
    problems = ProblemList()
    found = list(_rows(bundle, file, form, problems))
    problems.raise_if_any()
    return found


def read_piece(bundle: Bundle, piece: Piece, nominal: Sequence[Problem]) -> Iterator[Outcome]:
    """What a file made of the nominal problems, which it has in the same order; BadFile where it is not so."""
    problems = ProblemList()
    read = check_piece(bundle, piece, nominal, problems)
    problems.raise_if_any()
    for now, before in zip(read, nominal, strict=True):
        yield Unchanged(AS_RELEASED) if now.prompt == before.prompt else Perturbed(now)


def check_piece(bundle: Bundle, piece: Piece, nominal: Sequence[Problem], problems: ProblemList) -> list[Problem]:
    """The file's problems; what is wrong with it is noted."""
    file = piece.file or ""
    before = problems.count
    found = list(_rows(bundle, file, piece.form, problems, seed=piece.seed))
    if problems.count == before:
        check_same(found, nominal, file, problems)
    return found


def check_same(found: Sequence[Problem], nominal: Sequence[Problem], file: str, problems: ProblemList) -> None:
    """Whether a file has the nominal problems in their order; the first difference is noted."""
    for number, (now, before) in enumerate(zip(found, nominal, strict=False), start=1):
        if now.key != before.key:
            problems.add(
                gettext(
                    "This is %(found)s, where the nominal file has %(wanted)s.",
                    found=repr(now.key),
                    wanted=repr(before.key),
                ),
                row=number,
                column="task_id",
                file=file,
                remedy=gettext("Take the nominal file and the perturbed ones from the same release."),
            )
            return
    if len(found) != len(nominal):
        counts = {"found": human_number(len(found)), "wanted": human_number(len(nominal))}
        problems.add(
            ngettext(
                "The file has %(found)s problem, and the nominal one %(wanted)s.",
                "The file has %(found)s problems, and the nominal one %(wanted)s.",
                len(found),
                **counts,
            ),
            file=file,
            remedy=gettext("Fetch it again; it may be cut off."),
        )


def _rows(
    bundle: Bundle, file: str, form: Form, problems: ProblemList, *, seed: int | None = None
) -> Iterator[Problem]:
    with bundle.open(file) as stream:
        for row in read_rows(stream, problems, file=file):
            if (problem := _problem(row, form, problems, file, seed)) is not None:
                yield problem


def _problem(row: Row, form: Form, problems: ProblemList, file: str, seed: int | None) -> Problem | None:
    cells = Cells(row, COLUMNS, problems, file)
    found = Problem(
        key=cells.name("key", LONGEST_KEY),
        prompt=cells.text("prompt"),
        entry_point=cells.name("entry_point"),
        canonical_solution=cells.text("canonical_solution"),
        tests=cells.text("tests"),
        form=form,
    )
    said = row.values.get("seed")
    if seed is not None and said is not None and said != seed:
        cells.fail(
            gettext("The seed is %(said)s here, and %(seed)s in the file's name.", said=repr(said), seed=seed),
            "seed",
            gettext("Give the file the name that it had."),
        )
    return None if cells.bad else found
