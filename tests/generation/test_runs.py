"""Runs of generation: every sample once, gone on with after a cut, failures beside the others."""

import time
from typing import Any

import pytest
from sqlalchemy import func, select

from app.config import Settings
from app.errors import InvalidInput, NotPermitted
from app.language_models import loaded
from app.language_models.protocol import ModelError
from app.services.generation import opening, shards
from app.services.generation.estimating import estimate
from app.services.generation.parameters import GenerationParameters
from app.services.generation.requests import create_generation, request_generation, sample_one, start_generation
from app.services.generation.shards import seed_of
from app.services.runs import cancel, execute
from app.storage.engine import Database
from app.storage.models import AuditEvent, Benchmark, Completion, Generation, Run
from tests.execution_runs.conftest import make_benchmark
from tests.generation.conftest import Execute, ListedModel


def _request(database: Database, parameters: GenerationParameters, problems: int = 3) -> int:
    with database.write() as session:
        return request_generation(session, make_benchmark(session, problems), parameters, actor="tests").id


def _completions(database: Database) -> list[Completion]:
    with database.read() as session:
        return list(session.scalars(select(Completion).order_by(Completion.problem_id, Completion.sample)))


def test_every_sample_is_asked_once_and_stored_with_its_cut(
    database: Database, execute_run: Execute, model: ListedModel, parameters: GenerationParameters
) -> None:
    run = execute_run(_request(database, parameters))
    assert run.state == "done", f"{run.message} {run.trace}"
    assert run.queue == "gpu"
    assert (run.done, run.total) == (6, 6)
    found = _completions(database)
    assert [(each.sample, each.seed) for each in found] == [
        (sample, seed_of(7, f"b/{number}", sample)) for number in range(3) for sample in (0, 1)
    ]
    assert len({each.seed for each in found}) == 6
    assert all(each.raw == f"    return {each.seed}\n\ndef helper():\n    pass\n" for each in found)
    assert all(each.text.rstrip() == f"    return {each.seed}" for each in found)
    assert {each.prompt_tokens > 0 for each in found} == {True}
    with database.read() as session:
        generation = session.scalars(select(Generation)).one()
        assert generation.signature == "backend:listed|version:1"
        assert generation.sampling["temperature"] == 0.8
        assert session.scalars(select(AuditEvent.action).order_by(AuditEvent.id)).all()[-1] == "generation requested"


def test_a_killed_run_goes_on_and_asks_nothing_twice(
    database: Database,
    settings: Settings,
    execute_run: Execute,
    model: ListedModel,
    parameters: GenerationParameters,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shards, "SHARD", 2)
    run_id = _request(database, parameters)
    model.dies_after = 4  # two shards
    with pytest.raises(SystemExit):
        execute(database, settings, run_id)
    assert len(_completions(database)) == 4
    with database.write() as session:  # as the sweeper does for a process that is gone
        run = session.get_one(Run, run_id)
        run.state, run.lease_until = "queued", None
    model.dies_after = None
    assert execute_run(run_id).state == "done"
    keys = [each.key for each in model.asked]
    assert sorted(keys) == sorted({f"b/{number}#{sample}" for number in range(3) for sample in (0, 1)})
    assert len(_completions(database)) == 6


def test_a_failed_shard_is_told_and_the_others_go_on_until_it_is_asked_again(
    database: Database,
    execute_run: Execute,
    model: ListedModel,
    parameters: GenerationParameters,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shards, "SHARD", 2)
    model.fails_at = "b/1#0"
    run = execute_run(_request(database, parameters))
    assert run.state == "done"
    assert "2 of them failed; the first says:\nThe endpoint answers 429" in run.message
    failed = [each for each in _completions(database) if each.finish == "error"]
    assert len(failed) == 2
    assert {(each.raw, each.text) for each in failed} == {("", "")}
    assert {each.trouble for each in failed} == {"The endpoint answers 429; ask for less at a time."}
    model.fails_at, asked = None, len(model.asked)
    with database.write() as session:
        again = start_generation(session, session.scalars(select(Generation)).one()).id
    assert execute_run(again).state == "done"
    assert len(model.asked) == asked + 2
    assert [each.finish for each in _completions(database)] == ["stop"] * 6


