"""``codejury doctor``: what is here, what is missing, and how to get it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from app.cli.environment import load_settings

if TYPE_CHECKING:
    from app.cli.checks import Finding

cli = typer.Typer()

MARKS = {"good": "ok", "note": "--", "bad": "!!"}


@cli.command()
def doctor() -> None:
    """Look at this installation: exit code 1 when something that CodeJury needs is missing."""
    from app.cli import checks

    findings = checks.examine(load_settings())
    width = max(len(finding.subject) for finding in findings)
    for finding in findings:
        typer.echo(_line(finding, width))
    missing = sum(finding.grade == "bad" for finding in findings)
    typer.echo("" if missing else "\nAll that is needed is here.")
    if missing:
        typer.echo(f"{missing} {'thing needs' if missing == 1 else 'things need'} your attention (marked !!).")
        sys.exit(1)


def _line(finding: Finding, width: int) -> str:
    text = f"{MARKS[finding.grade]}  {finding.subject:<{width}}  {finding.state}"
    return f"{text}\n{' ' * (width + 6)}{finding.remedy}" if finding.remedy else text
