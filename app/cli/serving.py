"""``codejury serve`` and ``codejury migrate``."""

import typer

from app.cli.environment import load_settings, prepare_data_dir

cli = typer.Typer()


@cli.command()
def migrate() -> None:
    """Bring the database's schema to what this version needs."""
    from app.storage import migrate as schema

    settings = load_settings()
    prepare_data_dir(settings)
    schema.upgrade(settings.effective_database_url)
    typer.echo(f"The database is at revision {schema.head_revision()}.")
