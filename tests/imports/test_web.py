"""An admin imports through the pages; nobody else can, and what is shown is escaped and exact."""

import io
import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from app.clock import utc_now
from app.config import Settings
from app.ids import hash_token, new_token
from app.main import create_app
from app.services.runs import execute
from app.storage.engine import Database
from app.storage.models import Annotator, Artifact, Grade, Output, Problem, Run, SignIn, Study, User
from tests.exports.steps import exported
from tests.imports.helpers import Importer, zipped
from tests.imports.test_codegen_metrics import like_hearthstone
from tests.imports.test_study_bundle import odd_study
from tests.shared_data import shared_data

LONG = b"problem,intent,system,output\np,I,m,x\np,I,n,y\n"


def sign_in(database: Database, client: TestClient, role: str) -> None:
    cookie = new_token()
    with database.write() as session:
        user = User(email=f"{role}@example.org", name=role.title(), role=role, password_hash="x")
        session.add(user)
        session.flush()
        session.add(
            SignIn(
                token_hash=hash_token(cookie),
                user_id=user.id,
                last_seen_at=utc_now(),
                expires_at=utc_now() + timedelta(hours=1),
            )
        )
    client.cookies.set("codejury", cookie)


@pytest.fixture
def admin(client: TestClient, database: Database) -> TestClient:
    sign_in(database, client, "admin")
    return client


def upload(client: TestClient, base: str, files: dict[str, bytes], field: str = "files") -> str:
    """Upload; the address of the preview."""
    answer = client.post(
        base, files=[(field, (name, io.BytesIO(data))) for name, data in files.items()], follow_redirects=False
    )
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def start(client: TestClient, preview: str, database: Database, settings: Settings, **form: str) -> Run:
    """Confirm the preview with this form, do the run as a worker would."""
    answer = client.post(preview, data=form, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    public_id = re.fullmatch(r"/runs/([0-9a-f]{32})", answer.headers["location"])
    assert public_id
    with database.read() as session:
        run_id = session.scalars(select(Run.id).where(Run.public_id == public_id[1])).one()
    execute(database, settings, run_id)
    with database.read() as session:
        return session.get_one(Run, run_id)


def test_a_file_becomes_a_study(admin: TestClient, database: Database, settings: Settings) -> None:
    preview = upload(admin, "/import", {"my outputs.csv": LONG})
    page = admin.get(preview).text
    assert "<strong>1</strong> problem" in page
    assert "<strong>2</strong> systems" in page
    assert 'value="my outputs"' in page
    with database.read() as session:
        assert session.scalars(select(Study)).all() == []  # a preview stores nothing
    run = start(admin, preview, database, settings, kind="outputs/long", title="Mine", seed="5")
    assert run.state == "done", run.message
    assert run.user_id is not None
    with database.read() as session:
        study = session.scalars(select(Study)).one()
        assert (study.slug, study.seed) == ("mine", 5)
        assert session.scalar(select(func.count()).select_from(Output)) == 2


def test_how_items_are_made_is_chosen_for_a_new_study(
    admin: TestClient, database: Database, settings: Settings
) -> None:
    preview = upload(admin, "/import", {"o.csv": LONG})
    assert 'name="merge_identical"' in admin.get(preview).text
    form = {"kind": "outputs/long", "merge_identical": "no", "include_references": "no"}
    assert 'value="no" selected' in admin.get(preview, params=form).text
    run = start(admin, preview, database, settings, title="Apart", **form)
    assert run.state == "done", run.message
    assert (run.payload["merge_identical"], run.payload["include_references"]) == (False, False)
    with database.read() as session:
        study = session.scalars(select(Study)).one()
        assert (study.merge_identical, study.include_references) == (False, False)
    assert 'href="/studies/apart"' in admin.get(f"/runs/{run.public_id}").text
    settings_page = admin.get("/studies/apart/desk/settings").text
    assert 'name="merge_identical"' not in settings_page  # it stays, now that there are items
    assert "graded one by one" in settings_page


def test_an_exported_study_is_recognised(
    admin: TestClient, importer: Importer, database: Database, settings: Settings
) -> None:
    preview = upload(admin, "/import", {"study.zip": zipped(odd_study(importer))})
    page = admin.get(preview).text
    assert '<option value="bundle" selected>' in page
    assert 'value="Study"' in page
    assert "<strong>3</strong> problems" in page
    run = start(admin, preview, database, settings, kind="bundle", title="Copy of it")
    assert run.state == "done", run.message
    refused = admin.get(preview.replace("/import", "/studies/study/import")).text
    assert "a bundle always becomes a new one" in refused


def test_columns_are_mapped_in_the_preview(admin: TestClient, database: Database, settings: Settings) -> None:
    preview = upload(admin, "/import", {"x.csv": b"nr,who,what\n1,m,x\n"})
    mapping = {"kind": "outputs/long", "mapped": "outputs/long"}
    for number, (column, field) in enumerate({"nr": "problem", "who": "system", "what": "output"}.items()):
        mapping |= {f"name_{number}": column, f"field_{number}": field}
    page = admin.get(preview, params=mapping).text
    assert "<strong>1</strong> output" in page
    run = start(admin, preview, database, settings, title="Mapped", **mapping)
    assert run.state == "done", run.message


def test_bad_rows_are_shown_and_may_be_left_out(admin: TestClient, database: Database, settings: Settings) -> None:
    preview = upload(admin, "/import", {"x.csv": LONG + b",,,z\nq,I,m,a\0b\nr,I,m,ok\n"})
    page = admin.get(preview).text
    assert "3 errors were" in re.sub(r"\s+", " ", page)
    assert "row 4" in page
    assert "row 5, column &#39;output&#39;" in page
    run = start(admin, preview, database, settings, kind="outputs/long", title="T")
    assert run.state == "failed"
    assert "row 5, column 'output': Character 2 is NUL" in run.message
    run = start(admin, preview, database, settings, kind="outputs/long", title="T", good_rows_only="yes")
    assert run.state == "done", run.message
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Output)) == 3


