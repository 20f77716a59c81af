"""Dataclasses whose methods are made when they are first called behave as others do."""

from __future__ import annotations

import dataclasses
import inspect
from dataclasses import dataclass
from typing import Any

import pytest

from lamina.tools.start import methods_on_demand


def made() -> list[Any]:
    @dataclass(frozen=True)
    class Point:
        x: int
        y: tuple[int, ...] = ()

    @dataclass(frozen=True)
    class Named(Point):
        name: str = "origin"

    @dataclass(order=True, unsafe_hash=True, slots=True)
    class Slotted:
        value: float

    return [Point, Named, Slotted]


PLAIN = made()
with methods_on_demand():
    LATER = made()


@pytest.mark.parametrize("plain,later", [*zip(PLAIN, LATER, strict=True)])
def test_methods_do_what_those_of_other_dataclasses_do(plain: Any, later: Any) -> None:
    assert repr(later(3)) == repr(plain(3))
    assert later(3) == later(3) != later(4)
    assert later(3) != plain(3)
    assert hash(later(3)) == hash(plain(3))
    assert {later(1), later(1), later(2)} == {later(2), later(1)}
    assert inspect.isfunction(vars(later)["__eq__"]) and inspect.isfunction(vars(later)["__hash__"])
    assert later.__eq__.__qualname__ == plain.__eq__.__qualname__
    assert inspect.isfunction(vars(later)["__init__"])


def test_what_asks_for_a_signature_first_gets_it() -> None:
    with methods_on_demand():
        kinds = made()
    for plain, later in zip(PLAIN, kinds, strict=True):
        assert [*inspect.signature(later).parameters] == [*inspect.signature(plain).parameters]
        with pytest.raises(TypeError, match="missing 1 required positional argument"):
            later()


def test_afterwards_dataclasses_are_documented_as_before() -> None:
    (point, *_) = made()
    assert point.__doc__ == PLAIN[0].__doc__ and "x: " in str(point.__doc__)


@pytest.mark.parametrize("later", LATER[:2])
def test_frozen_ones_stay_frozen(later: Any) -> None:
    value = later(3)
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.x = 4
    with pytest.raises(dataclasses.FrozenInstanceError):
        del value.x
    assert value.x == 3


def test_a_method_that_is_asked_of_the_class_first_is_the_function() -> None:
    with methods_on_demand():
        (kind, *_) = made()
    assert kind.__eq__(kind(1), kind(1)) and not kind.__eq__(kind(1), kind(2))
    assert inspect.isfunction(kind.__hash__)


def test_dataclasses_made_afterwards_are_made_as_usual() -> None:
    with methods_on_demand():
        pass
    assert all(inspect.isfunction(vars(kind)["__eq__"]) for kind in made())