def test_where_everything_fails_the_run_fails(
    database: Database, execute_run: Execute, model: ListedModel, parameters: GenerationParameters
) -> None:
    model.fails_at = "b/0#0"
    run = execute_run(_request(database, parameters))
    assert (run.state, run.message) == ("failed", "The endpoint answers 429; ask for less at a time.")
    assert {each.finish for each in _completions(database)} == {"error"}


def test_a_model_that_can_not_be_loaded_fails_the_run_in_words(
    database: Database, execute_run: Execute, parameters: GenerationParameters, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_spec: object) -> ListedModel:
        raise ModelError("There is no folder /models/x; give another one.")

    monkeypatch.setattr(loaded, "open_model", refuse)
    run = execute_run(_request(database, parameters))
    assert (run.state, run.message) == ("failed", "There is no folder /models/x; give another one.")
    assert run.trace is None


def test_another_model_of_the_same_name_is_not_mixed_in(
    database: Database, execute_run: Execute, model: ListedModel, parameters: GenerationParameters
) -> None:
    with database.write() as session:
        generation = create_generation(session, make_benchmark(session, 3), parameters, actor="tests")
        first = sample_one(session, generation).id
    assert execute_run(first).state == "done"
    assert [each.key for each in model.asked] == ["b/0#0"]
    model.signature = "backend:listed|version:2"
    with database.write() as session:
        second = start_generation(session, session.get_one(Generation, generation.id)).id
    run = execute_run(second)
    assert run.state == "failed"
    assert "another one than when this generation began" in run.message
    assert len(_completions(database)) == 1


