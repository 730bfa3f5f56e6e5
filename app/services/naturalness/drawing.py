"""What a survey asks about, drawn from a set's rows by a seed: the same on any machine and database."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import InvalidInput
from app.ids import content_hash
from app.perturbations import Form
from app.services.benchmarks.which import tasks_by_row
from app.services.naturalness.runs import changed_rows
from app.services.naturalness.spec import SurveySpec
from app.services.sampling.drawing import Candidate, draw
from app.services.sampling.spec import NOMINAL
from app.storage.models import Benchmark, BenchmarkProblem
from app.words import gettext

READ_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the set without its texts. ``transformation`` and ``category`` are empty for a nominal one."""

    id: int
    task: str
    form: str
    transformation: str = ""
    category: str = ""
    seed: int = 0
    origin_id: int | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """What it is, whatever its number is here."""
        return self.task, self.transformation or NOMINAL, str(self.seed)


@dataclass(frozen=True, slots=True)
class Stratum:
    """One transformation: how many of its changed prompts are there, are asked about alone, and in pairs."""

    category: str
    transformation: str
    available: int
    perturbed: int
    pairs: int


@dataclass(frozen=True, slots=True)
class DrawnSurvey:
    """The rows that are asked about. ``strata``: in the set's order; ``tasks``: how many problems the set has;
    ``shared``: how many perturbed prompts are of a problem whose own prompt is asked about, too."""

    unperturbed: Sequence[Row]
    perturbed: Sequence[Row]
    pairs: Sequence[Row]
    strata: Sequence[Stratum]
    tasks: int
    shared: int

    @property
    def digest(self) -> str:
        """Names what was drawn by content."""
        parts = (self.unperturbed, self.perturbed, self.pairs)
        return content_hash(*("\x1f".join([str(part), *row.key]) for part, rows in enumerate(parts) for row in rows))


def draw_survey(session: Session, made: Benchmark, spec: SurveySpec) -> DrawnSurvey:
    """The survey's rows; nothing is stored. Unperturbed prompts are of other problems than perturbed ones, as far as
    there are enough; of one text that several rows share only one is drawn."""
    nominal, changed = _rows(session, made)
    chosen = _wanted(changed, spec.transformations)
    tasks = _tasks(nominal, spec)
    perturbed = _different(session, chosen, spec.perturbed, spec.seed, tasks)
    pairs = _different(session, chosen, spec.pairs, spec.seed, tasks)
    unperturbed = _in_both_forms(nominal, tasks, perturbed)
    strata = _strata(chosen, perturbed, pairs)
    total = len({row.task for row in nominal})
    shared = sum(row.task in tasks for row in perturbed)
    return DrawnSurvey(unperturbed, perturbed, pairs, strata, total, shared)


def transformations_in(session: Session, made: Benchmark) -> dict[str, int]:
    """How many changed prompts each transformation has, in the set's order."""
    wanted = select(BenchmarkProblem.transformation).where(*changed_rows(made)).order_by(BenchmarkProblem.position)
    return dict(Counter(name for name in session.scalars(wanted) if name))


def _rows(session: Session, made: Benchmark) -> tuple[list[Row], list[Row]]:
    """Nominal rows, without halves that are the whole; and really changed ones."""
    tasks = tasks_by_row(session, made.id)
    rows = session.execute(
        select(
            BenchmarkProblem.id,
            BenchmarkProblem.form,
            BenchmarkProblem.transformation,
            BenchmarkProblem.category,
            BenchmarkProblem.perturbation_seed,
            BenchmarkProblem.origin_id,
        )
        .where(BenchmarkProblem.benchmark_id == made.id, BenchmarkProblem.unchanged.is_(None))
        .order_by(BenchmarkProblem.position)
    )
    found = [
        Row(number, tasks[number], form, name or "", category or "", seed or 0, origin)
        for number, form, name, category, seed, origin in rows
    ]
    return [row for row in found if not row.transformation], [row for row in found if row.transformation]


def _wanted(changed: Sequence[Row], names: Collection[str]) -> list[Row]:
    if unknown := sorted(set(names) - {row.transformation for row in changed}):
        raise InvalidInput(
            gettext("The set holds no prompt changed by %(names)s.", names=", ".join(map(repr, unknown))),
            remedy=gettext("Choose among those that it has; none chosen means all."),
        )
    return [row for row in changed if not names or row.transformation in names]


def _tasks(nominal: Sequence[Row], spec: SurveySpec) -> list[str]:
    """The problems whose own prompts are asked about, in the seed's order."""
    candidates = (Candidate((row.task, NOMINAL), NOMINAL) for row in nominal if row.form == Form.WHOLE)
    return [each.key[0] for each in draw(candidates, spec.unperturbed, spec.seed)]


def _different(
    session: Session, rows: Sequence[Row], count: int, seed: int, asked_alone: Collection[str]
) -> list[Row]:
    """So many rows evenly from all categories and transformations, no two of them with one problem and one text."""
    left = {row.key: row for row in rows}
    while True:
        candidates = [
            Candidate(row.key, row.transformation, row.category, spare=row.task in asked_alone)
            for row in left.values()
        ]
        drawn = [left[each.key] for each in draw(candidates, count, seed)]
        again = _repeated(session, drawn)
        if not again:
            return drawn
        for row in again:
            del left[row.key]


def _repeated(session: Session, rows: Sequence[Row]) -> list[Row]:
    """Those whose prompt an earlier one of the same problem has."""
    texts = prompts_of(session, [row.id for row in rows])
    seen: set[tuple[int | None, str]] = set()
    found = []
    for row in rows:
        text = (row.origin_id, texts[row.id])
        found += [row] if text in seen else []
        seen.add(text)
    return found


def prompts_of(session: Session, ids: Sequence[int]) -> dict[int, str]:
    """The prompts of rows."""
    known: dict[int, str] = {}
    for start in range(0, len(ids), READ_AT_ONCE):
        some = BenchmarkProblem.id.in_(ids[start : start + READ_AT_ONCE])
        known |= dict(session.execute(select(BenchmarkProblem.id, BenchmarkProblem.prompt).where(some)).all())
    return known


def _in_both_forms(nominal: Sequence[Row], tasks: Sequence[str], perturbed: Sequence[Row]) -> list[Row]:
    """The problems' own prompts, as many with half of a solution as among the perturbed ones: else the form alone
    would tell which prompts are changed."""
    known = {(row.task, row.form): row for row in nominal}
    halves = sum(row.form == Form.HALF for row in perturbed)
    number = round(len(tasks) * halves / len(perturbed)) if perturbed else 0
    with_half = set([task for task in tasks if (task, Form.HALF) in known][:number])
    return [known[task, Form.HALF if task in with_half else Form.WHOLE] for task in tasks]


def _strata(rows: Iterable[Row], perturbed: Sequence[Row], pairs: Sequence[Row]) -> list[Stratum]:
    available = Counter((row.category, row.transformation) for row in rows)
    alone, in_pairs = (Counter(row.transformation for row in each) for each in (perturbed, pairs))
    return [Stratum(*key, number, alone[key[1]], in_pairs[key[1]]) for key, number in available.items()]
