"""What each page shows of a stored analysis."""

from collections.abc import Callable

from app.charts import compare, delta_bars, forest, points, progress, ranking
from app.charts.exhibit import Exhibit
from app.charts.progress import Progress
from app.charts.results import Results
from app.charts.tables import Table
from app.errors import InvalidInput, NotFound
from app.services.analysis import StoredAnalysis
from app.words import gettext

PAGES = ("overview", "systems", "significance", "agreement", "points", "compare")


def results_of(analysis: StoredAnalysis) -> Results:
    """The analysis as charts read it."""
    return Results(analysis.document, analysis.pairs)


def page_exhibits(
    page: str, results: Results, *, metric: str | None = None, pair: tuple[str, str] | None = None
) -> list[Exhibit]:
    """The page's exhibits, in order. ``metric`` is the one of the points, ``pair`` the two systems compared."""
    builders: dict[str, Callable[[], list[Exhibit]]] = {
        "overview": lambda: [progress.annotator_agreement(results)],
        "systems": lambda: [
            forest.systems_forest(results),
            ranking.metric_ranking(results),
            ranking.consensus_ranking(results),
        ],
        "significance": lambda: [delta_bars.significance_by_delta(results)],
        "agreement": lambda: [delta_bars.all_pairs_by_delta(results), *_agreement(results)],
        "points": lambda: _points(results, metric),
        "compare": lambda: _comparison(results, chosen_pair(results, pair)),
    }
    return builders[page]()


def progress_exhibits(found: Progress) -> list[Exhibit]:
    """What the overview shows of a study before and after its first analysis; nothing where nothing is graded."""
    if not found.items_by_grades:
        return []
    return [progress.grades_per_item(found), progress.grades_per_annotator(found)]


def _comparison(results: Results, pair: tuple[str, str]) -> list[Exhibit]:
    said = [compare.what_people_said(results, *pair)] if results.metrics else []
    return [compare.two_systems(results, *pair), *said]


def _agreement(results: Results) -> list[Exhibit]:
    return [delta_bars.agreement_by_delta(results)] if results.metrics else []


def _points(results: Results, metric: str | None) -> list[Exhibit]:
    chosen = chosen_metric(results, metric)
    return [points.metric_against_people(results, chosen)] if chosen else []


def chosen_metric(results: Results, metric: str | None) -> str | None:
    """The metric asked for; by default the first; None where the analysis has none."""
    if metric is None:
        return results.metrics[0] if results.metrics else None
    if metric not in results.metrics:
        raise NotFound(gettext("This analysis has no metric %(name)s.", name=repr(metric)))
    return metric


def chosen_pair(results: Results, pair: tuple[str, str] | None) -> tuple[str, str]:
    """The systems asked for; by default the two that people rate highest."""
    if pair is None:
        ordered = sorted(results.originals, key=lambda system: -system["scores"]["human"]["score"])
        return ordered[0]["name"], ordered[1]["name"]
    for name in pair:
        if name not in results.original_names:
            raise NotFound(gettext("This analysis has no system %(name)s.", name=repr(name)))
    if pair[0] == pair[1]:
        raise InvalidInput(
            gettext("A system can’t be compared with itself."), remedy=gettext("Choose two different systems.")
        )
    return pair


def find_table(name: str, results: Results | None, found: Progress, *, pair: tuple[str, str] | None = None) -> Table:
    """A table by its name, for download; NotFound when there is none."""
    for exhibit in progress_exhibits(found):
        for table in exhibit.tables:
            if table.name == name:
                return table
    if results is not None:
        if name == "pairs":
            return points.pair_table(results)
        metric = name.removeprefix("points-") if name.startswith("points-") else None
        for page in ("points",) if metric else PAGES:
            for exhibit in page_exhibits(page, results, metric=metric, pair=pair):
                for table in exhibit.tables:
                    if table.name == name:
                        return table
    raise NotFound(gettext("There is no such table in this study."))
