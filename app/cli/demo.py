"""``codejury demo``: the demo study, on an installation that started without it."""

import typer

from app.cli.environment import load_settings, open_database

cli = typer.Typer()


@cli.command()
def demo() -> None:
    """Make the demo study (once) and print an invitation to it."""
    from sqlalchemy import select

    from app.errors import Conflict
    from app.services.demo.study import SLUG, invite_to_demo, make_demo
    from app.storage.models import Study

    settings = load_settings()
    with open_database(settings) as database, database.write() as session:
        if session.scalar(select(Study.id).where(Study.slug == SLUG)) is None:
            make_demo(session)
            typer.echo("The demo study is made. A worker analyses it.")
        links = invite_to_demo(session)
        if links is None:
            raise Conflict("The demo study is not open.", remedy="Open it on its desk.")
        typer.echo(f"Grade it: {settings.public_url}/join/{links.invitation}")
