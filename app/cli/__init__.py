"""The command line, one area a file.

A file of an area has ``cli = typer.Typer()`` with its commands, and imports what is heavy inside them: every start of
``codejury`` reads all these files, so each may cost milliseconds only. Commands raise ``app.errors.AppError`` like
everything else; ``main`` prints it with all its problems. What the database or the disk refuses it puts into words
(``explained``): no command needs to.
"""

import os
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import NoReturn

import typer

from app import __version__
from app.errors import AppError
from app.words import inert

# In the order in which the help shows them.
AREAS = (
    *("serving", "working", "running", "alive", "demo", "importing", "analyse", "agreement"),
    *("benchmarking", "generating", "perturbing", "robustness", "naturalness", "recode", "executing", "export"),
    *("backing_up", "accounts", "doctor"),
)


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
    # Before any library reads it: their bars say nothing of what was asked for, and fill a worker's log.
    os.environ.setdefault("TQDM_DISABLE", "1")
    try:
        make_cli()()
    except AppError as error:
        _stop(error)
    except Exception as error:
        from app.cli.explained import explained  # heavy, as this file must not be

        told = explained(error)
        if told is None:
            raise
        _stop(told)


def _stop(error: AppError) -> NoReturn:
    print(inert(error.in_words()), file=sys.stderr)  # noqa: T201 - a command line prints
    sys.exit(1)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"CodeJury {__version__}")
        raise typer.Exit


def _about(
    version: bool = typer.Option(False, "--version", help="Show the version.", is_eager=True, callback=_show_version),
) -> None:
    """Options of the command line as a whole."""
