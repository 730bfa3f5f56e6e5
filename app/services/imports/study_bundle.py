"""A study or a template that CodeJury exported, as one zip: everything that its numbers follow from, byte for byte.

Only study.json and the .jsonl files are read; the .csv files are for spreadsheets.
"""

import hashlib
import re
from collections.abc import Collection, Iterable

from app.errors import InvalidInput, Problem
from app.services.imports.material import Batch
from app.services.imports.problems import ProblemList
from app.services.imports.sources import Bundle
from app.services.imports.study_bundle_about import ABOUT, StudyAbout, read_about
from app.services.imports.study_bundle_first import NEEDED as NEEDED_FIRST
from app.services.imports.study_bundle_first import Tick, read_first_format
from app.services.imports.study_bundle_reader import KNOWN, NEEDED, NEEDED_OF_MATERIAL, ExportedStudy
from app.storage.files import chunks_of
from app.words import gettext

SUMS = "SHA256SUMS"
SUM_LINE = re.compile(r"([0-9a-f]{64})  (.+)")

__all__ = ["is_study_bundle", "read_about", "read_study_bundle"]


def is_study_bundle(bundle: Bundle) -> bool:
    """Whether the upload is what an export of a study or a template wrote."""
    return {ABOUT, SUMS} <= set(bundle.names)


def read_study_bundle(
    bundle: Bundle, problems: ProblemList, batch: Batch, tick: Tick, max_rows: int | None = None
) -> None:
    """Add all that the bundle holds to the batch, after its checksums were found right.

    A bundle of more than ``max_rows`` rows is counted and not looked through.
    """
    if not is_study_bundle(bundle):
        raise InvalidInput(
            gettext("This is no bundle that CodeJury exported."),
            remedy=gettext("It would hold %(about)s and %(sums)s.", about=ABOUT, sums=SUMS),
        )
    sums = _check_sums(bundle)
    about = read_about(bundle)
    _check_complete(sums, bundle, about)
    batch.about = about
    batch.labels = {each.name: each.label for each in about.imported_metrics}
    batch.signatures = {each.name: each.signature for each in about.imported_metrics}
    if about.format == 1:
        batch.systems = dict.fromkeys(about.systems)
        batch.kinds = {each.pseudonym: each.kind for each in about.annotators}
        read_first_format(bundle, problems, batch, tick)
    else:
        ExportedStudy(bundle, about).read_into(batch, problems, tick, max_rows)


def _check_sums(bundle: Bundle) -> set[str]:
    """Refuse a bundle of which a file was changed, or is missing, since it was written; the files that have a sum."""
    sums = {}
    for line in bundle.read(SUMS).decode("utf-8", "replace").splitlines():
        if match := SUM_LINE.fullmatch(line):
            sums[match[2]] = match[1]
    wrong = [
        Problem(
            gettext("Its SHA-256 is not the one in %(sums)s: it was changed after the export.", sums=SUMS), file=name
        )
        for name, expected in sums.items()
        if name in bundle.names and _sha256(bundle, name) != expected
    ]
    _refuse(wrong + _missing([ABOUT, *sums], sums, bundle))
    return set(sums)


def _check_complete(sums: Collection[str], bundle: Bundle, about: StudyAbout) -> None:
    """Refuse a bundle that lacks a file which its format has, or in which one that would be read has no checksum."""
    needed: tuple[str, ...] = NEEDED_FIRST if about.format == 1 else NEEDED
    if about.template:
        needed = NEEDED_OF_MATERIAL if NEEDED_OF_MATERIAL[0] in bundle.names else ()
    there = [name for name in KNOWN if name in bundle.names]
    _refuse(_missing([*needed, *there], sums, bundle))


def _missing(needed: Iterable[str], sums: Collection[str], bundle: Bundle) -> list[Problem]:
    missing = [name for name in needed if name not in sums or name not in bundle.names]
    return [Problem(gettext("It is missing, or has no checksum."), file=name) for name in dict.fromkeys(missing)]


def _refuse(wrong: list[Problem]) -> None:
    if wrong:
        remedy = gettext("Export the study again, and import that file unchanged.")
        raise InvalidInput(gettext("The bundle is not as it was exported. Nothing was stored."), wrong, remedy=remedy)


def _sha256(bundle: Bundle, name: str) -> str:
    digest = hashlib.sha256()
    with bundle.open(name) as stream:
        for chunk in chunks_of(stream):  # type: ignore[arg-type]
            digest.update(chunk)
    return digest.hexdigest()