@pytest.mark.fault("F35")
def test_what_is_shown_is_escaped_and_white_space_is_visible(admin: TestClient) -> None:
    nasty = b"<script>alert(1)</script>"
    rows = b'"' + nasty + b'",system,output\n"' + nasty + b'",m,"  <b>\tx \r\n{{7*7}}  "\n'
    preview = upload(admin, "/import", {"<img src=x onerror=1>.csv": rows})
    page = admin.get(preview, params={"kind": "outputs/long"}).text
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "{{7*7}}" in page
    assert '<span class="mark">··</span>&lt;b&gt;<span class="mark">→\t</span>x' in page
    assert '<span class="mark">\\r↵\n</span>' in page


def test_grades_are_added_on_the_study_page(
    admin: TestClient, importer: Importer, database: Database, settings: Settings
) -> None:
    importer.good(LONG)
    assert "crowd-kit" in admin.get("/studies/study/import").text
    preview = upload(admin, "/studies/study/import", {"g.csv": b"task,worker,label\np|m,ann,3\np|n,ann,9\n"})
    page = admin.get(preview).text
    assert "The grade 9 is not on the scale" in page
    run = start(admin, preview, database, settings, kind="grades", good_rows_only="yes")
    assert run.state == "done", run.message
    with database.read() as session:
        assert session.scalars(select(Grade.value)).all() == [3]
        assert run.study_id == session.scalars(select(Study.id)).one()
    again = admin.get(upload(admin, "/studies/study/import", {"g.csv": b"task,worker,label\np|m,ann,3\n"})).text
    assert "Importing it adds nothing" in again


def test_the_conala_folder_through_the_page(admin: TestClient, database: Database, settings: Settings) -> None:
    folder = shared_data("conala")
    files = {f"conala/{path.relative_to(folder)}": path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    preview = upload(admin, "/import", files, "folder")
    page = re.sub(r"\s+", " ", admin.get(preview).text)
    assert "<strong>472</strong> problems" in page
    assert "<strong>2,360</strong> outputs" in page
    run = start(admin, preview, database, settings, kind="codegen-metrics", title="CoNaLa", seed="1")
    assert run.state == "done", run.message
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Problem)) == 472
        assert session.scalar(select(func.count()).select_from(Annotator)) == 16


def test_a_folder_with_images_through_the_page(admin: TestClient, database: Database, settings: Settings) -> None:
    preview = upload(admin, "/import", like_hearthstone(), "folder")
    assert start(admin, preview, database, settings, kind="codegen-metrics", title="HS").state == "done"
    with database.read() as session:
        assert session.scalars(select(Artifact.kind).order_by(Artifact.id)).all() == ["upload", "image", "image"]
        assert session.scalars(select(Artifact.file_name)).first() == "hs.zip"


@pytest.mark.parametrize(
    "files",
    [
        {"empty.csv": b""},
        {"head.csv": b"problem,system,output\n"},
        {"latin.csv": b"problem,system,output\np,m,\xe9\n"},
        {"cut.gz": b"\x1f\x8b\x08\x00"},
        {"not.zip": b"PK\x03\x04nothing"},
        {"a.csv": LONG, "b.csv": LONG},
        {"deep.json": b"[" * 100_000},
        {"picture.csv": b"\x89PNG\r\n\x1a\n\0\0"},
    ],
    ids="+".join,
)
def test_a_preview_of_anything_is_a_page_that_says_why(admin: TestClient, files: dict[str, bytes]) -> None:
    answer = admin.get(upload(admin, "/import", files))
    assert answer.status_code == 200
    assert 'class="message error"' in answer.text


