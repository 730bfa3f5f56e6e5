"""``codejury analyse``: compare metrics with people, and write the result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.environment import check_target, in_words, load_settings, named_study

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
    question: Annotated[
        str | None, typer.Option(help="The question whose answers count; the first by default.")
    ] = None,
) -> None:
    """Analyse a study: consensus, draws, significance and agreement by difference."""
    from app.cli.foreground import do_or_exit, open_for_runs
    from app.services.analysis import find_analysis, request_analysis

    values = {"draws": draws, "seed": seed, "ties": ties, "consensus": consensus, "synthetic": synthetic}
    values |= {"question": question}
    parameters = read_options({**values, "systems": system or None, "metrics": metric or None}, bins)
    if json is not None and str(json) != "-":
        check_target(json, "--json")
    settings = load_settings()
    with open_for_runs(settings) as database:
        with database.write() as session:
            run_id = request_analysis(session, named_study(session, study), parameters).id
        result = do_or_exit(database, settings, run_id, err=True).result or {}
        with database.read() as session:
            stored = find_analysis(session, named_study(session, study), result["analysis_id"])
    if json is not None:
        write_bytes(json, stored.text.encode())


def read_options(values: dict[str, Any], bins: str) -> AnalysisParameters:
    """The options as parameters; wrong usage names the first that can't be used."""
    from pydantic import ValidationError

    from app.errors import InvalidInput
    from app.services.analysis import AnalysisParameters
    from app.services.analysis.parameters import parse_edges

    try:
        return AnalysisParameters.model_validate({**values, "bins": parse_edges(bins)})
    except InvalidInput as error:
        raise typer.BadParameter(error.in_words(), param_hint="--bins") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise typer.BadParameter(in_words(first["msg"]), param_hint=f"--{first['loc'][0]}") from error


def write_bytes(target: Path, content: bytes) -> None:
    """To a file, or to stdout for "-"."""
    if str(target) == "-":
        typer.get_binary_stream("stdout").write(content)
        return
    target.write_bytes(content)
    typer.echo(f"Wrote {target}", err=True)
