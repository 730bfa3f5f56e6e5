"""pass@k of models in numbers: the values with their intervals, and how far seeds lie apart."""

from collections.abc import Iterator, Sequence

from app.charts.measured import percent, without_width
from app.charts.pass_at_k_models import Document, Model, Models
from app.charts.reasons import reason_in_words
from app.charts.tables import Cell, Column, Table
from app.charts.words import join
from app.words import gettext, human_number


def value_table(results: Models, shown: Sequence[int]) -> Table:
    ks = [k for k in shown if any(model.at(k) for model in results.models)]
    columns = (
        Column("model", gettext("Model"), is_text=True),
        *(Column(f"pass_at_{k}", f"pass@{human_number(k)}", "%", 1, term="pass-at-k") for k in ks),
        Column("problems", gettext("Problems"), decimals=0),
    )
    rows = tuple(
        (
            Cell(model.name),
            *(Cell(percent(_estimate(model, k))) for k in ks),
            Cell(max((each["problems"] for each in model.values), default=0)),
        )
        for model in results.models
    )
    title = gettext("pass@k on %(benchmark)s", benchmark=results.benchmark)
    return Table("pass-at-k", title, _caption(results, ks), columns, rows)


def _estimate(model: Model, k: int) -> Document | None:
    cell = model.at(k)
    return None if cell is None else cell["estimate"]


def _is_defined(cell: Document | None) -> bool:
    return cell is not None and cell["estimate"]["value"] is not None


def _canonical(results: Models) -> list[str]:
    """Which row is no model's."""
    names = [model.name for model in results.models if model not in results.ranked]
    text = gettext("%(models)s: the canonical solutions, the ceiling; in no ranking.", models=join(names))
    return [text] if names else []


def _caption(results: Models, ks: Sequence[int]) -> str:
    parts = [
        gettext(
            "The share of problems of which one of k samples would pass, by the unbiased estimator, "
            "with +up −down to the ends of the 95 %% interval over problems."
        )
    ]
    cells = [model.at(k) for model in results.models for k in ks]
    parts += without_width(cell["estimate"] for cell in cells if cell is not None)
    parts += _canonical(results)
    beyond = [k for k in ks if not any(_is_defined(model.at(k)) for model in results.models)]
    if beyond:
        names = join([f"pass@{human_number(k)}" for k in beyond])
        parts.append(gettext("No model has enough samples of every problem for %(names)s.", names=names))
    return " ".join([*parts, *(part for k in ks if k not in beyond for part in _undefined(results, k))])


def _undefined(results: Models, k: int) -> Iterator[str]:
    """For whom there is no pass@k, by reason."""
    without = {
        model.name: cell["estimate"]["reason"]
        for model in results.models
        if (cell := model.at(k)) is not None and not _is_defined(cell)
    }
    for reason in dict.fromkeys(without.values()):
        yield gettext(
            "No pass@%(k)s for %(models)s: %(reason)s.",
            k=human_number(k),
            models=join([name for name, why in without.items() if why == reason]),
            reason=reason_in_words(reason),
        )


def seed_table(results: Models, shown: Sequence[int]) -> Table:
    """For each model with several seeds and each k: the mean over seeds, and their spread."""
    columns = (
        Column("model", gettext("Model"), is_text=True),
        Column("k", "k", decimals=0),
        Column("seeds", gettext("Seeds"), decimals=0),
        Column("mean", gettext("Mean over seeds"), "%", 1, term="pass-at-k"),
        Column("sd", gettext("Standard deviation over seeds"), gettext("percentage points"), 1),
        Column("lowest", gettext("Lowest seed"), "%", 1),
        Column("highest", gettext("Highest seed"), "%", 1),
    )
    rows = tuple(
        (Cell(model.name), Cell(each["k"]), Cell(len(each["by_seed"])), *_seed_cells(each))
        for model in results.models
        for each in model.seeds
        if each["k"] in shown
    )
    caption = gettext(
        "+up −down: the 95 %% interval of the mean when problems are drawn again. The standard deviation (n − 1) "
        "tells what another seed does to the same problems."
    )
    return Table("pass-at-k-seeds", gettext("Several seeds"), caption, columns, rows)


def _seed_cells(cell: Document) -> tuple[Cell, ...]:
    spread = cell["spread"]
    shares = [None if spread[key] is None else 100 * spread[key] for key in ("sd", "lowest", "highest")]
    return (Cell(percent(cell["mean"])), *map(Cell, shares))
