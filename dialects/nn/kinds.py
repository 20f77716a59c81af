"""Kinds of element types: what an ``nn`` op demands of its operands instead of listing types.

An op asks for a kind (``FLOAT``, ``NUMBER``, …), not for names of types, so a new element type joins every
op by one line in :func:`kind_of`.
"""

from __future__ import annotations

from enum import Flag, auto

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type, IntegerType
from xdsl.ir import Attribute

from lamina.dialects.nn.base import ShapeError


class Kind(Flag):
    """A set of kinds of element types."""

    FLOAT = auto()
    """f64, f32, f16, bf16."""
    INTEGER = auto()
    """Signless, signed and unsigned integers of 2 to 64 bits; signless ones are signed."""
    BOOLEAN = auto()
    """i1."""
    NUMBER = FLOAT | INTEGER
    ANY = FLOAT | INTEGER | BOOLEAN

    def __str__(self) -> str:
        words = {Kind.FLOAT: "floats", Kind.INTEGER: "integers", Kind.BOOLEAN: "i1"}
        return " or ".join(word for kind, word in words.items() if kind in self)


_FLOATS = (BFloat16Type, Float16Type, Float32Type, Float64Type)


def kind_of(element: Attribute) -> Kind | None:
    """The kind of an element type, or None for a type that no ``nn`` op computes with."""
    if isinstance(element, _FLOATS):
        return Kind.FLOAT
    if isinstance(element, IntegerType) and 1 <= element.width.data <= 64:
        return Kind.BOOLEAN if element.width.data == 1 else Kind.INTEGER
    return None


def require_kind(what: str, element: Attribute, kinds: Kind) -> None:
    """Raise :class:`ShapeError` unless an element type is of one of the kinds; ``what`` names the value."""
    kind = kind_of(element)
    if kind is None or kind not in kinds:
        raise ShapeError(f"expects {what} to hold {kinds}, got {element}")
