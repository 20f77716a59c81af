"""Fastmath and overflow flags of arith and math, as llvm's."""

from __future__ import annotations

from functools import cache

from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.dialects.llvm import FastMathAttr, OverflowAttr, OverflowFlag
from xdsl.dialects.utils import BitEnumAttribute, FastMathFlag
from xdsl.ir import Attribute, Operation

Properties = dict[str, Attribute]
_OVERFLOW_BITS = {"nsw": 1, "nuw": 2}


def _flags(op: Operation, name: str) -> tuple[str, ...]:
    """The names of the flags that a property holds, in a fixed order."""
    attribute = op.properties.get(name)
    if not isinstance(attribute, BitEnumAttribute) or not attribute.data:
        return ()
    return tuple(sorted(flag.value for flag in attribute.data))


@cache
def _fastmath(names: tuple[str, ...]) -> Properties:
    return {"fastmathFlags": FastMathAttr([FastMathFlag(name) for name in names] or None)}


def fastmath(op: Operation) -> Properties:
    """The ``fastmathFlags`` property for the ``fastmath`` property of an operation."""
    return _fastmath(_flags(op, "fastmath"))


@cache
def _overflow(names: tuple[str, ...]) -> Properties:
    return {"overflowFlags": IntegerAttr(sum(_OVERFLOW_BITS[name] for name in names), i32)}


def overflow(op: Operation) -> Properties:
    """The ``overflowFlags`` property as a bit mask, as the binary operations have it."""
    return _overflow(_flags(op, "overflowFlags"))


@cache
def _truncation_overflow(names: tuple[str, ...]) -> Properties:
    return {"overflowFlags": OverflowAttr([OverflowFlag(name) for name in names])} if names else {}


def truncation_overflow(op: Operation) -> Properties:
    """The ``overflowFlags`` property of ``llvm.trunc``."""
    return _truncation_overflow(_flags(op, "overflowFlags"))
