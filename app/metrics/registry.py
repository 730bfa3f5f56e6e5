"""The list of metrics. A new metric is one file with a class under ``@register``; nothing else changes."""

from collections.abc import Callable
from importlib import import_module
from inspect import signature
from pkgutil import iter_modules
from typing import Any, TypeVar

import app.metrics
from app.metrics.protocol import Metric, MetricError

_factories: dict[str, Callable[..., Metric]] = {}
Factory = TypeVar("Factory", bound=Callable[..., Any])


def register(name: str) -> Callable[[Factory], Factory]:
    """Class decorator: make the metric known under ``name``."""

    def add(factory: Factory) -> Factory:
        if name in _factories:
            raise MetricError(f"Two metrics are called {name!r}; give one of them another name.")
        _factories[name] = factory
        return factory

    return add


def _load_all() -> None:
    for module in iter_modules(app.metrics.__path__):
        import_module(f"app.metrics.{module.name}")


def available() -> tuple[str, ...]:
    """Names of all metrics, in alphabetical order."""
    _load_all()
    return tuple(sorted(_factories))


def create(name: str, **options: object) -> Metric:
    """The metric called ``name``; MetricError names the known ones, or the option it does not take."""
    _load_all()
    if name not in _factories:
        raise MetricError(f"There is no metric {name!r}. Known: {', '.join(sorted(_factories))}.")
    factory = _factories[name]
    try:
        signature(factory).bind(**options)
    except TypeError as error:
        raise MetricError(f"Metric {name!r} cannot be made with these options: {error}.") from error
    return factory(**options)
