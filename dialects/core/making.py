"""Attributes made without the checks of their constructors, where what made them has checked already."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TypeVar

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    BoolAttr,
    BytesAttr,
    FloatAttr,
    FloatData,
    IntAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    i1,
    i64,
)
from xdsl.ir import Attribute

A = TypeVar("A", bound=Attribute)

TRUE: Any = BoolAttr(True, i1)
FALSE: Any = BoolAttr(False, i1)


def unchecked(kind: type[A], **fields: Any) -> A:
    """An attribute with these parameters (by their names in the class), unverified.

    xDSL's constructors check each parameter against its constraint, which takes several times as long as
    all else; and what a few of them refuse (as integers wider than 64 bits in a dense constant) is valid IR.
    """
    made: Any = object.__new__(kind)
    made.__dict__.update(fields)
    return made


def array_of(items: Iterable[Attribute]) -> ArrayAttr[Any]:
    """An array attribute."""
    return unchecked(ArrayAttr, data=tuple(items))


def integers_of(values: Iterable[int]) -> ArrayAttr[IntegerAttr]:
    """``[1, 2]``: integers of 64 bits."""
    return array_of([integer_of(value, i64) for value in values])


@lru_cache(4096, typed=True)
def int_attr(value: int) -> IntAttr:
    """A number that is a parameter of another attribute."""
    return unchecked(IntAttr, data=value)


def string_attr(text: str) -> StringAttr:
    """A string attribute."""
    return unchecked(StringAttr, data=text)


def bytes_attr(data: bytes) -> BytesAttr:
    """Bytes that are a parameter of another attribute."""
    return unchecked(BytesAttr, data=data)


@lru_cache(1024)
def shape_of(shape: tuple[int, ...]) -> ArrayAttr:
    """The shape of a type, as the array that its class holds."""
    return array_of(map(int_attr, shape))


def integer_of(value: int, kind: Any) -> IntegerAttr:
    """An integer attribute; ``value`` fits into ``kind``, an integer type or index."""
    if kind.__class__ is IntegerType and kind.signedness.data.value != 2:
        width = kind.width.data
        if value >> (width - 1) > 0 if width else value:
            value -= 1 << width
    return unchecked(IntegerAttr, value=int_attr(value), type=kind)


def float_of(value: float, kind: Any) -> FloatAttr:
    """A float attribute, rounded to what its type can hold."""
    return unchecked(FloatAttr, value=unchecked(FloatData, data=kind.round(value)), type=kind)


__all__ = [
    "DYNAMIC_INDEX",
    "FALSE",
    "TRUE",
    "array_of",
    "bytes_attr",
    "float_of",
    "int_attr",
    "integer_of",
    "shape_of",
    "string_attr",
    "unchecked",
]