def test_what_is_wrong_with_a_file_is_said_once(admin: TestClient) -> None:
    for files, words in (
        ({"latin.csv": b"problem,system,output\np,m,\xe9\n"}, "UTF-8"),
        ({"a.csv": b"problem,problem,system,output\np,p,m,x\n"}, "problem"),
        ({"empty.csv": b""}, "is empty"),
    ):
        page = admin.get(upload(admin, "/import", files)).text.split("<main")[1]
        assert page.count('class="message error"') == 1
        box = page.split('class="message error"')[1].split("</div>")[0]
        assert words in box
        sentences = [part.strip() for part in re.split(r"<[^>]*>", box) if len(part.strip()) > 12]
        assert len(sentences) == len(set(sentences)), sentences


def test_without_a_file_or_a_title(admin: TestClient, database: Database) -> None:
    answer = admin.post("/import", files=[("files", ("", b""))])
    assert answer.status_code == 422
    assert "No file was chosen" in answer.text
    preview = upload(admin, "/import", {"x.csv": LONG})
    answer = admin.post(preview, data={"kind": "outputs/long", "title": " "})
    assert answer.status_code == 422
    assert "needs a title with at least one letter" in answer.text
    assert admin.post(preview, data={"kind": "nonsense", "title": "T"}).status_code == 422
    assert admin.post(preview, data={"kind": "outputs", "title": "T", "seed": "-1"}).status_code == 422
    with database.read() as session:
        assert session.scalars(select(Run)).all() == []


@pytest.fixture
def small(settings: Settings, database: Database) -> Iterator[TestClient]:
    app = create_app(settings.model_copy(update={"max_upload_mb": 1}), database)
    with TestClient(app, base_url="http://localhost", headers={"Sec-Fetch-Site": "same-origin"}) as client:
        sign_in(database, client, "admin")
        yield client


@pytest.mark.fault("F23")
def test_too_large_an_upload_is_cut_off_whether_it_says_its_length_or_not(
    small: TestClient, settings: Settings, database: Database
) -> None:
    head = b'--b\r\nContent-Disposition: form-data; name="files"; filename="x.csv"\r\n\r\n'
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        yield head
        for _ in range(64):
            sent += 1 << 20
            yield b"x" * (1 << 20)

    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    announced = small.post("/import", content=head + b"x" * (6 << 20), headers=headers)
    streamed = small.post("/import", content=endless(), headers=headers)
    packed = small.post("/import", files=[("files", ("x.csv", b"x" * (1 << 20) + b"y"))])
    assert [answer.status_code for answer in (announced, streamed, packed)] == [413, 413, 413]
    assert "Nothing was stored" in packed.text
    with database.read() as session:
        assert session.scalars(select(Artifact)).all() == []
    assert not [path for path in settings.artifacts_dir.rglob("*") if path.is_file()]


@pytest.mark.parametrize("path", ["/import", "/import/x", "/studies/study/import", "/studies/study/import/x"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_only_admins_import(
    client: TestClient, importer: Importer, database: Database, path: str, method: str
) -> None:
    importer.good(LONG)
    anonymous = client.request(method, path, headers={"Accept": "application/json"})
    assert anonymous.status_code == 401
    sign_in(database, client, "researcher")
    assert client.request(method, path).status_code == 403


def test_unknown_uploads_and_studies(admin: TestClient, importer: Importer) -> None:
    assert admin.get("/import/unknown").status_code == 404
    assert admin.get("/studies/unknown/import").status_code == 404
    importer.good(LONG)
    assert admin.get("/studies/study/import/unknown").status_code == 404


@pytest.mark.fault("F34")
def test_characters_that_cannot_be_seen_are_named(admin: TestClient) -> None:
    rows = "problem,system,output\np,m,a\u202eb\u200bc\n".encode()
    page = admin.get(upload(admin, "/import", {"x.csv": rows})).text
    assert 'a<span class="mark">[U+202E]</span>b<span class="mark">[U+200B]</span>c' in page


@pytest.mark.parametrize("form", ["parquet", "label-studio"])
def test_a_preview_knows_what_an_export_is(admin: TestClient, importer: Importer, form: str) -> None:
    importer.good("problem,system,output\np,m,one\n", title="Study")
    importer.good("task,worker,label\np|m,ann,3\n", "grades", study="study")
    importer.good("problem,system,output\np,m,one\n", title="Other")
    data = exported(importer, "study", form=form)
    page = admin.get(upload(admin, "/studies/other/import", {"x": data})).text
    assert re.search(r'value="grades"[^>]*(selected|checked)', page)
    assert "The errors above stand in the way" not in page
