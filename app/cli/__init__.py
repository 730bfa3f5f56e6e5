"""The command line, one area a file.

A file of an area has ``cli = typer.Typer()`` with its commands, and imports what is heavy inside them: every start of
``codejury`` reads all these files, so each may cost milliseconds only. Commands raise ``app.errors.AppError`` like
everything else; ``main`` prints it with all its problems.
"""

import sys
from importlib import import_module
from importlib.util import find_spec

import typer

from app import __version__
from app.errors import AppError

# In the order in which the help shows them.
AREAS = ("serving", "working", "demo", "importing", "analyse", "agreement", "export", "accounts", "doctor")


def make_cli() -> typer.Typer:
    """The command line with the commands of every area."""
    cli = typer.Typer(
        help="CodeJury: grade generated code with people, and find out which automatic metrics agree with them.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    cli.callback()(_about)
    for area in AREAS:
        if find_spec(f"app.cli.{area}"):
            cli.add_typer(import_module(f"app.cli.{area}").cli)
    return cli


def main() -> None:
    """The entry point ``codejury``: exit code 1 for a failure that was explained, 2 for wrong usage."""
    try:
        make_cli()()
    except AppError as error:
        print(error.in_words(), file=sys.stderr)  # noqa: T201 - a command line prints
        sys.exit(1)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"CodeJury {__version__}")
        raise typer.Exit


def _about(
    version: bool = typer.Option(False, "--version", help="Show the version.", is_eager=True, callback=_show_version),
) -> None:
    """Options of the command line as a whole."""
