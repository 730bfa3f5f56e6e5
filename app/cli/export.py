"""``codejury export``: a study as a file."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from app.cli.environment import check_target, load_settings, named_study

cli = typer.Typer()


class FormName(StrEnum):
    """The forms that an export has."""

    BUNDLE = "bundle"
    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    WIDE = "wide"
    LABEL_STUDIO = "label-studio"
    WMT = "wmt"
    TABLES = "tables"


@cli.command()
def export(
    *,
    study: Annotated[str, typer.Argument(help="Short name of the study, as in its address.")],
    to: Annotated[Path, typer.Option(help="Where to write the file.")],
    form: Annotated[
        FormName,
        typer.Option(
            "--format",
            help="bundle: everything, as a zip; csv, jsonl, parquet: a row for each grade; wide: JSON as "
            "codegen-metrics has it; label-studio: JSON as Label Studio has it; wmt: a table as WMT has it; "
            "tables: those of the pages and the annotators' quality, as a zip.",
        ),
    ] = FormName.BUNDLE,
    template: Annotated[bool, typer.Option("--template", help="The study without answers, as a zip.")] = False,
    material: Annotated[bool, typer.Option(help="In a template: problems, outputs and items.")] = True,
    skips: Annotated[
        bool, typer.Option("--skips", help="In a table: skipped items, as rows without a grade.")
    ] = False,
    question: Annotated[str | None, typer.Option(help="In the forms wide and wmt: which question.")] = None,
    platform_ids: Annotated[
        bool, typer.Option("--platform-ids", help="In a bundle: the names that platforms and you gave to people.")
    ] = False,
    answers_about_people: Annotated[
        bool, typer.Option("--answers-about-people", help="In a bundle: what people answered about themselves.")
    ] = False,
) -> None:
    """Export a study: everything as one bundle, a table of its grades, or a template without answers."""
    import shutil

    from app.cli.foreground import do_or_exit, open_for_runs
    from app.services.exports import ExportRequest, Form, request_export
    from app.services.exports.bundles import find_bundle
    from app.storage.files import files_of

    check_target(to, "--to")
    request = ExportRequest(
        form=Form.TEMPLATE if template else Form(form.value),
        material=material,
        skips=skips,
        question=question,
        platform_ids=platform_ids,
        answers_about_people=answers_about_people,
    )
    settings = load_settings()
    with open_for_runs(settings) as database:
        with database.write() as session:
            asked = named_study(session, study)
            run_id = request_export(session, asked, request, actor="command line", is_admin=True).id
        result = do_or_exit(database, settings, run_id, err=True).result or {}
        with database.read() as session:
            bundle = find_bundle(session, result["artifact"], is_admin=True)
    shutil.copyfile(files_of(settings).path(bundle.sha256), to)
    typer.echo(f"Wrote {to}", err=True)
