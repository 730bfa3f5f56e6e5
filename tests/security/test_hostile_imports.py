"""Hostile texts come in by every format of import and in every field of it: stored as they are, shown as text."""

import csv
import io
import re
from collections.abc import Iterable, Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import String, func, select

from app.config import Settings
from app.storage.engine import Database
from app.storage.models import Annotator, Item, Output, Problem, Reference, Run, Scoring, Study, System, Variant
from app.web.access import declared_roles
from tests.exports.steps import analysed, exported, measured, members
from tests.exports.test_spreadsheets import STARTS
from tests.imports.helpers import Importer
from tests.imports.test_layouts import texts
from tests.imports.test_web import sign_in, upload
from tests.security.hostile import COMPUTED, MARK
from tests.security.hostile_files import FILES, FORMULAS, GRADES, LONG, NAMES, SCORES, VARIANTS, WIDE, plain
from tests.security.test_hostile_text import Page


@pytest.fixture
def importer(database: Database, settings: Settings) -> Importer:
    """The installation that the pages show."""
    return Importer(database, settings)


@pytest.fixture
def admin(client: TestClient, database: Database) -> TestClient:
    """An admin's browser."""
    sign_in(database, client, "admin")
    return client


def pages(app: FastAPI, slug: str, more: Iterable[str] = ()) -> Iterator[str]:
    """Each page that a study has, and more."""
    for route in declared_roles(app):
        if "GET" in route.methods and re.findall(r"{(\w+)", route.path) == ["slug"] and "/api/" not in route.path:
            yield route.path.replace("{slug}", slug)
    yield from more


def look(admin: TestClient, addresses: Iterable[str]) -> tuple[dict[str, list[str]], int]:
    """What is wrong with which page, and how many show some of the texts."""
    wrong, shown = {}, 0
    for address in addresses:
        answer = admin.get(address)
        assert answer.status_code < 500, (address, answer.text)
        if answer.headers.get("content-type", "").startswith("text/html"):
            page = Page(answer.text)
            shown += MARK in page.text
            if found := page.wrong + ([COMPUTED] if COMPUTED in page.text else []):
                wrong[address] = found
    return wrong, shown


def of_items(database: Database, slug: str = "study") -> list[str]:
    """The desk's pages of one item and one annotator, and of the newest run."""
    desk = f"/studies/{slug}/desk"
    with database.read() as session:
        study = select(Study.id).where(Study.slug == slug).scalar_subquery()
        item = session.scalar(select(func.min(Item.id)).where(Item.study_id == study))
        person = session.scalar(select(func.min(Annotator.id)).where(Annotator.study_id == study))
        run = session.scalars(select(Run.public_id).order_by(Run.id.desc()).limit(1)).one()
    return [f"{desk}/items/{item}", f"/runs/{run}", *([f"{desk}/annotators/{person}"] if person else [])]


def stored(database: Database) -> set[str]:
    """All texts of all rows of the material."""
    found: set[str] = set()
    with database.read() as session:
        for model in (Problem, System, Output, Reference, Variant, Item, Annotator, Scoring):
            columns = [each for each in model.__table__.columns if isinstance(each.type, String)]
            found |= {each for row in session.execute(select(*columns)) for each in row if each}
    return found


@pytest.mark.parametrize("format_", FILES)
def test_it_comes_in_as_it_is_and_is_shown_as_text(
    importer: Importer, database: Database, app: FastAPI, admin: TestClient, format_: str
) -> None:
    kind, make = FILES[format_]
    importer.good(make(), kind)
    sent = {"long": LONG, "wide": WIDE, "parquet": LONG, "zip": LONG, "variants": VARIANTS}.get(
        format_.split(maxsplit=1)[0], []
    )
    assert sorted({each for row in sent for each in row.values()} - stored(database)) == []
    wrong, shown = look(admin, pages(app, "study", of_items(database)))
    assert wrong == {}
    assert shown >= (1 if kind == "variants" else 3)  # of changed prompts nothing is an item before a sample is drawn


def grade(importer: Importer) -> None:
    """A study whose names, texts, annotators, grades and scores came from tables full of hostile texts."""
    importer.good(texts(LONG)["csv"])
    importer.good(texts(GRADES)["tsv"], "grades", study="study")
    importer.good(texts(SCORES)["csv"], "scores", study="study")


def answers(importer: Importer, slug: str) -> list[list[str]]:
    """Who graded what, and how."""
    return [row[:3] for row in table(exported(importer, slug, form="csv"))]


