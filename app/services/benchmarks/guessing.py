"""Which layout a benchmark's file has, by the columns of its first row. Reading it tells the rest."""

from app.config import Settings
from app.errors import AppError
from app.services.imports.batches import upload_limit
from app.services.imports.problems import ProblemList
from app.services.imports.reading import read_rows
from app.services.imports.sources import Bundle, open_bundle
from app.services.imports.uploads import KeptUpload
from app.storage.files import files_of

HEAD = 1 << 16  # EvalPlus' lines are megabytes; what tells them apart may stand late in them
EVALPLUS = (b'"plus_input"', b'"base_input"', b'"atol"')


def guess_layout(settings: Settings, kept: KeptUpload, language: str = "python") -> str:
    """The layout that fits best, so that what it lacks is named as missing; "own" where none fits."""
    if language != "python":
        return "own"
    path = files_of(settings).path(kept.stored.sha256)
    try:
        with open_bundle(path, kept.name, limit=upload_limit(settings)) as bundle:
            return _of_evalplus(bundle) or _of_columns(bundle)
    except AppError:
        return "own"  # what is wrong is told by reading all of it


def _of_evalplus(bundle: Bundle) -> str | None:
    with bundle.open(bundle.names[0]) as stream:
        kept = b""
        while chunk := stream.read(HEAD):
            if any(each in kept + chunk for each in EVALPLUS):
                return "evalplus"
            if b"\n" in chunk:
                return None
            kept = chunk[-32:]
    return None


def _of_columns(bundle: Bundle) -> str:
    with bundle.open(bundle.names[0]) as stream:
        row = next(iter(read_rows(stream, ProblemList())), None)
    columns = set() if row is None else set(row.values)
    if "test_list" in columns:
        return "mbpp"
    return "humaneval" if _is_like_humaneval(columns) else "own"


def _is_like_humaneval(columns: set[str]) -> bool:
    """All that decides, or, without tests of any name, what nobody calls so by chance."""
    if {"prompt", "entry_point", "test"} <= columns:
        return True
    named = {"task_id", "prompt"} <= columns and not columns.isdisjoint({"entry_point", "canonical_solution"})
    return named and columns.isdisjoint({"tests", "test"})
