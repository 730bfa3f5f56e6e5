"""``codejury demo``: the demo study, on an installation that started without it; and the demo of models."""

import typer

from app.cli.demo_models import demo_models
from app.cli.environment import load_settings, open_database

cli = typer.Typer()
demos = typer.Typer(invoke_without_command=True)
cli.add_typer(demos, name="demo")
demos.command("models")(demo_models)


@demos.callback()
def demo(context: typer.Context) -> None:
    """Make the demo study (once) and print an invitation to it; or, by `demo models`, one of a real model's code."""
    if context.invoked_subcommand is None:
        _make_demo()


def _make_demo() -> None:
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
