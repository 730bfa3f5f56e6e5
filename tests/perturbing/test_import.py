"""Released folders as they are: every row, what is odd about it, and clear words for folders that are not whole."""

import io
import json
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from app.config import Settings
from app.errors import AppError
from app.services.imports.uploads import UploadedFile, keep, local_files
from app.services.perturbing import Recipe, Requested, find_set, import_released, read_released
from app.services.perturbing.summary import SetSummary, summary_of
from app.storage.engine import Database
from app.storage.models import Benchmark, BenchmarkProblem
from tests.perturbing.conftest import Work
from tests.perturbing.released import LOUD, NOMINAL, PARTIAL, RENAMED, TABS, WHOLE, Folder, make_folder
from tests.shared_data import shared_data

# Shares of unchanged prompts that were measured on the release apart from this code, in per cent, where there is one
# file of a transformation.
UNCHANGED = {
    "docstring/BackTranslation": 37.8,
    "docstring/TenseTransformationFuture": 7.3,
    "docstring/TenseTransformationPast": 8.5,
    "function_name/CamelCase": 22.6,
    "syntax/DeadCodeInserterLast": 23.2,
    "syntax/ForWhileSwitch": 22.6,
    "syntax/OperandSwap": 24.4,
    "syntax/VarRenamerCB": 23.8,
    "syntax/VarRenamerNaive": 22.6,
    "format/Doc2Comments": 0.0,
    "format/NewlineAfterCode": 0.0,
    "format/NewlineAfterDoc": 0.0,
    "format/LineSplit": 18.9,
    "format/TabIndent": 0.0,
}
UNPARSABLE = {
    "docstring/BackTranslation": 17.1,
    "docstring/SynonymInsertion": 53.7,
    "docstring/SynonymSubstitution": 53.7,
    "format/LineSplit": 4.3,
    "format/TabIndent": 100.0,
}


def take(database: Database, settings: Settings, content: bytes, data: str | None = None) -> Requested:
    """Import an upload."""
    kept = keep(settings, [UploadedFile("release.zip", io.BytesIO(content))])
    read = read_released(settings, kept, data)
    with database.write() as session:
        return import_released(session, read, actor="tests")


def standing(database: Database, slug: str) -> SetSummary:
    """The set's summary."""
    with database.read() as session:
        return summary_of(session, find_set(session, slug))


def test_a_folder_becomes_a_set(database: Database, settings: Settings, work: Work) -> None:
    done = take(database, settings, make_folder().zipped())
    assert (done.is_new, done.benchmark.slug) == (True, "humaneval-perturbed-as-released")
    assert {each.state for each in work.all()} == {"done"}
    rows = work.rows(done.benchmark.slug)
    assert list(rows) == [
        *("HumanEval/0", "HumanEval/1", "HumanEval/0 · half", "HumanEval/1 · half"),
        *("HumanEval/0 · docstring/ChangeCharCase · 1", "HumanEval/1 · docstring/ChangeCharCase · 1"),
        *("HumanEval/0 · function_name/CamelCase · 0", "HumanEval/1 · function_name/CamelCase · 0"),
        *("HumanEval/0 · format/TabIndent · 0", "HumanEval/1 · format/TabIndent · 0"),
    ]
    assert rows["HumanEval/0 · half"].unchanged == "A solution of one line has no first half."
    assert rows["HumanEval/1 · docstring/ChangeCharCase · 1"].unchanged == "The released file leaves it as it is."
    tabs = rows["HumanEval/1 · format/TabIndent · 0"]
    assert (tabs.origin_id, tabs.oddity) == (rows["HumanEval/1 · half"].id, "unparsable")
    renamed = rows["HumanEval/1 · function_name/CamelCase · 0"]
    assert (renamed.entry_point, renamed.oddity, renamed.code_after) == ("do1", "old_name", "\n\ndo_1 = do1\n")


def test_oddities_are_counted_and_old_names_are_known_to_tests_and_solutions(
    database: Database, settings: Settings, work: Work
) -> None:
    done = take(database, settings, make_folder().zipped())
    work.all()
    found = {each.name: each for each in standing(database, done.benchmark.slug).transformations}
    names, tabs = found["function_name/CamelCase"], found["format/TabIndent"]
    assert {word: len(keys) for word, keys in names.odd.items()} == {"old_name": 2}
    assert (names.judged, names.passed) == (2, 2)  # one calls itself by its old name, and so do both tests
    assert {word: len(keys) for word, keys in tabs.odd.items()} == {"unparsable": 2}
    assert (tabs.passed, len(tabs.failing)) == (0, 2)


