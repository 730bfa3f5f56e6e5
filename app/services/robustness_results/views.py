"""What somebody wants to see of a set's robustness, and the documents that show it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from sqlalchemy.orm import Session

from app.errors import InvalidInput
from app.perturbations import Category
from app.services.perturbing import find_set
from app.services.robustness_results.breaks import breaks_of
from app.services.robustness_results.document import compared_pair, results_beside, robustness_results
from app.services.robustness_results.exhibits import Shown
from app.storage.models import Benchmark
from app.words import gettext

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which models (without a choice those that were asked all that any was) and categories, at which k; another set
    by its short name; two models to be compared; the category and the generation to be looked at more closely."""

    generations: tuple[int, ...] = ()
    categories: tuple[Category, ...] = ()
    k: int = 1
    second: str = ""
    pair: tuple[str, str] | None = None
    closer: Category | None = None
    of: int | None = None


@dataclass(frozen=True)
class View:
    """What is shown, and what was chosen for it. ``measured``: the categories that any model has."""

    shown: Shown
    wanted: Wanted
    measured: Sequence[str]
    of: int | None

    def fields(self, *without: str) -> list[tuple[str, str]]:
        """The choice as fields of a form or an address, but for these."""
        return [(name, value) for name, value in self._fields() if name not in without]

    @property
    def query(self) -> str:
        """The choice as an address has it."""
        return urlencode(self.fields())

    def _fields(self) -> Iterator[tuple[str, str]]:
        wanted, shown = self.wanted, self.shown
        yield from (("generation", str(each)) for each in wanted.generations)
        yield from (("category", str(each)) for each in wanted.categories)
        yield "k", str(shown.k)
        if wanted.second:
            yield "second", wanted.second
        yield from zip("ab", shown.pair or (), strict=False)
        if shown.closer:
            yield "closer", shown.closer
        if self.of is not None:
            yield "of", str(self.of)


def view_of(session: Session, made: Benchmark, wanted: Wanted) -> View:
    """The documents. InvalidInput for a k that the samples don't allow, NotFound for models that are not there."""
    if wanted.second == made.slug:  # nothing stands beside itself
        wanted = replace(wanted, second="")
    document = robustness_results(session, made, wanted.generations)
    measured = [str(each) for each in Category if any(each in model["categories"] for model in document["models"])]
    if document["models"] and wanted.k not in document["shown"]:
        known = ", ".join(map(str, document["shown"]))
        if wanted.k > document["shown"][-1]:
            raise InvalidInput(gettext("k is at most %(most)s here.", most=document["shown"][-1]))
        raise InvalidInput(gettext("k is one of %(known)s here.", known=known))
    chosen = [each for each in measured if not wanted.categories or each in wanted.categories]
    closer = str(wanted.closer) if wanted.closer in measured else next(iter(chosen), "")
    of, pair = _closer_model(document, wanted, closer), wanted.pair or _leading(document)
    shown = Shown(
        document,
        chosen,
        wanted.k,
        second=_second(session, wanted, document),
        pair=pair,
        compared=compared_pair(session, made, pair) if pair else (),
        closer=closer,
        breaks=breaks_of(session, made, of, Category(closer)) if of is not None else None,
    )
    return View(shown, wanted, measured, of)


def _closer_model(document: Document, wanted: Wanted, category: str) -> int | None:
    """The generation asked for, where it has results in the category; else that of the first model that has.

    Canonical solutions, of which nothing breaks, only where there is no other.
    """
    having = [each for each in document["models"] if category in each["categories"]]
    models_first = sorted(having, key=lambda each: bool(each["is_canonical"]))
    numbers = [each["generations"][0]["generation"] for each in models_first]
    return wanted.of if wanted.of in numbers else next(iter(numbers), None)


def _leading(document: Document) -> tuple[str, str] | None:
    """The two that lose least in the first category, for a start."""
    first = next(iter(document["compared"]), None)
    return (first["a"], first["b"]) if first else None


def _second(session: Session, wanted: Wanted, document: Document) -> Document | None:
    if not wanted.second:
        return None
    names = {each["name"] for each in document["models"]}
    found = results_beside(session, find_set(session, wanted.second), names)
    return found if found["models"] else None
