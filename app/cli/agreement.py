"""``codejury agreement``: measure the grades themselves, and write the result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.analyse import write_bytes
from app.cli.environment import check_target, in_words, load_settings, named_study

if TYPE_CHECKING:
    from app.services.agreement import AgreementParameters

cli = typer.Typer()


@cli.command()
def agreement(
    *,
    study: Annotated[str, typer.Argument(help="Short name of the study, as in its address.")],
    json: Annotated[Path | None, typer.Option(help="Write the measurements to this file; - for stdout.")] = None,
    draws: Annotated[int, typer.Option(help="Resamples of the items for every interval.")] = 10_000,
    seed: Annotated[int | None, typer.Option(help="The study's own seed where none is given.")] = None,
) -> None:
    """Measure a study's grades: agreement on each question, the survey of prompts, whether it is enough."""
    from app.cli.foreground import do_or_exit, open_for_runs
    from app.services.agreement import all_documents, request_agreement

    parameters = read_options({"draws": draws, "seed": seed})
    if json is not None and str(json) != "-":
        check_target(json, "--json")
    settings = load_settings()
    with open_for_runs(settings) as database:
        with database.write() as session:
            run_id = request_agreement(session, named_study(session, study), parameters).id
        do_or_exit(database, settings, run_id, err=True)
        with database.read() as session:
            text = all_documents(session, named_study(session, study)) or "[]"
    if json is not None:
        write_bytes(json, text.encode())


def read_options(values: dict[str, Any]) -> AgreementParameters:
    """The options as parameters; wrong usage names the first that can't be used."""
    from pydantic import ValidationError

    from app.services.agreement import AgreementParameters

    try:
        return AgreementParameters.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        raise typer.BadParameter(in_words(first["msg"]), param_hint=f"--{first['loc'][0]}") from error
