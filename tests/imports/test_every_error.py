"""One list of errors everywhere, by file and row, each with the file's own column; no text breaks the page."""

import itertools
import json
import re
from html import unescape
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.storage.engine import Database
from tests.imports.helpers import Importer
from tests.imports.test_bad_files import BAD
from tests.imports.test_codegen_metrics import like_hearthstone
from tests.imports.test_web import sign_in, upload

HALF = "\\ud800"  # as JSON writes it


@pytest.fixture
def admin(client: TestClient, database: Database) -> TestClient:
    sign_in(database, client, "admin")
    minutes = itertools.count()
    # Nobody uploads so many in a minute; here each comes a minute after the one before.
    client.app.state.limit_clock = lambda _: 60.0 * next(minutes)  # type: ignore[attr-defined]
    return client


def errors_of(page: str) -> list[str]:
    """The errors that a preview lists."""
    found = re.search(r'<ul class="problems">(.*?)</ul>', page, re.DOTALL)
    return [unescape(each) for each in re.findall(r"<li>(.*?)</li>", found[1], re.DOTALL)] if found else []


@pytest.mark.parametrize("read_as", [None, "outputs/wide", "codegen-metrics"])
def test_the_preview_of_a_bad_file_lists_what_is_wrong(admin: TestClient, read_as: str | None) -> None:
    for name, (content, expected) in BAD.items():
        data = content.encode() if isinstance(content, str) else content
        answer = admin.get(upload(admin, "/import", {"x": data}), params={"kind": read_as} if read_as else None)
        assert answer.status_code == 200, name
        if read_as is None:
            assert all(part in unescape(answer.text) for part in expected), (name, errors_of(answer.text))


PLACES = {
    "the output": '{"problem": "b", "system": "m", "output": "HALF"}',
    "the intent": '{"problem": "b", "system": "m", "output": "x", "intent": "aHALF"}',
    "the problem": '{"problem": "bHALF", "system": "m", "output": "x"}',
    "the system": '{"problem": "b", "system": "HALF", "output": "x"}',
    "the image": '{"problem": "b", "system": "m", "output": "x", "image": "HALF.png"}',
    "a list": '{"problem": "b", "system": "m", "output": "x", "reference": ["y", "HALF"]}',
    "an object": '{"problem": "b", "system": "m", "output": {"HALF": "HALF"}}',
    "a column": '{"problem": "b", "system": "m", "output": "x", "HALF": "y"}',
    "a name twice": '{"problem": "b", "HALF": "m", "HALF": "x"}',
}


@pytest.mark.parametrize("half", ["\\ud800", "\\u0000"])
@pytest.mark.parametrize("read_as", [None, "codegen-metrics"])
@pytest.mark.fault("F26", "F27")
def test_half_a_pair_anywhere_is_an_error_among_the_others(admin: TestClient, half: str, read_as: str | None) -> None:
    for place in PLACES:
        check_preview(admin, place, half, read_as, as_list=False)
        check_preview(admin, place, half, read_as, as_list=True)


def check_preview(admin: TestClient, place: str, half: str, read_as: str | None, *, as_list: bool) -> None:
    """The page comes, and lists the first row's error beside that of the second."""
    rows = ['{"problem": "", "system": "m", "output": "x"}', PLACES[place].replace("HALF", half)]
    data = f"[{','.join(rows)}]" if as_list else "\n".join(rows)
    page = admin.get(upload(admin, "/import", {"x": data.encode()}), params={"kind": read_as} if read_as else None)
    assert page.status_code == 200
    if read_as is None:
        errors = errors_of(page.text)
        assert errors[0].startswith("row 1, column 'problem'")
        assert any(error.startswith("row 2") for error in errors)


def test_half_a_pair_in_a_system_of_a_folder(importer: Importer) -> None:
    rows = f'[{{"intent": "I", "snippet": "s", "a{HALF}": "x"}}]'
    message = importer.bad({"hs/hs.json": rows.encode(), "hs/grader1.hs.json": b"[]"}, "codegen-metrics")
    assert "row 1" in message
    assert "half of a surrogate pair" in message


def test_a_name_of_a_file_that_is_no_text_is_written_out(importer: Importer, tmp_path: Path) -> None:
    run = importer.run({"a\udc80.csv": b"problem,system,output\np,m,x\n"})
    assert run.state == "done"
    assert run.payload["file_name"] == "a\\udc80.csv"


