"""Transformations that ask models: named in the settings, opened by the run, and no work for the web."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from app.config import Settings
from app.errors import InvalidInput
from app.perturbations import Mode, find, registry
from app.perturbations.docstring.back_translation import BackTranslation
from app.perturbations.syntax.var_renamer_cb import VarRenamerCB
from app.services.perturbing import Wanted, request_set
from app.services.perturbing.choosing import choose
from app.services.perturbing.equipment import equip
from app.services.perturbing.trying import Attempt, try_out
from app.storage.engine import Database
from app.storage.models import BenchmarkProblem
from tests.language_models.conftest import model_libraries, tiny_models  # noqa: F401
from tests.language_models.tiny import TinyModels
from tests.perturbing.conftest import Work, make_parent

NAMES = ("docstring/BackTranslation", "syntax/VarRenamerCB")
pytestmark = [
    pytest.mark.xdist_group("language_models"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


@pytest.fixture(autouse=True)
def both(rules: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The two rules as they are registered: without models."""
    monkeypatch.setattr(registry, "_known", {each.name: each for each in (BackTranslation(), VarRenamerCB())})
    registry.available.cache_clear()
    yield
    registry.available.cache_clear()


def named(settings: Settings, tiny: TinyModels) -> Settings:
    """These settings with models."""
    pair = f"{tiny.encoder_decoder},{tiny.encoder_decoder}"
    return settings.model_copy(update={"back_translation": pair, "masked_model": str(tiny.masked)})


def test_without_settings_both_say_what_to_set(settings: Settings) -> None:
    equip(settings)
    with pytest.raises(InvalidInput) as caught:
        choose(Mode.PAPER, "python")
    assert "CODEJURY_BACK_TRANSLATION" in str(caught.value.remedy)
    assert "CODEJURY_MASKED_MODEL" in str(caught.value.remedy)


@pytest.mark.sqlite_is_enough
def test_models_of_the_settings_are_asked(
    database: Database,
    settings: Settings,
    work: Work,
    tiny_models: TinyModels,  # noqa: F811
) -> None:
    work.settings = named(settings, tiny_models)
    equip(work.settings)
    with database.write() as session:
        parent = make_parent(session)
        first = session.scalars(select(BenchmarkProblem).where(BenchmarkProblem.key == "b/0")).one()
        first.prompt = 'def f0(n=0):\n    """Return the largest, then stop."""\n'
        session.flush()
        request_set(session, parent, Wanted(1, NAMES), actor="tests")
    done = work.all()
    assert [run.state for run in done] == ["done"] * len(done), [run.message for run in done]
    rows = work.rows("bench-perturbed")
    [translated] = [row for key, row in rows.items() if key.startswith("b/0 · docstring/BackTranslation")]
    assert translated.unchanged is None
    assert "largest" not in translated.prompt
    names = [row for key, row in rows.items() if "VarRenamerCB" in key]
    assert [row.unchanged is None or "name" in row.unchanged or "variable" in row.unchanged for row in names] == [
        True
    ] * 3


def test_what_was_released_is_not_made_by_translators(settings: Settings, tiny_models: TinyModels) -> None:  # noqa: F811
    equip(named(settings, tiny_models))
    chosen = choose(Mode.PAPER, "python")
    assert chosen.names == NAMES
    with pytest.raises(InvalidInput, match="No transformation"):
        choose(Mode.RELEASED, "python")


def test_a_model_that_is_not_there_ends_the_run_in_words(
    database: Database, settings: Settings, work: Work, tmp_path: Path
) -> None:
    work.settings = settings.model_copy(update={"masked_model": str(tmp_path / "gone")})
    equip(work.settings)
    with database.write() as session:
        request_set(session, make_parent(session), Wanted(1, NAMES[1:]), actor="tests")
    failed = next(run for run in work.all() if run.kind == "perturbing")
    assert failed.state == "failed"
    assert "gone" in failed.message


def test_trying_them_is_no_work_for_the_web(settings: Settings, tiny_models: TinyModels) -> None:  # noqa: F811
    equip(named(settings, tiny_models))
    attempt = Attempt('def f():\n    """Return it."""\n', "", "f", NAMES[0], 0, Mode.PAPER)
    with pytest.raises(InvalidInput, match="which takes a worker"):
        try_out(attempt)
    assert find(NAMES[0]).missing() is None
    with pytest.raises(InvalidInput, match="no transformation"):
        try_out(replace(attempt, transformation="docstring/Rhyme"))
