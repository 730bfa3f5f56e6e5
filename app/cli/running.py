"""``codejury runner``."""

import os

import typer

from app.cli.environment import load_settings

cli = typer.Typer()


@cli.command()
def runner() -> None:
    """Host the sandbox, without network and secrets. It starts only where a sandbox stands, and says which."""
    from app.execution import open_runner
    from workers.runner import host, refuse_secrets

    refuse_secrets(os.environ)
    settings = load_settings()
    with open_runner(allow_unsafe=settings.allows_no_isolation) as sandbox:
        host(
            settings.runner_path,
            sandbox,
            lambda: typer.echo(
                f"The sandbox's host listens at {settings.runner_path}, tier {sandbox.plan.name}, "
                f"{len(sandbox.slots)} at a time."
            ),
        )
