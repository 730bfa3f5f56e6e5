"""A released folder into a perturbed set: checked as a whole first, then stored by a run, file by file."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.config import Settings
from app.errors import InvalidInput
from app.ids import content_hash
from app.perturbations import Form, Problem
from app.services import audit
from app.services.benchmarks.which import RECODE
from app.services.imports.batches import upload_limit
from app.services.imports.problems import BadFile, ProblemList
from app.services.imports.sources import Bundle, open_bundle
from app.services.imports.uploads import KeptUpload
from app.services.perturbing.making import start, unfinished_run
from app.services.perturbing.recipes import IMPORTED, Piece, Recipe
from app.services.perturbing.released import NOMINAL, Folder, check_piece, check_same, folders, read_nominal
from app.services.perturbing.requests import Requested, add_set
from app.storage.files import files_of
from app.storage.models import Benchmark
from app.storage.transaction_turns import TurnAt, take_turn
from app.words import gettext


@dataclass(frozen=True, slots=True)
class ReleasedSet:
    """A released folder that was read and is good. ``content``: the hash of its files
    alone, however they were packed."""

    data: str
    recipe: Recipe
    problems: int
    content: str

    @property
    def title(self) -> str:
        """What the set is called where nobody says."""
        names = {"humaneval": "HumanEval", "mbpp": "MBPP"}
        return f"{names[self.data]}, perturbed as released"


def data_sets(settings: Settings, kept: KeptUpload) -> list[str]:
    """Of which data sets an upload has perturbed files of the release; none where it is something else."""
    with open_bundle(files_of(settings).path(kept.stored.sha256), kept.name, limit=upload_limit(settings)) as bundle:
        return sorted(folders(bundle.names))


def read_released(settings: Settings, kept: KeptUpload, data: str | None = None) -> ReleasedSet:
    """Read every row of the folder; BadFile lists all that is wrong, by file and row. ``data``: which data set, where
    the folder has both."""
    with open_bundle(files_of(settings).path(kept.stored.sha256), kept.name, limit=upload_limit(settings)) as bundle:
        folder = _chosen(folders(bundle.names), data)
        named = {"source": kept.name, "upload": kept.stored.sha256}
        recipe = Recipe(mode=IMPORTED, nominal=folder.nominal, files=tuple(folder.files), **named)
        return ReleasedSet(folder.data, recipe, _check(bundle, folder, recipe), _content(bundle, recipe))


def import_released(
    session: Session,
    read: ReleasedSet,
    *,
    actor: str,
    name: str | None = None,
    user_id: int | None = None,
) -> Requested:
    """The set's row and the run that stores what was read. The same folder again changes nothing,
    and goes on where it was cut."""
    take_turn(session, TurnAt.BENCHMARKS)
    same = (Benchmark.layout == RECODE, Benchmark.file_hash == read.content)
    if (known := session.scalar(select(Benchmark).where(*same).order_by(Benchmark.id).limit(1))) is not None:
        known.recipe = read.recipe.model_dump(mode="json")  # of this upload, which is surely there
        return Requested(known, is_new=False, run=unfinished_run(session, known, user_id=user_id))
    made = add_set(session, name or read.title, read.recipe, file_hash=read.content, user_id=user_id)
    audit.record(
        session,
        actor,
        "perturbed set imported",
        benchmark=made.slug,
        problems=read.problems,
        files=len(read.recipe.files),
        sha256=read.recipe.upload,
    )
    return Requested(made, is_new=True, run=start(session, made, user_id=user_id))


def _chosen(found: dict[str, Folder], data: str | None) -> Folder:
    if not found:
        raise InvalidInput(
            gettext("There is no perturbed file in this folder."),
            remedy=gettext("It needs files like nlaugmenter/humaneval_ChangeCharCase_s0.jsonl."),
        )
    if data is None and len(found) > 1:
        raise InvalidInput(
            gettext("The folder holds two data sets: %(names)s.", names=", ".join(sorted(found))),
            remedy=gettext("Say which one is meant, or leave the other's files out."),
        )
    name = data or next(iter(found))
    if name not in found:
        raise InvalidInput(gettext("The folder holds no perturbed file of %(name)s.", name=repr(name)))
    return found[name]


def _content(bundle: Bundle, recipe: Recipe) -> str:
    files = [*recipe.nominal.values(), *(each.file for each in recipe.files)]
    return content_hash(*sorted(sha256(bundle.read(name)).hexdigest() for name in files))


def _check(bundle: Bundle, folder: Folder, recipe: Recipe) -> int:
    """Read all of it; how many problems there are."""
    problems = ProblemList()
    _check_files(folder, recipe, problems)
    nominal = {form: read_nominal(bundle, file, form) for form, file in folder.nominal.items()}
    wholes = nominal[Form.WHOLE]
    if not wholes:
        problems.stop(gettext("The file holds no problems."), file=folder.nominal[Form.WHOLE])
    if Form.HALF in nominal:
        check_same(nominal[Form.HALF], wholes, folder.nominal[Form.HALF], problems)
    for piece in recipe.pieces():
        _check_piece(bundle, piece, nominal, problems)
    problems.raise_if_any()
    return len(wholes)


def _check_files(folder: Folder, recipe: Recipe, problems: ProblemList) -> None:
    """Whether the nominal files are there that are needed, and no transformation and seed has two files."""
    forms = [Form.WHOLE, *([Form.HALF] if recipe.needs_halves else [])]
    for name, (data, form) in NOMINAL.items():
        if data == folder.data and form in forms and form not in folder.nominal:
            problems.stop(
                gettext("The file %(name)s is missing, from which the perturbed ones were made.", name=repr(name)),
                remedy=gettext("Put it into the folder; it is in the same release."),
            )
    seen: dict[str, str] = {}
    for piece in recipe.pieces():
        if (other := seen.setdefault(piece.label, piece.file or "")) != piece.file:
            problems.stop(
                gettext("It is of the same transformation and seed as %(other)s.", other=repr(other)),
                file=piece.file,
                remedy=gettext("Leave one of them out."),
            )


def _check_piece(
    bundle: Bundle, piece: Piece, nominal: Mapping[Form, Sequence[Problem]], problems: ProblemList
) -> None:
    with suppress(BadFile):  # it holds no rows at all, which is noted with the rest
        check_piece(bundle, piece, nominal[piece.form], problems)
