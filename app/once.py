"""A property that is computed once for each object."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")


class computed_once(Generic[Value]):  # noqa: N801 - a decorator, like property
    """``functools.cached_property`` without its lock.

    Up to Python 3.11 that lock is one for all objects of the class: while one request asks the database for its own
    value, every other thread that needs the same property of an object of its own stands still.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> "computed_once[Value]": ...

    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...

    def __get__(self, instance: object | None, owner: type) -> "computed_once[Value] | Value":
        if instance is None:
            return self
        # Found in the object itself from now on: this class has no __set__, so that it is not even asked again.
        value = instance.__dict__[self._name] = self._compute(instance)
        return value
