"""The run: automatic checks of all changed rows of a perturbed set. What has a score by the same check is left."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from sqlalchemy import delete, func, insert, select
from sqlalchemy.orm import Session

from app.errors import AppError, Conflict, NotFound
from app.metrics import MetricError
from app.services.agreement.changes import CHECKS
from app.services.naturalness.checks import Change, Check, checks_for
from app.services.perturbing.variants import origin_of
from app.services.runs import RunContext, Store, enqueue, handler
from app.services.scoring import timed_chunks
from app.storage.models import Benchmark, BenchmarkProblem, ChangeScore, Run
from app.words import gettext, human_number, ngettext

KIND = CHECKS
Result = TypeVar("Result")
# What became of one problem stands together, so that the problem's own text is read once for all of it.
IN_ORDER = (BenchmarkProblem.origin_id, BenchmarkProblem.position)


def request_checks(session: Session, made: Benchmark, *, user_id: int | None = None) -> Run:
    """Ask for the set's changed rows to be checked; a run that waits or goes on serves again."""
    if not checks_for(made.language):
        raise Conflict(gettext("No automatic check reads %(language)s.", language=made.language))
    run = newest_checks(session, made)
    if run is not None and run.state in ("queued", "running"):
        return run
    return enqueue(session, KIND, {"set": made.id}, user_id=user_id)


def newest_checks(session: Session, made: Benchmark) -> Run | None:
    """The newest run that checks the set."""
    of_it = Run.payload["set"].as_integer() == made.id
    return session.scalar(select(Run).where(Run.kind == KIND, of_it).order_by(Run.id.desc()).limit(1))


@handler(KIND)
def run_checks(context: RunContext) -> Store:
    """Score the changed rows that have no current score."""
    with context.database.read() as session:
        made = session.get(Benchmark, context.payload["set"])
        if made is None:
            raise NotFound(gettext("This perturbed set is gone."))
    try:
        _Checking(context, made).check_all()
    except MetricError as error:  # a model that this worker lacks
        raise AppError(str(error)) from error
    return lambda session: _finish(session, made)


class _Checking:
    """One run on its way through the checks. What needs no model is checked where a model is missing, too."""

    def __init__(self, context: RunContext, made: Benchmark) -> None:
        self.context, self.made = context, made
        self.trouble: MetricError | None = None
        with context.database.read() as session:
            nominal = _here(made, BenchmarkProblem.transformation.is_(None))
            self.origins = {row.id: row for row in session.scalars(select(BenchmarkProblem).where(*nominal))}

    def check_all(self) -> None:
        """One check after the other, in chunks that are kept; the first that can't be made is told in the end."""
        checks = checks_for(self.made.language)
        planned = [(check, left) for check in checks if (left := self._attempt(lambda: self._left(check)))]  # noqa: B023 - called at once
        self.done, self.total = 0, sum(len(left) for _, left in planned)
        for check, left in planned:
            self._attempt(lambda: self._add_all(check, left))  # noqa: B023 - called at once
        if self.trouble is not None:
            raise self.trouble

    def _attempt(self, work: Callable[[], Result]) -> Result | None:
        try:
            return work()
        except MetricError as error:
            self.trouble = self.trouble or error
            return None

    def _add_all(self, check: Check, left: Sequence[int]) -> None:
        for chunk in timed_chunks(left):
            self.context.give_way()
            self._tell(check)
            self._add(check, chunk)
            self.done += len(chunk)

    def _tell(self, check: Check) -> None:
        message = gettext("Checking: %(names)s", names=", ".join(check.names))
        self.context.progress(self.done, self.total, unit=gettext("prompts"), message=message)

    def _left(self, check: Check) -> list[int]:
        """Changed rows of the check's categories that lack a current score by any of its names."""
        current = (
            select(func.count())
            .where(ChangeScore.problem_id == BenchmarkProblem.id, ChangeScore.name.in_(check.names))
            .where(ChangeScore.signature == check.signature)
            .scalar_subquery()
        )
        wanted = select(BenchmarkProblem.id).where(*changed_rows(self.made), current < len(check.names))
        of_check = BenchmarkProblem.category.in_([str(each) for each in check.categories])
        with self.context.database.read() as session:
            return list(session.scalars(wanted.where(of_check).order_by(*IN_ORDER)))

    def _add(self, check: Check, ids: Sequence[int]) -> None:
        with self.context.database.read() as session:
            rows = session.scalars(select(BenchmarkProblem).where(BenchmarkProblem.id.in_(ids))).all()
        scores = check.score([self._change(row) for row in rows])
        found = [
            {"problem_id": row.id, "name": name, "signature": check.signature, "score": score}
            for row, of_row in zip(rows, scores, strict=True)
            for name, score in zip(check.names, of_row, strict=True)
        ]
        old = delete(ChangeScore).where(ChangeScore.problem_id.in_(ids), ChangeScore.name.in_(check.names))
        with self.context.write() as session:
            session.execute(old)
            session.execute(insert(ChangeScore), [row | {"run_id": self.context.run_id} for row in found])

    def _change(self, row: BenchmarkProblem) -> Change:
        original = self.origins[row.origin_id or 0]
        return Change(*(origin_of(each, self.made.language).problem for each in (original, row)))


def _here(made: Benchmark, *conditions: Any) -> tuple[Any, ...]:
    return (BenchmarkProblem.benchmark_id == made.id, *conditions)


def changed_rows(made: Benchmark) -> tuple[Any, ...]:
    """Conditions: rows whose prompt is really another one than their origin's."""
    return _here(made, BenchmarkProblem.transformation.is_not(None), BenchmarkProblem.unchanged.is_(None))


def _finish(session: Session, made: Benchmark) -> dict[str, Any]:
    known = select(func.count()).select_from(ChangeScore).join(BenchmarkProblem).where(*_here(made))
    number = session.scalar(known) or 0
    link = {"href": f"/benchmarks/{made.slug}/naturalness", "label": gettext("Naturalness")}
    message = ngettext(
        "%(num)s score of changed prompts is stored.",
        "%(num)s scores of changed prompts are stored.",
        number,
        num=human_number(number),
    )
    return {"set": made.slug, "scores": number, "message": message, "links": [link]}
