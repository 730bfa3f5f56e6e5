"""What pages show of a perturbed set's changes: what people say, what automatic checks say, one beside the other."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.charts.exhibit import Exhibit
from app.charts.robustness_checks import checks_against_people
from app.charts.robustness_people import survey_by_benchmark, survey_by_category
from app.charts.robustness_scores import mean_scores
from app.perturbations import Category
from app.services.agreement import StoredMeasurement, find_measurement
from app.services.naturalness.scores import SetScores, of_categories, set_scores
from app.storage.models import Benchmark, Study
from app.words import N_, gettext

# In the form of ReCode's Tables 9 and 10: name, title, which transformations.
TABLES = (
    ("docstring", N_("How alike changed docstrings are"), (Category.DOCSTRING,)),
    ("function-name", N_("How alike changed function names are"), (Category.FUNCTION_NAME,)),
    ("code", N_("How alike changed code is"), (Category.SYNTAX, Category.FORMAT)),
)


def study_exhibits(session: Session, study: Study, stored: StoredMeasurement) -> list[Exhibit]:
    """People, checks beside people, and what checks say of the whole set."""
    document = stored.document
    beside = [checks_against_people(each, question) for question, each in document["checks"].items()]
    made = set_of(session, study)
    checked = [] if made is None else set_exhibits(made, set_scores(session, made))
    return [survey_by_category(document["survey"]), *beside, *checked]


def set_exhibits(made: Benchmark, scores: SetScores) -> list[Exhibit]:
    """Mean scores by category, then by transformation; nothing before the set was checked."""
    if not scores.transformations:
        return []
    title = gettext("How alike perturbed prompts are, by category")
    whole = mean_scores("categories", [(made.name, scores.categories)], by_category=True, title=title)
    parts = [(name, words, of_categories(scores.transformations, which)) for name, words, which in TABLES]
    return [
        whole,
        *(mean_scores(name, [(made.name, found)], title=gettext(words)) for name, words, found in parts if found),
    ]


def surveys_exhibits(surveys: Sequence[tuple[Study, StoredMeasurement | None]]) -> list[Exhibit]:
    """The measured surveys of a set side by side."""
    measured = [(study.title, stored.document["survey"]) for study, stored in surveys if stored is not None]
    return [survey_by_benchmark(measured, gettext("What people say of this set"))] if measured else []


def surveys_of(session: Session, made: Benchmark) -> list[tuple[Study, StoredMeasurement | None]]:
    """The studies that ask about the set, each with what was measured of it."""
    studies = session.scalars(select(Study).where(Study.set_slug == made.slug).order_by(Study.id))
    return [(each, find_measurement(session, each, "naturalness")) for each in studies]


def set_of(session: Session, study: Study) -> Benchmark | None:
    """The set that a study asks about, where it is still here."""
    return session.scalar(select(Benchmark).where(Benchmark.slug == study.set_slug))