def test_one_model_is_kept_in_the_process(
    database: Database,
    settings: Settings,
    execute_run: Execute,
    parameters: GenerationParameters,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[ListedModel] = []

    def open_one(_spec: object) -> ListedModel:
        opened.append(ListedModel())
        return opened[-1]

    monkeypatch.setattr(loaded, "open_model", open_one)
    for _ in range(2):
        with database.write() as session:
            benchmark = session.scalar(select(Benchmark)) or make_benchmark(session, 3)
            run_id = request_generation(session, benchmark, parameters, actor="tests").id
        assert execute_run(run_id).state == "done"
    assert len(opened) == 1
    opening.take_model({"backend": "replay", "name": "another"}, settings)
    assert [each.closed for each in opened] == [True, False]
    loaded.close()
    assert opened[1].closed


def test_a_cancelled_run_ends_within_a_batch(
    database: Database, execute_run: Execute, model: ListedModel, parameters: GenerationParameters
) -> None:
    run_id = _request(database, parameters)

    def slow(_prompts: Any, _sampling: Any, check: Any) -> Any:
        with database.write() as session:
            cancel(session, session.get_one(Run, run_id))
        for _ in range(600):
            check()
            time.sleep(0.05)
        raise AssertionError("Nobody stopped it.")
        yield

    model.generate = slow  # type: ignore[method-assign]
    assert execute_run(run_id).state == "cancelled"
    assert _completions(database) == [], "what was stopped is no failure of the model"


def test_text_that_no_database_keeps_is_stored_as_escapes(
    database: Database, execute_run: Execute, model: ListedModel, parameters: GenerationParameters
) -> None:
    def rubbish(prompts: Any, sampling: Any, _check: Any) -> Any:
        for each in ListedModel.generate(model, prompts, sampling):
            yield type(each)(each.key, "    return '\0\ud800'\n", "length", 1, 1, 0.1)

    model.generate = rubbish  # type: ignore[method-assign]
    assert execute_run(_request(database, parameters)).state == "done"
    found = _completions(database)[0]
    assert found.raw == "    return '\\0\\ud800'\n"
    assert "no database keeps" in (found.trouble or "")


def test_the_estimate_goes_by_what_the_model_did_before(
    database: Database, execute_run: Execute, model: ListedModel, parameters: GenerationParameters
) -> None:
    with database.write() as session:
        benchmark = make_benchmark(session, 3)
        before = estimate(session, benchmark, parameters)
        run_id = request_generation(session, benchmark, parameters, actor="tests").id
    assert (before.completions, before.most_tokens, before.likely_seconds) == (6, 6 * 512, None)
    assert before.prompt_tokens == round(2 * sum(len(f'def f{n}():\n    """Return {n}."""\n') for n in range(3)) / 4)
    execute_run(run_id)
    with database.read() as session:
        after = estimate(session, session.get_one(Benchmark, benchmark.id), parameters)
    assert after.tokens_per_second == pytest.approx(10 / 0.5)
    assert after.likely_seconds == pytest.approx(6 * 10 / 20)
    assert after.most_seconds == pytest.approx(6 * 512 / 20)


BAD: dict[str, dict[str, Any]] = {
    "greedy samples": {"temperature": 0, "samples": 2, "spec": {"backend": "hugging_face", "name": "a/b"}},
    "no tokens": {"max_tokens": 0},
    "hot": {"temperature": float("nan")},
    "empty stop": {"stop": ("",)},
    "mode": {"prompt_mode": "half"},
    "tab in the label": {"label": "a\tb"},
    "lines in the label": {"label": "a\nb"},
    "another end of a line": {"label": "a\u2028b"},
}


@pytest.mark.parametrize("name", BAD)
def test_senseless_settings_are_refused(parameters: GenerationParameters, name: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        GenerationParameters.model_validate(parameters.model_dump() | BAD[name])


def test_a_file_has_samples_without_a_temperature(parameters: GenerationParameters, settings: Settings) -> None:
    """As many as the task that has most."""
    greedy = GenerationParameters.model_validate(parameters.model_dump() | {"temperature": 0, "samples": 2})
    assert greedy.samples == 2
    assert opening.usual_samples(settings, parameters.spec) == 2
    assert opening.usual_samples(settings, {"backend": "hugging_face", "name": "a/b"}) == 1


def test_unknown_models_rules_and_code_of_strangers_are_refused(
    database: Database, parameters: GenerationParameters
) -> None:
    wrong = {"spec": {"backend": "oracle", "name": "x"}}, {"cut_rule": "guess"}
    with database.write() as session:
        benchmark = make_benchmark(session, 1)
        for change in wrong:
            with pytest.raises(InvalidInput):
                create_generation(session, benchmark, parameters.model_copy(update=change), actor="tests")
        spec = {"backend": "hugging_face", "name": "a/b", "trust_remote_code": True}
        strange = parameters.model_copy(update={"spec": spec})
        with pytest.raises(NotPermitted):
            create_generation(session, benchmark, strange, actor="tests")
        create_generation(session, benchmark, strange, actor="tests", trusted_models={"a/b"})
        assert session.scalar(select(func.count()).select_from(Generation)) == 1


def test_a_worker_lets_code_of_strangers_run_for_its_own_settings_models_only(settings: Settings) -> None:
    spec = {"backend": "hugging_face", "name": "/nowhere/model", "trust_remote_code": True}
    with pytest.raises(NotPermitted) as refused:
        opening.take_model(spec, settings)
    assert "CODEJURY_TRUSTED_MODELS" in refused.value.remedy
    with pytest.raises(ModelError):  # trusted, so that it is looked for
        opening.take_model(spec, settings.model_copy(update={"trusted_models": "other/model, /nowhere/model"}))


def test_the_real_replay_backend(database: Database, execute_run: Execute, parameters: GenerationParameters) -> None:
    run = execute_run(_request(database, parameters))
    assert run.state == "done", f"{run.message} {run.trace}"
    assert [each.text for each in _completions(database)] == [f"    return {n}\n" for n in range(3) for _ in (0, 1)]
    loaded.close()


def test_seeds_are_the_same_everywhere() -> None:
    assert seed_of(7, "HumanEval/0", 0) == seed_of(7, "HumanEval/0", 0)
    assert len({seed_of(s, k, n) for s in (0, 1) for k in ("a", "b") for n in (0, 1)}) == 8
