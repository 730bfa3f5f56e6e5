"""The form of a perturbed set, and the one in which a transformation is tried: what was sent, and what it means."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import Depends, Request
from pydantic import Field
from starlette.datastructures import FormData, QueryParams

from app.errors import InvalidInput
from app.perturbations import Category, Mode
from app.services.perturbing import Recipe, Wanted, more_of
from app.services.perturbing.requests import MOST_SEEDS
from app.services.perturbing.trying import Attempt
from app.storage.models import Benchmark
from app.web.forms import FormModel, Verbatim
from app.words import gettext

SEVERAL = ("transformation", "category")
HIGHEST_SEED = 10_000
ModeName = Literal["paper", "released"]
Name = Annotated[str, Field(max_length=100)]


class SetForm(FormModel):
    """A set, or more of one, as the page asks for it."""

    mode: ModeName = "paper"
    seeds: Annotated[int, Field(ge=1, le=MOST_SEEDS)] = 5
    name: Annotated[str, Field(max_length=200)] = ""
    transformation: Annotated[tuple[Name, ...], Field(max_length=100)] = ()
    category: Annotated[tuple[Category, ...], Field(max_length=len(Category))] = ()

    def wanted(self, recipe: Recipe | None) -> Wanted:
        """As sets are asked for; of a new one somebody has to choose."""
        wanted = Wanted(self.seeds, self.transformation, self.category)
        if recipe is not None:
            return more_of(recipe, wanted)
        if not self.transformation and not self.category:
            raise InvalidInput(gettext("Choose at least one transformation."))
        return wanted


class TryForm(FormModel):
    """A pasted text, and what is to be done with it."""

    prompt: Verbatim  # the length of both is looked at when they are tried
    solution: Verbatim = ""
    entry_point: Annotated[str, Field(max_length=200)] = ""
    transformation: Name
    seed: Annotated[int, Field(ge=0, le=HIGHEST_SEED)] = 0
    mode: ModeName = "paper"

    def attempt(self) -> Attempt:
        """As it is tried."""
        return Attempt(self.prompt, self.solution, self.entry_point, self.transformation, self.seed, Mode(self.mode))


def values_of(fields: FormData | QueryParams) -> dict[str, Any]:
    """What was sent: lists where several boxes have one name."""
    single: dict[str, Any] = {
        name: value for name, value in fields.items() if isinstance(value, str) and name not in SEVERAL
    }
    return single | {name: _texts(fields.getlist(name)) for name in SEVERAL if name in fields}


def _texts(values: Sequence[Any]) -> list[str]:
    return [each for each in values if isinstance(each, str)]


async def _sent(request: Request) -> dict[str, Any]:
    return values_of(await request.form(max_files=0, max_fields=200))


SentSet = Annotated[dict[str, Any], Depends(_sent)]


def shown_values(benchmark: Benchmark, sent: dict[str, Any]) -> dict[str, Any]:
    """What the form shows where this was sent; at first all of a new set, and of one that there is nothing more."""
    if benchmark.recipe is None:
        usual: dict[str, Any] = {"mode": "paper", "seeds": 5, "name": ""}
        return usual | (sent or {"category": [str(each) for each in Category]})
    recipe = Recipe.of(benchmark)
    return {"seeds": recipe.seeds} | sent | {"mode": recipe.mode}
