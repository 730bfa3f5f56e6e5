"""Mean scores of automatic checks over perturbed prompts, in the form of ReCode's Tables 7, 9 and 10."""

from collections.abc import Callable, Sequence

from app.charts.exhibit import Exhibit
from app.charts.measured import Document, measured
from app.charts.robustness_check_readings import check_label
from app.charts.robustness_models import category_in_sentence, category_label, transformation_label
from app.charts.tables import Cell, Column, Table, number
from app.charts.words import join, sentence
from app.words import gettext


def mean_scores(
    name: str,
    scores: Sequence[tuple[str, Sequence[Document]]],
    *,
    by_category: bool = False,
    title: str | None = None,
) -> Exhibit:
    """A row for each stratum, a column for each benchmark and check.

    name: ends the exhibit's address, one for each table: "docstring", "code", … scores: of each benchmark its name
    and its MeanScore documents (asdict), of one or more checks; their strata are categories or else transformations.
    title: where several tables stand on one page, each its own.
    """
    label = category_label if by_category else transformation_label
    pairs = [
        (benchmark, check) for benchmark, found in scores for check in dict.fromkeys(each["check"] for each in found)
    ]
    known = {(benchmark, each["check"], each["stratum"]): each for benchmark, found in scores for each in found}
    strata = list(dict.fromkeys(each["stratum"] for _, found in scores for each in found))
    columns = (
        Column("stratum", gettext("Category") if by_category else gettext("Transformation"), is_text=True),
        *(Column(f"{benchmark}_{check}", check_label(check), benchmark, 3) for benchmark, check in pairs),
    )
    rows = tuple(
        (Cell(label(stratum)), *(Cell(measured(_mean(known.get((*pair, stratum))))) for pair in pairs))
        for stratum in strata
    )
    title = title or gettext("How alike perturbed prompts are to nominal ones")
    caption = gettext(
        "Mean score of the pairs of a nominal and a perturbed prompt, 1 meaning the same; +up −down: 95 %% interval "
        "over problems."
    )
    table = Table(f"robustness-scores-{name}", title, caption, columns, rows)
    in_sentence = category_in_sentence if by_category else transformation_label
    return Exhibit(f"robustness-scores-{name}", title, _reading(scores, in_sentence), table)


def _mean(found: Document | None) -> Document | None:
    return None if found is None else found["mean"]


def _reading(scores: Sequence[tuple[str, Sequence[Document]]], label: Callable[[str], str]) -> str:
    """Of each check and benchmark what it finds least alike, where there is a choice."""
    parts, known = [], False
    for benchmark, found in scores:
        for check in dict.fromkeys(each["check"] for each in found):
            means = [each for each in found if each["check"] == check]
            known = True
            if len(means) < 2:
                continue
            least = min(means, key=lambda each: each["mean"]["value"])
            parts.append(
                _lowest(check, label(least["stratum"]), least, benchmark if len(scores) > 1 else None),
            )
    if not known:
        return gettext("No perturbed prompt has a score yet.")
    return sentence(join(parts)) if parts else ""


def _lowest(check: str, stratum: str, least: Document, benchmark: str | None) -> str:
    values = {"check": check_label(check), "stratum": stratum, "mean": number(least["mean"]["value"], 3)}
    if benchmark is None:
        return gettext("%(check)s is lowest under %(stratum)s, %(mean)s", **values)
    return gettext("%(check)s is lowest under %(stratum)s on %(benchmark)s, %(mean)s", benchmark=benchmark, **values)
