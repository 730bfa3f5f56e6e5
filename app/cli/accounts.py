"""``codejury reset-password``: the way back in for an admin who is alone and forgot the password."""

from typing import Annotated

import typer

from app.cli.environment import load_settings, open_database

cli = typer.Typer()


@cli.command("reset-password")
def reset_password(
    email: Annotated[str, typer.Argument(help="The e-mail address by which the user signs in.")],
) -> None:
    """Print a link, good once and for 24 hours, by which a user sets a new password."""
    from app.services.setup_links import reset_link
    from app.services.users import find_by_email

    settings = load_settings()
    with open_database(settings) as database, database.write() as session:
        token = reset_link(session, "command line", find_by_email(session, email).id)
    typer.echo(f"Set a new password (once, within 24 hours): {settings.public_url}/setup/{token}")
