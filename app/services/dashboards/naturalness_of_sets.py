"""What pages show of a perturbed set's changes, alone or beside another set's: its surveys, and automatic checks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.charts.exhibit import Exhibit
from app.charts.robustness_answers import QUESTIONS
from app.charts.robustness_check_readings import check_label
from app.charts.robustness_checks import checks_against_people
from app.charts.robustness_people import of_questions, survey_by_category
from app.charts.robustness_scores import mean_scores
from app.charts.robustness_surveys import surveys_side_by_side
from app.perturbations import Category
from app.services.agreement import StoredMeasurement, find_measurement
from app.services.benchmarks.which import RECODE
from app.services.naturalness.asked_sets import studies_of
from app.services.naturalness.scores import Checked, SetScores, how_far, of_categories, set_scores
from app.services.perturbing import find_set
from app.storage.models import Benchmark, Study
from app.words import N_, gettext, human_number

Document = Mapping[str, Any]
# In the form of ReCode's Tables 9 and 10: name, title, which transformations.
TABLES = (
    ("docstring", N_("How alike changed docstrings are"), (Category.DOCSTRING,)),
    ("function-name", N_("How alike changed function names are"), (Category.FUNCTION_NAME,)),
    ("code", N_("How alike changed code is"), (Category.SYNTAX, Category.FORMAT)),
)


@dataclass(frozen=True, eq=False)
class OfSet:
    """A set, the studies that ask about it with what was measured of each, what automatic checks say, and how much of
    it they have seen."""

    made: Benchmark
    surveys: Sequence[tuple[Study, StoredMeasurement | None]]
    scores: SetScores
    checked: Checked

    @property
    def measured(self) -> list[tuple[Study, Document]]:
        """RobustnessSurvey documents of the surveys that have one."""
        return [(study, _asked_survey(stored)) for study, stored in self.surveys if stored is not None]


def of_set(session: Session, made: Benchmark) -> OfSet:
    """What is known of it."""
    surveys = [(each, find_measurement(session, each, "naturalness")) for each in studies_of(session, made)]
    return OfSet(made, surveys, set_scores(session, made), how_far(session, made))


def beside_it(session: Session, made: Benchmark, slug: str) -> OfSet | None:
    """The other set of that short name; NotFound where there is none, None where no other one is named."""
    return None if slug in ("", made.slug) else of_set(session, find_set(session, slug))


def other_sets(session: Session, made: Benchmark) -> Sequence[Benchmark]:
    """All other perturbed sets, by name."""
    wanted = select(Benchmark).where(Benchmark.layout == RECODE, Benchmark.id != made.id)
    return session.scalars(wanted.order_by(Benchmark.name, Benchmark.id)).all()


def people_exhibits(stored: StoredMeasurement) -> list[Exhibit]:
    """What hangs on one study's own grades: its survey, and checks beside it."""
    beside = [checks_against_people(each, question) for question, each in stored.document["checks"].items()]
    return [survey_by_category(_asked_survey(stored)), *beside]


def _asked_survey(stored: StoredMeasurement) -> Document:
    """Of the questions that were asked: those whose answers could be held against checks."""
    return of_questions(stored.document["survey"], tuple(stored.document["checks"]) or tuple(QUESTIONS))


def sets_exhibits(first: OfSet, second: OfSet | None = None) -> list[Exhibit]:
    """All of it: each measured study of the first set with its name before its tables, then the sets."""
    studies = [
        _of_study(study, each) for study, stored in first.surveys if stored for each in people_exhibits(stored)
    ]
    return [*studies, *surveys_exhibits(first, second), *checks_exhibits(first, second)]


def _of_study(study: Study, exhibit: Exhibit) -> Exhibit:
    first, *rest = (replace(each, name=f"{study.slug}-{each.name}") for each in exhibit.tables)
    return replace(exhibit, title=f"{study.title}: {exhibit.title}", table=first, extra=tuple(rest))


