"""Fastmath and overflow flags of arith and math, as llvm's."""

from __future__ import annotations

from functools import cache

from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.dialects.llvm import FastMathAttr, OverflowAttr
from xdsl.dialects.utils import FastMathAttrBase
from xdsl.ir import Attribute, Operation

_OVERFLOW_BITS = {"nsw": 1, "nuw": 2}


@cache
def _fastmath(flags: FastMathAttrBase) -> dict[str, Attribute]:
    return {"fastmathFlags": FastMathAttr(tuple(flags.data))}


_NO_FASTMATH: dict[str, Attribute] = {"fastmathFlags": FastMathAttr(None)}


def fastmath(op: Operation) -> dict[str, Attribute]:
    """The ``fastmathFlags`` property for the ``fastmath`` property of an operation."""
    flags = op.properties.get("fastmath")
    return _fastmath(flags) if isinstance(flags, FastMathAttrBase) and flags.data else _NO_FASTMATH


def has_flag(op: Operation, *names: str) -> bool:
    """Whether an operation carries one of the fastmath flags."""
    flags = op.properties.get("fastmath")
    return isinstance(flags, FastMathAttrBase) and any(flag.value in names for flag in flags.data)


def _overflow_names(op: Operation) -> list[str]:
    flags = op.properties.get("overflowFlags")
    return [flag.value for flag in getattr(flags, "data", ())]


def overflow(op: Operation) -> dict[str, Attribute]:
    """The ``overflowFlags`` property as a bit mask, as the binary operations have it."""
    bits = sum(_OVERFLOW_BITS[name] for name in _overflow_names(op))
    return {"overflowFlags": IntegerAttr(bits, i32)}


def truncation_overflow(op: Operation) -> dict[str, Attribute]:
    """The ``overflowFlags`` property of ``llvm.trunc``."""
    names = _overflow_names(op)
    flags = [flag for flag in _llvm_flags() if flag.value in names]
    return {"overflowFlags": OverflowAttr(flags)} if flags else {}


@cache
def _llvm_flags() -> tuple:
    from xdsl.dialects.llvm import OverflowFlag

    return tuple(OverflowFlag)