def test_importing_again_changes_nothing(database: Database, settings: Settings, work: Work) -> None:
    folder = make_folder()
    first = take(database, settings, folder.zipped())
    work.all()
    folder.files["notes.txt"] = "Packed once more."
    again = take(database, settings, folder.zipped())
    assert (again.is_new, again.run, again.benchmark.id) == (False, None, first.benchmark.id)


def test_folders_of_both_data_sets_are_imported_one_by_one(
    database: Database, settings: Settings, work: Work
) -> None:
    folder = make_folder()
    mbpp = [row | {"task_id": f"MBPP/{n}"} for n, row in enumerate(NOMINAL, start=1)]
    folder.files["nominal/mbpp_wtest.jsonl"] = mbpp
    folder.files["perturbed_finalized/mbpp/full/nlaugmenter/mbpp_ChangeCharCase_s0.jsonl"] = [
        row | {"prompt": row["prompt"].upper(), "completion": "…"} for row in mbpp
    ]
    with pytest.raises(AppError, match=r"two data sets: humaneval, mbpp\."):
        take(database, settings, folder.zipped())
    for data in ("mbpp", "humaneval"):
        assert take(database, settings, folder.zipped(), data).is_new
    work.all()
    assert len(work.rows("mbpp-perturbed-as-released")) == 4
    assert len(work.rows("humaneval-perturbed-as-released")) == 10


def _spoilt(**changes: Any) -> bytes:
    folder = make_folder()
    for name, content in changes.items():
        place = {"whole": WHOLE, "partial": PARTIAL, "renamed": RENAMED, "loud": LOUD, "tabs": TABS}[name]
        if content is None:
            del folder.files[place]
        else:
            folder.files[place] = content
    return folder.zipped()


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (_spoilt(whole=None), "The file 'HumanEval.jsonl' is missing"),
        (_spoilt(partial=None), "The file 'humaneval_partial.jsonl' is missing"),
        (_spoilt(loud=[NOMINAL[1], NOMINAL[0]]), "This is 'HumanEval/1', where the nominal file has 'HumanEval/0'"),
        (_spoilt(loud=[NOMINAL[0]]), "The file has 1 problem, and the nominal one 2."),
        (_spoilt(loud='{"task_id": "HumanEval/0",\n'), "humaneval_ChangeCharCase_s1.jsonl"),
        (_spoilt(loud=""), "The file is empty."),
        (_spoilt(loud=[row | {"seed": 3} for row in NOMINAL]), "The seed is 3 here, and 1 in the file's name."),
        (_spoilt(renamed=[{**NOMINAL[0], "entry_point": ""}, NOMINAL[1]]), "row 1, column 'entry_point'"),
        (_spoilt(whole=[*NOMINAL, {"task_id": "HumanEval/2"}]), "row 3"),
        (Folder({WHOLE: NOMINAL}).zipped(), "There is no perturbed file in this folder."),
    ],
    # A folder's bytes hold the time; the processes that share the tests must find the same ones.
    ids=lambda value: value if isinstance(value, str) else "folder",
)
def test_a_bad_folder_is_told_of_and_nothing_is_stored(
    database: Database, settings: Settings, content: bytes, said: str
) -> None:
    with pytest.raises(AppError) as refused:
        take(database, settings, content)
    words = refused.value.in_words()
    assert said in words, words
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Benchmark)) == 0


@pytest.mark.sqlite_is_enough
def test_all_that_is_wrong_is_told_at_once(database: Database, settings: Settings) -> None:
    content = _spoilt(loud=[NOMINAL[0]], tabs='{"task_id": 1}\n')
    with pytest.raises(AppError) as refused:
        take(database, settings, content)
    words = refused.value.in_words()
    assert "humaneval_ChangeCharCase_s1.jsonl" in words
    assert "humaneval_tab_indent_s0.jsonl" in words


@pytest.fixture
def release(database: Database, settings: Settings) -> SetSummary:
    """The released HumanEval sets, imported whole."""
    with local_files(shared_data("humaneval")) as files:
        kept = keep(settings, files)
    read = read_released(settings, kept)
    with database.write() as session:
        done = import_released(session, read, actor="tests")
        assert done.run is not None
    assert Work(database, settings)(done.run.id).state == "done"
    return standing(database, done.benchmark.slug)


