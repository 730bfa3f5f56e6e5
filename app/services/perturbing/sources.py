"""Where a set's rows come from: transformations that are run here, or the files of a released folder."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

from sqlalchemy.orm import Session

from app.config import Settings
from app.errors import AppError
from app.language_models import ModelError
from app.perturbations import Form, Mode, Outcome, PerturbationError, Problem, Unchanged, find
from app.perturbations.docstring.back_translation import BackTranslation
from app.services.imports.batches import upload_limit
from app.services.imports.sources import Bundle, open_bundle
from app.services.perturbing.nominal import add_halves, add_wholes, as_whole, copied, halved
from app.services.perturbing.recipes import Piece, Recipe
from app.services.perturbing.released import read_nominal, read_piece
from app.services.perturbing.released_texts import TAKEN
from app.services.perturbing.variants import Origin
from app.storage.files import files_of
from app.storage.models import Benchmark

AT_ONCE = 16  # problems that a rule is given, so that somebody who cancels need not wait for all
NO_FUNCTION = "It names no function that is tested, so there is none to change."

Made = tuple[Origin, Outcome]


class Source(Protocol):
    """What a set is made from."""

    aliases: bool  # whether renamed functions are called by their old names

    def add_wholes(self, session: Session, made: Benchmark) -> None:
        """Store the problems."""
        ...

    def add_halves(self, session: Session, made: Benchmark) -> None:
        """Store their halves."""
        ...

    def outcomes(self, piece: Piece, origins: Sequence[Origin], left: set[int]) -> Iterator[list[Made]]:
        """What becomes of the rows ``left``, some at a time; where a generator ran on, the others decide it, too."""
        ...


class Rules:
    """Transformations, in the paper's way or as the released files were made."""

    aliases = False

    def __init__(self, mode: Mode, texts: Mapping[str, str] | None = None) -> None:
        """texts: what was released, by the problems' names, where the set takes that."""
        self.mode = mode
        self.taken = {TAKEN: BackTranslation(released=texts)} if texts is not None else {}

    def add_wholes(self, session: Session, made: Benchmark) -> None:
        """Those of the benchmark that the set is made from."""
        if made.parent_id is not None:
            add_wholes(session, made, copied(session, made.parent_id))

    def add_halves(self, session: Session, made: Benchmark) -> None:
        """The first half of each solution goes to the prompt."""
        add_halves(session, made, halved(session, made))

    def outcomes(self, piece: Piece, origins: Sequence[Origin], left: set[int]) -> Iterator[list[Made]]:
        """By the rule; in the released mode all at once, since some of its generators ran on."""
        runs_on = self.mode is Mode.RELEASED
        given = origins if runs_on else [each for each in origins if each.id in left]
        size = len(given) if runs_on else AT_ONCE
        for start in range(0, len(given), size):
            chunk = given[start : start + size]
            made = zip(chunk, self._perturbed(piece, [each.problem for each in chunk]), strict=True)
            yield [each for each in made if each[0].id in left]

    def _perturbed(self, piece: Piece, problems: Sequence[Problem]) -> Iterator[Outcome]:
        named = [each for each in problems if each.entry_point]
        try:
            rule = self.taken.get(piece.transformation) or find(piece.transformation)
            outcomes = iter(rule.perturb_all(named, piece.seed, self.mode))
        except (PerturbationError, ModelError) as error:
            raise AppError(str(error)) from error
        return (next(outcomes) if each.entry_point else Unchanged(NO_FUNCTION) for each in problems)


class Released:
    """The files of a released folder, which were checked before."""

    aliases = True

    def __init__(self, bundle: Bundle, recipe: Recipe) -> None:
        self.bundle, self.nominal = bundle, recipe.nominal

    def add_wholes(self, session: Session, made: Benchmark) -> None:
        """From the file with whole problems."""
        add_wholes(session, made, map(as_whole, read_nominal(self.bundle, self.nominal[Form.WHOLE], Form.WHOLE)))

    def add_halves(self, session: Session, made: Benchmark) -> None:
        """From the file with halves."""
        add_halves(session, made, read_nominal(self.bundle, self.nominal[Form.HALF], Form.HALF))

    def outcomes(self, piece: Piece, origins: Sequence[Origin], left: set[int]) -> Iterator[list[Made]]:
        """As the file has them."""
        outcomes = read_piece(self.bundle, piece, [each.problem for each in origins])
        yield [each for each in zip(origins, outcomes, strict=True) if each[0].id in left]


@contextmanager
def source_of(settings: Settings, recipe: Recipe, texts: Mapping[str, str] | None = None) -> Iterator[Source]:
    """What the set with that recipe is made from. texts: what was released, where the recipe takes that."""
    if not recipe.is_imported:
        yield Rules(Mode(recipe.mode), texts)
        return
    path = files_of(settings).path(recipe.upload)
    with open_bundle(path, recipe.source, limit=upload_limit(settings)) as bundle:
        yield Released(bundle, recipe)