OUTPUTS = "problem,intent,reference,system,output\np,I,r,m,x\np,I,r,n,y\nq,J,s,m,z\n"
TABLES = {
    "grades": (
        "task,who,mark\np|m,ann,7\n,bob,3\nz|m,ann,1\np|zz,ann,1\np|n,ann,good\n",
        {"who": "annotator", "mark": "label"},
        ["row 2, column 'mark'", "row 3, column 'task'", "row 4, column 'task'", "row 5, column 'task'",
         "row 6, column 'mark'"],
    ),
    "scores": (
        "problem,bot,metric,points\np,zz,New,0.5\np,m,New,7\nzz,m,New,0.1\n",
        {"bot": "system", "points": "score"},
        ["row 2, column 'bot'", "row 3, column 'points'", "row 4, column 'problem'"],
    ),
    "outputs": (
        "problem,brief,gold_1,gold_2,system,answer\np,I,r,,m,changed\nq,J,changed,,m,z\n,J,s,,m,z\np,K,r,,n,y\n",
        {"brief": "intent", "answer": "output", "gold_1": "reference", "gold_2": "reference"},
        ["row 2, column 'answer'", "row 3, column 'gold_1'", "row 4, column 'problem'", "row 5, column 'brief'"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", TABLES)
def test_a_run_and_a_preview_give_the_same_list(importer: Importer, admin: TestClient, kind: str) -> None:
    importer.good(OUTPUTS)
    data, mapping, expected = TABLES[kind]
    message = importer.bad(data, kind, study="study", mapping=mapping)
    in_run = [line for line in message.splitlines() if line.startswith("row ")]
    read_as = "outputs/long" if kind == "outputs" else kind
    form = {"kind": read_as, "mapped": read_as}
    for number, (column, field) in enumerate(mapping.items()):
        form |= {f"name_{number}": column, f"field_{number}": field}
    preview = upload(admin, "/studies/study/import", {"x.csv": data.encode()})
    in_page = errors_of(admin.get(preview, params=form).text)
    assert in_run == in_page
    places = [line.split(":")[0] for line in in_run]
    assert places == sorted(places)
    assert [place for place in expected if place not in places] == []


def test_a_changed_text_of_a_wide_table_names_the_systems_column(importer: Importer) -> None:
    importer.good("problem,reference_1,reference_2,m,n\np,r,s,x,y\n")
    message = importer.bad("problem,reference_1,reference_2,m,n\np,r,t,x,changed\n", study="study")
    assert "row 2, column 'n': Another output" in message
    assert "row 2, column 'reference_2': It differs" in message


def test_a_folder_names_file_row_and_column_of_all_that_differs(importer: Importer) -> None:
    files = like_hearthstone()
    importer.good(files, "codegen-metrics")
    name = next(name for name in files if name.split("/")[-1].startswith("grader"))
    rows = json.loads(files[name])
    key = next(key for key, value in rows[0].items() if key.startswith("grade-") and value not in (None, -1))
    rows[0][key] = 4 - rows[0][key] if rows[0][key] != 2 else 3
    message = importer.bad(files | {name: json.dumps(rows).encode()}, "codegen-metrics", study="study")
    assert f"{name.split('/')[-1]}, row 1, column '{key}'" in message


def test_a_mapping_that_fails_does_not_hide_broken_rows(admin: TestClient) -> None:
    rows = b'{"problem": "p", "system": "m"}\n{"broken\n'
    errors = errors_of(admin.get(upload(admin, "/import", {"x": rows})).text)
    assert any("'output'" in error for error in errors)
    assert any(error.startswith("row 2") for error in errors)


def test_a_taken_title_comes_back_with_the_form_and_leads_to_that_study(
    importer: Importer, admin: TestClient
) -> None:
    importer.good(OUTPUTS)
    preview = upload(admin, "/import", {"x.csv": b"nr,who,what\nz,m,x\n"})
    form = {"kind": "outputs/long", "mapped": "outputs/long", "title": "Study", "seed": "3"}
    for number, (column, field) in enumerate({"nr": "problem", "who": "system", "what": "output"}.items()):
        form |= {f"name_{number}": column, f"field_{number}": field}
    answer = admin.post(preview, data=form)
    assert answer.status_code == 409
    assert 'value="Study"' in answer.text
    assert '<option value="output" selected>' in answer.text
    link = re.search(r'id="title-error">.*?href="(/studies/study/import/[^"]+)"', answer.text, re.DOTALL)
    assert link
    there = admin.get(unescape(link[1]))
    assert there.status_code == 200
    assert "<strong>1</strong> output" in there.text
    answer = admin.post(
        upload(admin, "/import", {"x.csv": OUTPUTS.encode()}), data={"kind": "outputs/long", "title": "STUDY"}
    )
    assert "Everything in this file is there already" in answer.text


def test_what_would_store_nothing_cannot_be_started(importer: Importer, admin: TestClient) -> None:
    bad = admin.get(upload(admin, "/import", {"x.csv": b"problem,system,output\na,m,x\n,m,y\n"})).text
    assert "Import the good rows alone</button>" in bad
    assert "Import as a new study" not in bad
    unknown = upload(admin, "/import", {"x.csv": b"1,add xs,sum(xs)\n2,largest,max(xs)\n"})
    page = admin.get(unknown).text
    assert "No column was recognised" in page
    assert 'class="message done"' not in page
    assert re.search(r"disabled[^>]*>Import as a new study", page)
    form = {"kind": "outputs/wide", "mapped": "outputs/wide", "name_0": "1", "field_0": "problem"}
    assert "disabled" not in admin.get(unknown, params=form).text
    importer.good(OUTPUTS)
    known = admin.get(upload(admin, "/studies/study/import", {"x.csv": OUTPUTS.encode()})).text
    assert re.search(r"disabled[^>]*>Import into this study", known)


def test_an_ended_import_links_to_its_study(importer: Importer) -> None:
    assert importer.good(OUTPUTS)["links"] == [{"href": "/studies/study", "label": "Open Study"}]


@pytest.mark.parametrize("seed", ["-1", "1.5", str(2**53 + 2)])
def test_a_seed_of_a_changed_prompt_has_both_its_ends_named(importer: Importer, seed: str) -> None:
    data = f"problem,original,changed,transformation,seed\np,Do it,DO IT,Case,{seed}\n"
    assert "A seed is a whole number from 0 to 9,007,199,254,740,992." in importer.bad(data, "variants")
