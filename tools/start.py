"""A quick start: most of a short run is spent on making the classes of xDSL's core.

``dataclass`` compiles the text of six to eight methods for each class, half of all the time it takes to
import ``xdsl.dialects.builtin``; a run calls one in thirty of them.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_MAKER = "_create_fn"
"""What makes each method in the dataclasses of Python 3.11 and 3.12; later ones compile a class at once."""
_INSPECT = "inspect"
_DEFERRED = frozenset(("__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__"))


class _Deferred:
    """Stands for a method of a class until it is first called, and then puts the method in its own place."""

    def __init__(self, name: str, make: Callable[[], Callable[..., Any]]) -> None:
        self.__name__ = self.__qualname__ = name
        self._make = make

    def _method(self, owner: type) -> Callable[..., Any]:
        method = self._make()
        for kind in owner.__mro__:
            if kind.__dict__.get(self.__name__) is self:
                method.__qualname__ = f"{kind.__qualname__}.{self.__name__}"
                setattr(kind, self.__name__, method)
                break
        else:  # something was put around the method; what it calls is this object
            self._make = lambda: method
        return method

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        owner = type(instance) if owner is None else owner
        return self._method(owner).__get__(instance, owner)

    def __call__(self, instance: object, *arguments: object) -> Any:
        return self._method(type(instance))(instance, *arguments)


class _Inspect:
    """The module ``inspect`` for ``dataclass``, which would document each class by its signature."""

    @staticmethod
    def signature(kind: type) -> str:
        return "(…)"

    def __getattr__(self, name: str) -> Any:
        return getattr(inspect, name)


@contextmanager
def methods_on_demand() -> Iterator[None]:
    """While this lasts, methods of dataclasses are compiled when they are first called."""
    make: Callable[..., Callable[..., Any]] | None = getattr(dataclasses, _MAKER, None)
    if make is None:
        yield
        return

    def made_later(name: str, *arguments: Any, **more: Any) -> Any:
        if name not in _DEFERRED:
            return make(name, *arguments, **more)
        return _Deferred(name, lambda: make(name, *arguments, **more))

    setattr(dataclasses, _MAKER, made_later)
    setattr(dataclasses, _INSPECT, _Inspect())
    try:
        yield
    finally:
        setattr(dataclasses, _MAKER, make)
        setattr(dataclasses, _INSPECT, inspect)
