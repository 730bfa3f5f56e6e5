"""Changed texts as a table: problem, original, changed, transformation, and optionally category and seed.

The original is the problem's own prompt: of a new problem it becomes the intent, of a stored one it must equal it.
"""

from collections.abc import Iterable

from app.services.imports.cells import Cells
from app.services.imports.code_language import read_language
from app.services.imports.material import Batch, ProblemRow, VariantRow
from app.words import gettext, human_number

LONGEST_NAME = 80
LONGEST_CATEGORY = 40
HIGHEST_SEED = 2**53  # up to here a number read as text or as a float is the same


def read_variants(rows: Iterable[Cells], batch: Batch) -> None:
    """Add the rows of a table of changed texts to the batch."""
    for cells in rows:
        batch.rows += 1
        problem = ProblemRow(cells.name("problem"), cells.row.number, intent=cells.optional_text("intent"))
        variant = VariantRow(
            problem.key,
            cells.name("transformation"),
            _seed(cells),
            cells.text("changed"),
            cells.row.number,
            cells.optional_name("category") or "",
        )
        _check_length(cells, variant)
        read_language(cells, batch)
        if not cells.bad and _agrees(cells, problem, batch) and _is_new(cells, variant, batch):
            batch.problems.setdefault(problem.key, problem)
            batch.variants[variant.key] = variant


def _seed(cells: Cells) -> int:
    if "seed" not in cells.columns or cells.row.values.get(cells.column("seed")) in (None, ""):
        return 0
    seed = cells.number("seed")
    if not seed.is_integer() or not 0 <= seed <= HIGHEST_SEED:
        most = human_number(HIGHEST_SEED)
        cells.fail(gettext("A seed is a whole number from 0 to %(most)s.", most=most), cells.column("seed"))
        return 0
    return int(seed)


def _check_length(cells: Cells, variant: VariantRow) -> None:
    limits = {"transformation": LONGEST_NAME, "category": LONGEST_CATEGORY}
    for field, most in limits.items():
        name: str = getattr(variant, field)
        if len(name) > most:
            cells.fail(gettext("A name has at most %(most)s characters here.", most=most), cells.column(field))


def _agrees(cells: Cells, problem: ProblemRow, batch: Batch) -> bool:
    earlier = batch.problems.get(problem.key)
    if earlier is not None and problem.intent is not None and earlier.intent is None:
        earlier.intent = problem.intent
    if earlier is not None and problem.intent is not None and problem.intent != earlier.intent:
        cells.fail(
            gettext(
                "It differs from what row %(row)s says of problem %(key)s.", row=earlier.row, key=repr(problem.key)
            ),
            cells.column("intent"),
            gettext("All changed texts of a problem are made from one original."),
        )
    return not cells.bad


def _is_new(cells: Cells, variant: VariantRow, batch: Batch) -> bool:
    earlier = batch.variants.get(variant.key)
    if earlier is not None:
        cells.fail(
            gettext(
                "Row %(row)s has a text of %(transformation)s with seed %(seed)s for problem %(problem)s already.",
                row=earlier.row,
                transformation=repr(variant.transformation),
                seed=variant.seed,
                problem=repr(variant.problem),
            ),
            cells.column("changed"),
            gettext("Give each its own seed, or keep one of the two."),
        )
    return earlier is None