def surveys_exhibits(first: OfSet, second: OfSet | None = None) -> list[Exhibit]:
    """The set's measured surveys side by side, then both sets."""
    title = gettext("What people say of this set")
    titles = Counter(study.title for study, _ in first.measured)
    surveys = [
        (study.title if titles[study.title] == 1 else f"{study.title} ({study.slug})", document)
        for study, document in first.measured
    ]
    own = [surveys_side_by_side(surveys, name="robustness-surveys", title=title)] if surveys else []
    return [*own, *_both(first, second)]


def _both(first: OfSet, second: OfSet | None) -> list[Exhibit]:
    if second is None or not first.measured or not second.measured:
        return []
    title = gettext("What people say, benchmarks side by side")
    surveys = [(each.made.name, _newest(each)) for each in (first, second)]
    note = " ".join(_asked_in(each) for each in (first, second))
    return [surveys_side_by_side(surveys, name="robustness-survey-benchmarks", title=title, note=note)]


def _newest(known: OfSet) -> Document:
    """The set's newest answers to each question, which may come from two studies."""
    natural, similar = (_survey(known, question)[1] for question in ("naturalness", "similarity"))
    return {part: _joined(natural[part], similar[part]) for part in ("categories", "transformations")}


def _joined(natural: Document, similar: Document) -> Document:
    rows = [row for row in natural["table"]["rows"] if row["question"] == "naturalness"]
    rows += [row for row in similar["table"]["rows"] if row["question"] == "similarity"]
    return {"table": {**natural["table"], "rows": rows}}


def _survey(known: OfSet, question: str) -> tuple[Study, Document]:
    """The newest survey in which somebody has answered it, else the newest."""
    answered = [
        each
        for each in known.measured
        if any(row["items"] for row in each[1]["categories"]["table"]["rows"] if row["question"] == question)
    ]
    return (answered or known.measured)[-1]


def _asked_in(known: OfSet) -> str:
    """Which studies the numbers are from."""
    studies = [_survey(known, question)[0].title for question in ("naturalness", "similarity")]
    names = ", ".join(dict.fromkeys(studies))
    return gettext("%(benchmark)s was asked about in %(studies)s.", benchmark=known.made.name, studies=names)


def checks_exhibits(first: OfSet, second: OfSet | None = None) -> list[Exhibit]:
    """Mean scores by category, then by transformation; nothing before the set was checked."""
    sets = [each for each in (first, second) if each is not None and each.scores.transformations]
    if first not in sets:
        return []
    title = gettext("How alike perturbed prompts are, by category")
    whole = [(each.made.name, each.scores.categories) for each in sets]
    parts = [(name, words, _parts(sets, which)) for name, words, which in TABLES]
    return [
        mean_scores("categories", whole, by_category=True, title=title),
        *(mean_scores(name, found, title=gettext(words)) for name, words, found in parts if found),
    ]


def _parts(sets: Sequence[OfSet], which: tuple[Category, ...]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Of the sets that have such transformations."""
    known = [(each.made.name, of_categories(each.scores.transformations, which)) for each in sets]
    return [(name, found) for name, found in known if found]


def unlike_checks(first: OfSet, second: OfSet | None) -> list[str]:
    """Checks that were another version of themselves for the other set, so that their scores can't be compared."""
    if second is None:
        return []
    mine, others = first.scores.signatures, second.scores.signatures
    return [check_label(name) for name, signature in mine.items() if others.get(name, signature) != signature]


def lacking(second: OfSet | None) -> list[str]:
    """What the other set has nothing of."""
    if second is None:
        return []
    messages = []
    if not second.measured:
        messages.append(gettext("No survey of the other set has been measured yet."))
    if not second.scores.transformations:
        messages.append(gettext("The changes of the other set have not been checked yet."))
    return [*messages, *partly_checked(second)]


def partly_checked(known: OfSet) -> list[str]:
    """That means are of a part of the set only."""
    done, changed = known.checked.scored + known.checked.without, known.checked.changed
    if not 0 < done < changed:
        return []
    numbers = {"done": human_number(done), "changed": human_number(changed)}
    name = known.made.name
    return [gettext("%(benchmark)s: %(done)s of %(changed)s changed prompts are checked.", benchmark=name, **numbers)]
