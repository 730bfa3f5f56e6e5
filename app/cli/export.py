"""``codejury export``: a study as one zip."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.environment import check_target, load_settings, named_study, open_database

cli = typer.Typer()


@cli.command()
def export(
    study: Annotated[str, typer.Argument(help="Short name of the study, as in its address.")],
    to: Annotated[Path, typer.Option(help="Where to write the zip.")],
) -> None:
    """Export a study: grades, outputs, scores, the newest analysis, checksums."""
    import shutil

    from app.cli.foreground import do_run
    from app.services.exports import request_export
    from app.services.exports.bundles import find_bundle
    from app.storage.files import FileStore

    check_target(to, "--to")
    settings = load_settings()
    with open_database(settings) as database:
        with database.write() as session:
            run_id = request_export(session, named_study(session, study)).id
        run = do_run(database, settings, run_id)
        typer.echo(run.message, err=True)
        if run.state != "done" or run.result is None:
            raise typer.Exit(1)
        with database.read() as session:
            bundle = find_bundle(session, run.result["artifact"])
    shutil.copyfile(FileStore(settings.artifacts_dir).path(bundle.sha256), to)
    typer.echo(f"Wrote {to}", err=True)
