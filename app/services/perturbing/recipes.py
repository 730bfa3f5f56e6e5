"""What a perturbed set is to hold, as its row keeps it."""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from app.errors import InvalidInput
from app.perturbations import Category, Form, find
from app.storage.models import Benchmark
from app.words import gettext

IMPORTED = "imported"  # the mode of released folders; the others are the modes of transformations


class LeftOut(BaseModel):
    """A transformation that was wished for with all others and can't be made; the reason is for people."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    reason: str


class ReleasedFile(BaseModel):
    """One file of a released folder: what one transformation made of all problems with one seed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str
    transformation: str
    category: Category
    form: Form
    seed: int


class Recipe(BaseModel):
    """What a set is to hold: ``seeds`` of each random transformation, one of the others; or the files of a folder."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mode: str
    transformations: tuple[str, ...] = ()
    seeds: int = 1
    left_out: tuple[LeftOut, ...] = ()
    text_from: str = ""  # the imported set whose released text is taken for what can't be made here
    source: str = ""  # the upload's name
    upload: str = ""  # and its hash
    nominal: dict[Form, str] = {}  # its files with the nominal problems
    files: tuple[ReleasedFile, ...] = ()

    @classmethod
    def of(cls, made: Benchmark) -> "Recipe":
        """The recipe of a set; InvalidInput where the benchmark is none."""
        if made.recipe is None:
            raise InvalidInput(gettext("The benchmark %(name)s is no perturbed set.", name=repr(made.slug)))
        return cls.model_validate(made.recipe)

    @property
    def is_imported(self) -> bool:
        """Whether its rows come from files."""
        return self.mode == IMPORTED

    def pieces(self) -> Iterator["Piece"]:
        """All that it names, one transformation and seed at a time."""
        for file in self.files:
            yield Piece(file.transformation, file.category, file.form, file.seed, file.file)
        for rule in map(find, self.transformations):
            for seed in range(self.seeds if rule.is_random else 1):
                yield Piece(rule.name, rule.category, rule.form, seed)

    @property
    def needs_halves(self) -> bool:
        """Whether any of it shows half of a solution."""
        return any(each.form is Form.HALF for each in self.pieces())


@dataclass(frozen=True, slots=True)
class Piece:
    """What one transformation makes of every problem with one seed; ``file``: where that is read."""

    transformation: str
    category: Category
    form: Form
    seed: int
    file: str | None = None

    @property
    def label(self) -> str:
        """For keys and messages."""
        return f"{self.transformation} · {self.seed}"
