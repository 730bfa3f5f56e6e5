"""``codejury analyse``: compare metrics with people, and write the result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.environment import load_settings, open_database

if TYPE_CHECKING:
    from app.services.analysis import AnalysisParameters

cli = typer.Typer()


@cli.command()
def analyse(
    *,
    study: Annotated[str, typer.Argument(help="Short name of the study, as in its address.")],
    json: Annotated[Path | None, typer.Option(help="Write the analysis to this file; - for stdout.")] = None,
    draws: Annotated[int, typer.Option(help="Paired resamples of the problems.")] = 1000,
    seed: Annotated[int | None, typer.Option(help="The study's own seed where none is given.")] = None,
    bins: Annotated[str, typer.Option(help="Edges of the ranges of differences.")] = "0 2 5 10 100",
    ties: Annotated[str, typer.Option(help="strict (as published) or half.")] = "strict",
    consensus: Annotated[str, typer.Option(help="m_msr, majority, mean, dawid_skene or mace.")] = "m_msr",
    synthetic: Annotated[bool, typer.Option(help="Make synthetic systems.")] = True,
    system: Annotated[list[str] | None, typer.Option(help="A system that counts; all by default.")] = None,
    metric: Annotated[list[str] | None, typer.Option(help="A metric that counts; all by default.")] = None,
) -> None:
    """Analyse a study: consensus, draws, significance and agreement by difference."""
    from app.cli.foreground import do_run
    from app.services.analysis import find_analysis, request_analysis
    from app.services.studies import find_study

    values = {"draws": draws, "seed": seed, "ties": ties, "consensus": consensus, "synthetic": synthetic}
    parameters = read_options({**values, "systems": system or None, "metrics": metric or None}, bins)
    settings = load_settings()
    with open_database(settings) as database:
        with database.write() as session:
            run_id = request_analysis(session, find_study(session, study), parameters).id
        run = do_run(database, settings, run_id)
        typer.echo(run.message, err=True)
        if run.state != "done" or run.result is None:
            raise typer.Exit(1)
        with database.read() as session:
            stored = find_analysis(session, find_study(session, study), run.result["analysis_id"])
    if json is not None:
        write_bytes(json, stored.text.encode())


def read_options(values: dict[str, Any], bins: str) -> AnalysisParameters:
    """The options as parameters; InvalidInput names those that can't be used."""
    from pydantic import ValidationError

    from app.errors import InvalidInput, Problem
    from app.services.analysis import AnalysisParameters
    from app.services.analysis.parameters import parse_edges

    try:
        return AnalysisParameters.model_validate({**values, "bins": parse_edges(bins)})
    except ValidationError as error:
        problems = [Problem(f"--{each['loc'][0]}: {each['msg']}.") for each in error.errors()]
        raise InvalidInput("Some options can't be used:", problems) from error


def write_bytes(target: Path, content: bytes) -> None:
    """To a file, or to stdout for "-"."""
    if str(target) == "-":
        typer.get_binary_stream("stdout").write(content)
        return
    target.write_bytes(content)
    typer.echo(f"Wrote {target}", err=True)
