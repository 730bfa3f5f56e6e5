"""The list of transformations. A new one is one file with a class under ``@register``; nothing else changes."""

from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from typing import TypeVar

import app.perturbations
from app.perturbations.protocol import Category, PerturbationError, Rule, Transformation

_known: dict[str, Transformation] = {}
Made = TypeVar("Made", bound=type[Rule])


def register(made: Made) -> Made:
    """Class decorator: make the transformation known under its name."""
    transformation = made()
    if transformation.name in _known:
        raise PerturbationError(f"Two transformations are called {transformation.name!r}; rename one.")
    _known[transformation.name] = transformation
    return made


def provide(transformation: Rule) -> None:
    """Let this one stand for the registered one of its name: it was given what that one lacks, such as a model."""
    find(transformation.name)
    _known[transformation.name] = transformation
    available.cache_clear()


@cache
def available() -> tuple[Transformation, ...]:
    """All of them, in the categories' order and by name; ``missing`` says which can't run here."""
    for module in walk_packages(app.perturbations.__path__, "app.perturbations."):
        import_module(module.name)
    order = list(Category)
    return tuple(sorted(_known.values(), key=lambda each: (order.index(each.category), each.name)))


def find(name: str) -> Transformation:
    """The transformation called ``name``; PerturbationError names the known ones."""
    found = {each.name: each for each in available()}
    if name not in found:
        raise PerturbationError(f"There is no transformation {name!r}. Known: {', '.join(found)}.")
    return found[name]