def table(file: bytes) -> list[list[str]]:
    """The cells of a CSV."""
    return list(csv.reader(io.StringIO(file.decode(), newline="")))


ENDINGS = {"bundle": "zip", "wide": "json"}
# What an export is imported as: with it, into an installation that has the template.
AGAIN = {
    **dict.fromkeys(("csv", "jsonl", "parquet", "label-studio"), "grades"),
    "wide": "codegen-metrics",
    "bundle": "bundle",
}


@pytest.mark.parametrize("form", AGAIN)
def test_what_is_exported_comes_in_again_as_it_was(
    importer: Importer, database: Database, app: FastAPI, admin: TestClient, form: str
) -> None:
    grade(importer)
    file, kind = exported(importer, "study", form=form), AGAIN[form]
    if kind == "grades":
        importer.good(
            {"template.zip": exported(importer, "study", form="template")}, "bundle", title="Again", seed=None
        )
        importer.good(file, kind, study="again")
    else:
        importer.good({f"study.{ENDINGS.get(form, form)}": file}, kind, title="Again")
    assert answers(importer, "again") == answers(importer, "study")
    wrong, shown = look(admin, pages(app, "again", of_items(database, "again")))
    assert wrong == {}
    assert shown >= 5


@pytest.mark.parametrize("kind", ["outputs", "grades", "scores", "variants"])
def test_what_is_refused_is_told_as_text(
    importer: Importer, database: Database, app: FastAPI, admin: TestClient, settings: Settings, *, kind: str
) -> None:
    """Columns of no meaning, numbers that are none, names that nobody knows, files of any name."""
    grade(importer)
    rows = {"outputs": LONG, "grades": GRADES, "scores": SCORES, "variants": VARIANTS}[kind]
    bad = [
        dict.fromkeys(row, NAMES[number])
        | dict.fromkeys(("language", "time", "seed", "question", *NAMES), NAMES[-number])
        for number, row in enumerate(rows)
    ]
    file = texts(bad)["csv"].encode()
    told = importer.run(file, kind, study="study")
    assert (told.state, told.trace) == ("failed", None)
    assert MARK in told.message
    previews = [upload(admin, base, {f"{plain(3)}.csv": file}) for base in ("/import", "/studies/study/import")]
    wrong, shown = look(admin, [f"/runs/{told.public_id}", "/runs", *previews])
    assert wrong == {}
    assert shown >= 3


def formulas(file: bytes) -> list[str]:
    """Cells that a spreadsheet would compute. A number may have a sign."""
    cells = [cell for row in table(file) for cell in row if cell.startswith(STARTS)]
    return [cell for cell in cells if not re.fullmatch(r"[+-]?\d+(\.\d+)?(e[+-]?\d+)?", cell)]


def make_formulas(importer: Importer) -> None:
    """A study that can be analysed, in which everybody and everything is called like a formula."""
    signs = list(FORMULAS.values())
    rows = [
        {
            "problem": f"{signs[n % 7]} {n}",
            "intent": signs[n % 7],
            "system": system,
            "output": f"{system} {n}",
            "reference": signs[0],
        }
        for n in range(10)
        for system in signs[:3]
    ]
    importer.good(texts(rows)["csv"])
    graded = [
        {"problem": row["problem"], "system": row["system"], "worker": worker, "label": (n + place) % 5}
        for n, row in enumerate(rows)
        for place, worker in enumerate(signs[:3])
    ]
    importer.good(texts(graded)["csv"], "grades", study="study")
    scores = [
        {"problem": row["problem"], "system": row["system"], "metric": "mine", "score": 0.5, "label": signs[3]}
        for row in rows
    ]
    importer.good(texts(scores)["csv"], "scores", study="study")


def test_no_table_that_leaves_is_computed_by_a_spreadsheet(
    importer: Importer, app: FastAPI, admin: TestClient
) -> None:
    make_formulas(importer)
    analysed(importer, "study", metrics=("bleu", "mine"))
    measured(importer, "study")
    files = {form: exported(importer, "study", form=form) for form in ("csv", "wmt")}
    for form in ("bundle", "tables"):
        files |= {
            name: data for name, data in members(exported(importer, "study", form=form)).items() if ".csv" in name
        }
    for address in pages(app, "study", ["/log.csv"]):
        if address.endswith(".csv"):
            files[address] = admin.get(address).content
    assert len(files) > 20
    assert sum(MARK.encode() in data for data in files.values()) > 10
    assert {name: found for name, data in files.items() if (found := formulas(data))} == {}
