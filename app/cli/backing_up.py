"""``codejury backup`` and ``codejury restore``."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.environment import check_target, load_settings, prepare_data_dir

if TYPE_CHECKING:
    from app.storage.backup import Manifest

cli = typer.Typer()


@cli.command()
def backup(
    to: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it.")],
    *,
    replace: Annotated[bool, typer.Option("--replace", help="The file that is there now may go.")] = False,
) -> None:
    """Write the whole installation into one file: database, uploads, exports. People may grade meanwhile."""
    from app.storage.backup import write_backup
    from app.storage.engine import Database
    from app.storage.files import files_of

    check_target(to, "FILE")
    settings = load_settings()
    database = Database(settings.effective_database_url)
    try:
        manifest = write_backup(database, files_of(settings), to, replace=replace)
    finally:
        database.dispose()
    typer.echo(f"Wrote {to}: {_told(manifest)}.")


@cli.command()
def restore(
    path: Annotated[
        Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="What `codejury backup` wrote.")
    ],
    *,
    replace: Annotated[bool, typer.Option("--replace", help="What the database holds now may go.")] = False,
) -> None:
    """Check a backup, and restore it: all of it, or nothing. Stop what uses the database first."""
    from app.cli.lock import sole_server
    from app.storage.backup import restore as bring_back
    from app.storage.files import files_of

    settings = load_settings()
    prepare_data_dir(settings)
    with sole_server(settings.data_dir) if settings.mode == "embedded" else nullcontext():
        store = files_of(settings)
        manifest = bring_back(path, settings.effective_database_url, store, replace=replace)
    typer.echo(f"Restored {_told(manifest)}, as of {manifest.made_at:%Y-%m-%d %H:%M} UTC.")


def _told(manifest: Manifest) -> str:
    told = f"{manifest.rows:,} rows in {len(manifest.tables)} tables and {len(manifest.files):,} files"
    gone = len(manifest.missing)
    return f"{told}, of which {gone:,} were missing or damaged already" if gone else told
