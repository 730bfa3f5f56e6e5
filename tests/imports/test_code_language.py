"""The language of a study's code: from the file, from who imports it, else Python; and later from the settings."""

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.config import Settings
from app.services.code_languages import OFFERED, PLAIN, known_language, language_title
from app.storage.engine import Database
from app.storage.models import AuditEvent, Study
from app.web.colouring import styled_pieces
from tests.factories import make_study
from tests.imports.helpers import Importer
from tests.imports.test_cli import CommandLine, command_line
from tests.imports.test_web import admin, start, upload

__all__ = ["admin", "command_line"]

JAVA = "problem,system,output,language\np,m,int x;,Java\np,n,int y;,\n"
PLAIN_TABLE = "problem,system,output\np,m,x\n"


def language_of(database: Database) -> str:
    with database.read() as session:
        return session.scalars(select(Study.language)).one()


@pytest.mark.parametrize(
    ("said", "name"),
    [("Java", "java"), (" C++ ", "cpp"), ("c#", "csharp"), ("R", "splus"), ("py", "python"), ("Plain text", PLAIN)],
)
def test_a_language_has_one_name(said: str, name: str) -> None:
    assert known_language(said) == name


def test_each_that_is_offered_is_highlighted() -> None:
    for name in OFFERED:
        assert known_language(name) == known_language(language_title(name)) == name
    code = "class A {\n  // note\n  int f() { return 1; }\n}\n"
    assert {style for style, _ in styled_pieces(code, known_language("Java"))} > {"k", "c", "m"}
    assert styled_pieces(code, PLAIN) == [("", code)]


def test_a_column_says_it(importer: Importer, database: Database) -> None:
    importer.good(JAVA)
    assert language_of(database) == "java"


def test_wide_and_changed_prompts_have_the_column(importer: Importer, database: Database) -> None:
    importer.good("problem,lang,a,b\np,go,x,y\n")
    changed = "problem,original,changed,transformation,language\np,Do it,DO IT,Case,rust\n"
    importer.good(changed, "variants", title="Other")
    with database.read() as session:
        assert session.scalars(select(Study.language).order_by(Study.id)).all() == ["go", "rust"]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("Klingon", "row 3, column 'language': 'Klingon' is no language"),
        ("Go", "row 3, column 'language': It differs from Java"),
    ],
)
def test_a_wrong_one_is_named(importer: Importer, language: str, words: str) -> None:
    assert words in importer.bad(JAVA.replace("n,int y;,", f"n,int y;,{language}"))


def test_what_is_chosen_wins_over_the_file(importer: Importer, database: Database) -> None:
    importer.good(JAVA, language="C")
    assert language_of(database) == "c"
    assert "in C." in importer.bad(JAVA, study="study", language="java")


def test_the_first_material_of_a_study_says_it(importer: Importer, database: Database) -> None:
    with database.write() as session:
        make_study(session, problems=0)
    importer.good(JAVA, study="a-study")
    assert language_of(database) == "java"
    later = importer.good(JAVA.replace("Java", "Go").replace("p,", "q,"), study="a-study")
    assert any("The file says Go" in note for note in later["notes"])
    assert language_of(database) == "java"


def test_the_pages_ask_for_it(admin: TestClient, database: Database, settings: Settings) -> None:
    preview = upload(admin, "/import", {"a.csv": JAVA.encode()})
    assert 'placeholder="Java"' in admin.get(preview).text
    start(admin, preview, database, settings, kind="outputs/long", title="Mine", language="Kotlin")
    assert language_of(database) == "kotlin"
    page = admin.get("/studies/mine/desk/settings").text
    assert 'value="Kotlin"' in page
    assert '<option value="Java">' in page
    form = {"title": "Mine", "grades_per_item": "3", "claim_minutes": "60"}
    answer = admin.post("/studies/mine/desk", data=form | {"language": "C++"}, follow_redirects=False)
    assert answer.status_code == 303
    assert language_of(database) == "cpp"
    refused = admin.post("/studies/mine/desk", data=form | {"language": "Klingon"})
    assert refused.status_code == 422
    assert "is no language that is highlighted here" in refused.text
    with database.read() as session:
        event = session.scalars(select(AuditEvent).where(AuditEvent.action == "study settings changed")).one()
        assert event.details["changes"] == {"language": {"before": "kotlin", "after": "cpp"}}


def test_a_new_study_has_it(admin: TestClient, database: Database) -> None:
    form = {"title": "Another", "grades_per_item": "3", "ask-helpfulness": "yes"}
    assert 'value="Python"' in admin.get("/studies/new").text
    made = admin.post("/studies/new", data=form | {"language": "java"}, follow_redirects=False)
    assert made.status_code == 303, made.text
    assert language_of(database) == "java"


def test_the_command_line_takes_it(command_line: CommandLine, database: Database) -> None:
    result = command_line.run("outputs", PLAIN_TABLE, "--study", "S", "--language", "Java")
    assert result.exit_code == 0, result.output
    assert language_of(database) == "java"
    assert command_line.run("outputs", PLAIN_TABLE, "--study", "T", "--language", "Klingon").exit_code == 1
