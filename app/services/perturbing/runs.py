"""The run: a set's rows brought up to its recipe, chunk by chunk; then its canonical solutions are run."""

import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.errors import NotFound
from app.perturbations import Form
from app.services.execution.opening import queue_of
from app.services.execution.requests import request_benchmark_execution
from app.services.perturbing.equipment import equip
from app.services.perturbing.making import KIND
from app.services.perturbing.nominal import append, origins
from app.services.perturbing.recipes import Piece, Recipe
from app.services.perturbing.released_texts import released_texts
from app.services.perturbing.sources import Made, Source, source_of
from app.services.perturbing.variants import Origin, variant_row
from app.services.runs import RunContext, Store, handler
from app.storage.models import Benchmark, BenchmarkProblem
from app.words import gettext, human_number, ngettext

SECONDS_A_CHUNK = 1.0

Known = dict[tuple[str, int], set[int]]  # by transformation and seed the origins of the rows that are there


@handler(KIND)
def run_perturbing(context: RunContext) -> Store:
    """Add the rows that the recipe names and that are missing."""
    with context.database.read() as session:
        made = session.get(Benchmark, context.payload["set"])
        if made is None:
            raise NotFound(gettext("This perturbed set is gone."))
        recipe = Recipe.of(made)
        texts = released_texts(session, made.parent_id or 0, recipe.text_from) if recipe.text_from else None
    equip(context.settings)
    with source_of(context.settings, recipe, texts) as source:
        _Perturbing(context, made, recipe, source).add_all()
    return lambda session: _finish(session, context, made.id)


class _Perturbing:
    """One run on its way through the recipe."""

    def __init__(self, context: RunContext, made: Benchmark, recipe: Recipe, source: Source) -> None:
        self.context, self.made, self.recipe, self.source = context, made, recipe, source
        self.done = self.total = 0

    def add_all(self) -> None:
        """Nominal rows first, then one transformation and seed after the other."""
        self.context.progress(0, 0, message=gettext("Reading the problems"))
        nominal = self._nominal()
        pieces = list(self.recipe.pieces())
        known = self._known()
        self.total = sum(len(nominal[piece.form]) for piece in pieces)
        self.done = sum(len(rows) for rows in known.values())
        for piece in pieces:
            missing = known[piece.transformation, piece.seed]
            left = [each for each in nominal[piece.form] if each.id not in missing]
            if left:
                self._add(piece, nominal[piece.form], {each.id for each in left})

    def _nominal(self) -> dict[Form, list[Origin]]:
        """The nominal rows by form, added where they are not there yet."""
        with self.context.write() as session:
            if not origins(session, self.made, Form.WHOLE):
                self.source.add_wholes(session, self.made)
            if self.recipe.needs_halves and not origins(session, self.made, Form.HALF):
                self.source.add_halves(session, self.made)
            return {form: origins(session, self.made, form) for form in Form}

    def _known(self) -> Known:
        known: Known = defaultdict(set)
        with self.context.database.read() as session:
            rows = session.execute(
                select(
                    BenchmarkProblem.transformation, BenchmarkProblem.perturbation_seed, BenchmarkProblem.origin_id
                ).where(BenchmarkProblem.benchmark_id == self.made.id, BenchmarkProblem.transformation.is_not(None))
            )
            for name, seed, origin in rows:
                known[name or "", seed or 0].add(origin or 0)
        return known

    def _add(self, piece: Piece, nominal: list[Origin], left: set[int]) -> None:
        """Make and store the rows that are left of this piece."""
        self._tell(piece)
        for chunk in self._chunks(piece, nominal, left):
            rows = [variant_row(each, piece, outcome, alias=self.source.aliases) for each, outcome in chunk]
            with self.context.write() as session:
                append(session, self.made, rows)
            self.done += len(chunk)
            self._tell(piece)
            self.context.give_way()

    def _chunks(self, piece: Piece, nominal: list[Origin], left: set[int]) -> Iterator[list[Made]]:
        """What is made in about a second."""
        chunk: list[Made] = []
        since = time.monotonic()
        for some in self.source.outcomes(piece, nominal, left):
            self.context.check()
            chunk += some
            if time.monotonic() - since >= SECONDS_A_CHUNK and chunk:
                yield chunk
                chunk, since = [], time.monotonic()
        if chunk:
            yield chunk

    def _tell(self, piece: Piece) -> None:
        message = gettext("Perturbing: %(name)s", name=piece.label)
        self.context.progress(self.done, self.total, unit=gettext("prompts"), message=message)


def _finish(session: Session, context: RunContext, set_id: int) -> dict[str, Any]:
    """What the set holds now, in words; its canonical solutions tell how far any model can come."""
    made = session.get_one(Benchmark, set_id)
    check = request_benchmark_execution(session, made, user_id=context.user_id, queue=queue_of(context.settings))
    made.run_id = check.id
    changed, unchanged = session.execute(
        select(
            func.count().filter(BenchmarkProblem.unchanged.is_(None)),
            func.count().filter(BenchmarkProblem.unchanged.is_not(None)),
        ).where(BenchmarkProblem.benchmark_id == set_id, BenchmarkProblem.transformation.is_not(None))
    ).one()
    lines = [
        ngettext("%(num)s prompt was changed.", "%(num)s prompts were changed.", changed, num=human_number(changed)),
        ngettext("%(num)s stays as it is.", "%(num)s stay as they are.", unchanged, num=human_number(unchanged)),
    ]
    lines += [f"{each.name}: {each.reason}" for each in Recipe.of(made).left_out]
    return {
        "set": made.slug,
        "changed": changed,
        "unchanged": unchanged,
        "check": check.id,
        "message": "\n".join(lines),
    }
