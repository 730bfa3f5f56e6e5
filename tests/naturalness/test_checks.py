"""Automatic checks: numbers worked by hand, all changed rows of a set, and nothing computed twice."""

import pytest
from sqlalchemy import func, select

from app.perturbations import Problem
from app.services.naturalness import checks
from app.services.naturalness.checks import Change, CodeParts, DocstringCosine, NameCosine
from app.services.naturalness.runs import request_checks
from app.services.naturalness.scores import how_far, set_scores
from app.services.perturbing import find_set
from app.storage.engine import Database
from app.storage.models import ChangeScore, Run
from tests.metrics.encoders import need_encoder
from tests.naturalness.conftest import SET, give_scores
from tests.perturbing.conftest import Work

HAND = [
    # One of the six subtrees of "x = 1" is gone: the module has another child now. Nothing is mentioned twice.
    ("x = 1\n", "x = 1\nz = 2\n", 5 / 6, None),
    # Other names change neither.
    ("a = 1\nb = a\n", "x = 1\ny = x\n", 1.0, 1.0),
    # The one edge, from a to its use, is lost. Of 11 subtrees (two statements with five each, and the module) four
    # are not found: the statement "b = a", its assignment, one of three names, and the module.
    ("a = 1\nb = a\n", "a = 1\nb = 1\n", 7 / 11, 0.0),
    ("if (\n", "if (\n", 1.0, None),
]


@pytest.mark.parametrize(("before", "after", "syntax", "flow"), HAND)
def test_code_by_hand(before: str, after: str, syntax: float, flow: float | None) -> None:
    change = Change(Problem("p", before, "f"), Problem("p", after, "f"))
    ((found, data_flow),) = CodeParts().score([change])
    assert found == pytest.approx(syntax)
    assert data_flow == flow


def test_programs_are_compared_with_their_solutions() -> None:
    """Half of a program does not parse, and would have no data flow."""
    half = Problem("p", "def f(x):\n    while x:\n", "f", "        x = x - 1\n    return x\n")
    ((syntax, flow),) = CodeParts().score([Change(half, half)])
    assert (syntax, flow) == (1.0, 1.0)


def test_texts_of_docstrings_and_names() -> None:
    problem = Problem("p", 'def has_close(x):\n    """ Whether x\n    is close. """\n', "has_close", "    return x\n")
    assert DocstringCosine().text(problem) == "Whether x\n    is close."
    assert NameCosine().text(problem) == "has close"
    assert DocstringCosine().text(Problem("p", "def f():\n", "f", "    pass\n")) is None


def _renamed(before: str, after: str) -> Change:
    return Change(*(Problem("p", f"def {name}(x):\n", name, "    return x\n") for name in (before, after)))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("intersperse", "inTersPerse", "intersperse"),
        ("has_close", "hAS_clOse", "has close"),
        ("has_close", "hasClose", "has close"),
        ("hasClose", "has_close", "has close"),
        ("intersperse", "insertBetween", "insert between"),
        ("has_close", "ha_sclose", "ha sclose"),
        ("has_close", "has_clsoe", "has clsoe"),
    ],
)
def test_a_name_that_is_only_written_otherwise_has_its_originals_words(before: str, after: str, words: str) -> None:
    assert NameCosine().texts(_renamed(before, after)) == (NameCosine().text(_renamed(before, after).original), words)


@pytest.mark.xdist_group("language_models")
def test_chance_capitals_change_no_score() -> None:
    need_encoder("embedding_cosine")
    changes = [_renamed("intersperse", name) for name in ("inTersPerse", "insertBetween")]
    same, other = NameCosine().score(changes)
    assert same == (1.0,)
    assert other[0] is not None
    assert other[0] < 1.0


def _check(database: Database, work: Work) -> Run:
    with database.write() as session:
        run_id = request_checks(session, find_set(session, SET)).id
    return work(run_id)


def test_all_changed_rows_are_scored_and_only_what_is_missing_again(
    perturbed: Database, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "checks_for", lambda _: (CodeParts(),))
    monkeypatch.setattr("app.services.naturalness.runs.checks_for", lambda _: (CodeParts(),))
    calls: list[int] = []
    whole = CodeParts.score

    def counted(self: CodeParts, changes):  # type: ignore[no-untyped-def]
        calls.append(len(changes))
        return whole(self, changes)

    monkeypatch.setattr(CodeParts, "score", counted)
    assert _check(perturbed, work).state == "done"
    assert sum(calls) == 12
    with perturbed.read() as session:
        rows = session.execute(select(ChangeScore.name, func.count(), func.min(ChangeScore.score)).group_by("name"))
        found = {name: (number, lowest) for name, number, lowest in rows}
    assert set(found) == {"codebleu_syntax", "codebleu_dataflow"}
    assert {number for number, _ in found.values()} == {12}
    assert _check(perturbed, work).state == "done"
    assert sum(calls) == 12
    with perturbed.write() as session:
        stale = session.scalars(select(ChangeScore).order_by(ChangeScore.problem_id).limit(1)).one()
        stale.signature = "another version"
    assert _check(perturbed, work).state == "done"
    assert sum(calls) == 13


def test_who_asks_again_gets_the_run_that_waits(perturbed: Database) -> None:
    with perturbed.write() as session:
        made = find_set(session, SET)
        assert request_checks(session, made).id == request_checks(session, made).id


def test_without_an_encoder_code_is_checked_and_the_run_says_what_is_missing(
    perturbed: Database, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.language_models.packaged.find_packaged", lambda name: None)
    run = _check(perturbed, work)
    assert run.state == "failed"
    assert "minilm" in run.message
    with perturbed.read() as session:
        assert how_far(session, find_set(session, SET)).scored == 12


@pytest.mark.sqlite_is_enough
@pytest.mark.xdist_group("language_models")
def test_a_real_encoder_scores_docstrings_names_and_code(perturbed: Database, work: Work) -> None:
    need_encoder("embedding_cosine")
    run = _check(perturbed, work)
    assert run.state == "done", run.trace
    with perturbed.read() as session:
        made = find_set(session, SET)
        known = how_far(session, made)
        assert (known.changed, known.scored, known.without) == (46, 46, 0)
        scores = set_scores(session, made)
    means = {(each["check"], each["stratum"]): each["mean"]["value"] for each in scores.transformations}
    assert set(means) == {
        ("cosine_docstring", "docstring/Shout"),
        ("cosine_name", "function_name/Rename"),
        *((check, "format/Remark") for check in ("cosine_code", "codebleu_syntax", "codebleu_dataflow")),
    }
    assert means["cosine_docstring", "docstring/Shout"] > 0.9  # it reads small letters alone: a "!" more is little
    assert means["cosine_name", "function_name/Rename"] < means["cosine_docstring", "docstring/Shout"]
    assert means["codebleu_dataflow", "format/Remark"] == 1.0
    assert "packaged:minilm@" in scores.signatures["cosine_name"]


def test_means_of_a_set_by_transformation_and_category(perturbed: Database) -> None:
    with perturbed.write() as session:
        give_scores(session, "codebleu_syntax", {"format": 0.5})
        give_scores(session, "cosine_docstring", {"docstring": 0.25})
    with perturbed.read() as session:
        scores = set_scores(session, find_set(session, SET))
    found = [(each["check"], each["stratum"], each["mean"]["value"], each["pairs"]) for each in scores.categories]
    assert found == [("cosine_docstring", "docstring", 0.25, 22), ("codebleu_syntax", "format", 0.5, 12)]
    assert [each["problems"] for each in scores.transformations] == [11, 12]