def test_the_released_humaneval_sets_are_imported_whole(database: Database, release: SetSummary) -> None:
    files = sorted(shared_data("humaneval", "perturbed", "full").glob("*/*.jsonl"))
    assert (release.problems, release.halves, release.is_complete) == (164, 127, True)
    assert sum(each.seeds for each in release.transformations) == len(files)
    with database.read() as session:
        rows = select(func.count()).select_from(BenchmarkProblem)
        assert session.scalar(rows) == 164 * (2 + len(files))
        made = session.get_one(Benchmark, release.benchmark.id)
        assert Counter(each.category for each in Recipe.of(made).files).keys() == {
            *("docstring", "function_name", "syntax", "format")
        }
    shares = {each.name: round(100 * (each.unchanged_share or 0.0), 1) for each in release.transformations}
    assert {name: shares[name] for name in UNCHANGED} == UNCHANGED
    unparsable = {
        each.name: round(100 * len(each.odd.get("unparsable", ())) / each.stored, 1)
        for each in release.transformations
    }
    assert {name: unparsable[name] for name in UNPARSABLE} == UNPARSABLE
    broken = [
        key.split(" · ")[0]
        for each in release.transformations
        if each.category == "docstring"
        for key in each.odd.get("unparsable", ())
    ]
    assert 164 - len(set(broken)) == 76  # problems whose solution survives all of the category
    old = {
        each.name: {key.split(" · ")[0] for key in each.odd.get("old_name", ())} for each in release.transformations
    }
    assert old["function_name/CamelCase"] == {"HumanEval/33"}
    assert set().union(*old.values()) == {"HumanEval/33", "HumanEval/55", "HumanEval/63"}


@pytest.mark.sqlite_is_enough
def test_each_released_row_is_stored_as_it_is(database: Database, release: SetSummary) -> None:
    path: Path = shared_data("humaneval", "perturbed", "full", "natgen", "humaneval_OperandSwap_s0.jsonl")
    released = {row["task_id"]: row for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())}
    with database.read() as session:
        rows = session.scalars(
            select(BenchmarkProblem).where(BenchmarkProblem.transformation == "syntax/OperandSwap")
        ).all()
    assert len(rows) == 164
    for row in rows:
        of_file = released[row.key.split(" · ")[0]]
        assert (row.prompt, row.canonical_solution) == (of_file["prompt"], of_file["canonical_solution"])
        assert (row.tests, row.entry_point) == (of_file["test"], of_file["entry_point"])


def _tarred(*odd: tarfile.TarInfo, mode: str = "w:gz") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as archive:  # type: ignore[call-overload]
        for name, rows in make_folder().files.items():
            text = (rows if isinstance(rows, str) else "".join(json.dumps(row) + "\n" for row in rows)).encode()
            member = tarfile.TarInfo(f"./release/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
        for member in odd:
            archive.addfile(member)
    return packed.getvalue()


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_a_tar_archive_is_read_as_a_zip_is(database: Database, settings: Settings, work: Work, mode: str) -> None:
    done = take(database, settings, _tarred(mode=mode))
    assert work(done.run.id if done.run else 0).state == "done"
    assert len(work.rows(done.benchmark.slug)) == 10


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("release/link.jsonl", tarfile.SYMTYPE, "is no plain file"),
        ("release/device", tarfile.CHRTYPE, "is no plain file"),
        ("../../outside.jsonl", tarfile.REGTYPE, "Its name leads out of the archive."),
        ("/etc/outside.jsonl", tarfile.REGTYPE, "Its name leads out of the archive."),
    ],
)
def test_a_tar_archive_that_reaches_out_is_refused(
    database: Database, settings: Settings, name: str, kind: bytes, said: str
) -> None:
    odd = tarfile.TarInfo(name)
    odd.type, odd.linkname = kind, "/etc/passwd"
    with pytest.raises(AppError) as refused:
        take(database, settings, _tarred(odd))
    assert said in refused.value.message


@pytest.mark.sqlite_is_enough
def test_a_cut_off_tar_archive_is_told_of(database: Database, settings: Settings) -> None:
    for content in (_tarred(mode="w")[:1300], _tarred()[:400]):
        with pytest.raises(AppError, match="damaged"):
            take(database, settings, content)
