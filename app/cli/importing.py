"""``codejury import …``: the same readers as the upload page, as a run in the foreground."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.words import inert

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.config import Settings
    from app.services.imports.preview import Preview
    from app.services.imports.request import ImportRequest
    from app.services.imports.uploads import KeptUpload
    from app.storage.engine import Database

cli = typer.Typer()
imports = typer.Typer(
    no_args_is_help=True, help="Import outputs, grades, scores, a published study folder, or an exported study."
)
cli.add_typer(imports, name="import")


class LayoutName(StrEnum):
    """Long: a row for each output. Wide: a row for each problem."""

    LONG = "long"
    WIDE = "wide"


class ScaleName(StrEnum):
    """What the scores range over."""

    UNIT = "0-1"
    HUNDRED = "0-100"


class GradesFrom(StrEnum):
    """The graders' own files, or the file of merged grades."""

    RAW = "raw"
    MERGED = "merged"


Source = Annotated[Path, typer.Argument(exists=True, readable=True)]
StudyName = Annotated[
    str, typer.Option("--study", help="The study's title or short name; outputs may make a new one.")
]
Seed = Annotated[
    int | None, typer.Option(min=0, max=2**63 - 1, help="Seed of a new study; chosen at random without it.")
]
Language = Annotated[
    str | None,
    typer.Option(help="Of a new study's code, such as java; without it what the file's column says, else python."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Tell what would be added; store nothing.")]
GoodRows = Annotated[bool, typer.Option("--good-rows", help="Import the good rows and leave the bad ones out.")]
Mapping = Annotated[
    list[str] | None, typer.Option("--map", metavar="COLUMN=FIELD", help="Which column holds what; can be repeated.")
]


@imports.command("codegen-metrics")
def codegen_metrics(
    folder: Source,
    *,
    study: StudyName,
    seed: Seed = None,
    language: Language = None,
    name: Annotated[str | None, typer.Option(help="Which study, where the folder holds several.")] = None,
    grades: Annotated[
        GradesFrom, typer.Option(help="Each grader's own file, or the merged grades.")
    ] = GradesFrom.RAW,
    published: Annotated[
        str, typer.Option(help="Published scores to take: metrics separated by commas, all, or none.")
    ] = "ruby",
    dry_run: DryRun = False,
) -> None:
    """A study folder as published: NAME.json, grader1.NAME.json …, and images named by row."""
    metrics = () if published == "none" else tuple(published.split(","))
    merged = grades is GradesFrom.MERGED
    options = {"name": name, "merged_grades": merged, "published_metrics": metrics}
    _import(folder, study, dry_run, kind="codegen-metrics", seed=seed, language=language, **options)


@imports.command("outputs")
def outputs(
    file: Source,
    *,
    study: StudyName,
    layout: Annotated[LayoutName | None, typer.Option(help="Told by the columns without it.")] = None,
    mapping: Mapping = None,
    seed: Seed = None,
    language: Language = None,
    keep_identical_apart: Annotated[
        bool,
        typer.Option(
            "--keep-identical-apart", help="New study: people grade identical outputs one by one, not once for all."
        ),
    ] = False,
    leave_references_out: Annotated[
        bool,
        typer.Option("--leave-references-out", help="New study: references are not mixed in with what people grade."),
    ] = False,
    good_rows: GoodRows = False,
    dry_run: DryRun = False,
) -> None:
    """Outputs of systems as JSONL, JSON, CSV, TSV or Parquet: a file, or a folder or zip with its images."""
    options: dict[str, Any] = {"layout": layout.value if layout else None, "mapping": _parse_mapping(mapping)}
    options |= {"merge_identical": False if keep_identical_apart else None}
    options |= {"include_references": False if leave_references_out else None}
    _import(file, study, dry_run, kind="outputs", seed=seed, language=language, good_rows_only=good_rows, **options)


@imports.command("bundle")
def bundle(
    file: Source,
    *,
    study: Annotated[
        str | None, typer.Option("--study", help="Title of the new study; the exported one without it.")
    ] = None,
    dry_run: DryRun = False,
) -> None:
    """A whole study as `codejury export` wrote it, as a new study: the same seed, material, grades and scores."""
    _import(file, study, dry_run, kind="bundle")


@imports.command("grades")
def grades(
    file: Source, *, study: StudyName, mapping: Mapping = None, good_rows: GoodRows = False, dry_run: DryRun = False
) -> None:
    """Grades as a table: task (problem|system), worker, label; and optionally question and time."""
    options = {"mapping": _parse_mapping(mapping), "good_rows_only": good_rows}
    _import(file, study, dry_run, kind="grades", **options)


@imports.command("scores")
def scores(
    file: Source,
    *,
    study: StudyName,
    scale: Annotated[ScaleName, typer.Option(help="What the scores range over.")] = ScaleName.UNIT,
    mapping: Mapping = None,
    good_rows: GoodRows = False,
    dry_run: DryRun = False,
) -> None:
    """Scores of a metric that was computed elsewhere: problem, system, metric, score."""
    options = {"mapping": _parse_mapping(mapping), "good_rows_only": good_rows, "scale": scale.value}
    _import(file, study, dry_run, kind="scores", **options)


@imports.command("variants")
def variants(
    file: Source,
    *,
    study: StudyName,
    mapping: Mapping = None,
    seed: Seed = None,
    language: Language = None,
    good_rows: GoodRows = False,
    dry_run: DryRun = False,
) -> None:
    """Changed prompts: problem, original, changed, transformation; and optionally category and seed."""
    options = {"mapping": _parse_mapping(mapping), "good_rows_only": good_rows, "seed": seed, "language": language}
    _import(file, study, dry_run, kind="variants", **options)


def _parse_mapping(pairs: list[str] | None) -> dict[str, str]:
    wrong = [pair for pair in pairs or [] if "=" not in pair]
    if wrong:
        raise typer.BadParameter(f"{wrong[0]!r} is not COLUMN=FIELD.", param_hint="--map")
    return {column: field for column, _, field in (pair.rpartition("=") for pair in pairs or [])}


def _import(path: Path, study: str | None, dry_run: bool, **options: Any) -> None:
    from app.cli.environment import load_settings
    from app.cli.foreground import open_for_runs
    from app.services.imports.uploads import keep, local_files

    settings = load_settings()
    with open_for_runs(settings) as database:
        with local_files(path) as files:
            kept = keep(settings, files)
        if dry_run:
            _show(_preview(database, settings, kept, study, options))
        else:
            _run(database, settings, kept, study, options)


def _request(session: Session, kept: KeptUpload, study: str | None, options: dict[str, Any]) -> ImportRequest:
    from sqlalchemy import select

    from app.cli.environment import named_study
    from app.services.imports.request import ImportRequest
    from app.services.studies import slugify
    from app.storage.models import Study

    known = session.scalar(select(Study.slug).where(Study.slug == slugify(study))) if study else None
    if known is None and study is not None and options["kind"] in ("grades", "scores"):
        named_study(session, study)
    where = {"study": known} if known else {"title": study}
    return ImportRequest(sha256=kept.stored.sha256, file_name=kept.name, **where, **options)


def _preview(
    database: Database, settings: Settings, kept: KeptUpload, study: str | None, options: dict[str, Any]
) -> Preview:
    from app.services.imports.preview import preview
    from app.storage.models import Artifact

    with database.read() as session:
        upload = Artifact(file_name=kept.name, sha256=kept.stored.sha256)
        return preview(session, settings, upload, _request(session, kept, study, options), max_rows=None)


def _show(shown: Preview) -> None:
    if shown.error:
        raise shown.error
    for column, field in shown.mapping.items():
        typer.echo(inert(f"{column} → {field}"))
    for note in shown.notes:
        typer.echo(inert(note))
    added = ", ".join(f"{count:,} {what}" for what, count in shown.counts.items() if count)
    typer.echo(f"Would add {added}." if added else "Everything in this file is there already.")
    if shown.problem_count:
        for problem in shown.problems:
            typer.echo(inert(str(problem)), err=True)
        typer.echo(f"{shown.problem_count:,} errors: nothing would be stored.", err=True)
        raise typer.Exit(1)


def _run(
    database: Database, settings: Settings, kept: KeptUpload, study: str | None, options: dict[str, Any]
) -> None:
    import app.services.imports.runs  # noqa: F401 - registers the handler
    from app.cli.foreground import do_or_exit
    from app.services.imports.uploads import record, start_import
    from app.services.studies import find_study

    with database.write() as session:
        request = _request(session, kept, study, options)
        found = find_study(session, request.study) if request.study else None
        record(session, kept, found)
        run_id = start_import(session, request, user_id=None, study=found).id
    run = do_or_exit(database, settings, run_id)
    typer.echo(f"Study: {run.result['study'] if run.result else study}")
