"""Checks that shape rules share; each raises :class:`ShapeError` with what is wrong and what was expected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    IndexType,
    IntegerType,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, SSAValue

from lamina.dialects.nn.base import DYNAMIC, NnOp, ShapeError, python_value


def type_of(value: SSAValue, what: str) -> TensorType[Any]:
    """The ranked tensor type of a value; ``what`` names it in the error."""
    if not isinstance(value.type, TensorType):
        raise ShapeError(f"{what} has type {value.type}, expected a ranked tensor")
    return value.type


def shape_of(value: SSAValue, what: str = "the operand") -> tuple[int, ...]:
    """The shape of a tensor value, with :data:`DYNAMIC` for unknown extents."""
    return tuple(type_of(value, what).get_shape())


def text(shape: Sequence[int]) -> str:
    """A shape as it is shown in messages: ``[2, ?, 3]``."""
    return "[" + ", ".join("?" if extent == DYNAMIC else str(extent) for extent in shape) + "]"


def integers(op: NnOp, name: str, count: int | None = None, minimum: int | None = None) -> tuple[int, ...]:
    """An ``array<i64: …>`` attribute, of ``count`` entries that are at least ``minimum``."""
    attr = op.properties.get(name)
    if not isinstance(attr, DenseArrayBase) or attr.elt_type != i64:
        raise ShapeError(f"attribute '{name}' is {attr}, expected array<i64: …>")
    values = tuple(int(v) for v in attr.get_values())
    if count is not None and len(values) != count:
        raise ShapeError(f"attribute '{name}' has {len(values)} entries, expected {count}")
    if minimum is not None and any(v < minimum for v in values):
        raise ShapeError(f"attribute '{name}' is {list(values)}, expected entries of at least {minimum}")
    return values


def integer(op: NnOp, name: str, minimum: int | None = None) -> int:
    """An integer attribute that is at least ``minimum``."""
    attr = op.properties.get(name)
    value = python_value(attr) if attr is not None else None
    if not isinstance(value, int) or isinstance(value, bool):
        raise ShapeError(f"attribute '{name}' is {attr}, expected an integer")
    if minimum is not None and value < minimum:
        raise ShapeError(f"attribute '{name}' is {value}, expected at least {minimum}")
    return value


def flag(op: NnOp, name: str) -> bool:
    """A ``true``/``false`` attribute."""
    attr = op.properties.get(name)
    value = python_value(attr) if attr is not None else None
    if not isinstance(value, bool):
        raise ShapeError(f"attribute '{name}' is {attr}, expected true or false")
    return value


def choice(op: NnOp, name: str, choices: Sequence[str]) -> str:
    """A string attribute with one of a few values."""
    attr = op.properties.get(name)
    if not isinstance(attr, StringAttr) or attr.data not in choices:
        expected = " or ".join(f'"{c}"' for c in choices)
        raise ShapeError(f"attribute '{name}' is {attr}, expected {expected}")
    return attr.data


def axis_in(axis: int, rank: int, name: str = "axis") -> int:
    """A non-negative axis for one that may count from the back."""
    if not -rank <= axis < rank:
        raise ShapeError(f"attribute '{name}' names axis {axis} of a tensor of rank {rank}")
    return axis % rank


def axes_in(op: NnOp, rank: int, name: str = "axes") -> tuple[int, ...]:
    """The non-negative axes of a list attribute, in its order, each at most once."""
    axes = tuple(axis_in(a, rank, name) for a in integers(op, name))
    if len(set(axes)) != len(axes):
        raise ShapeError(f"attribute '{name}' names an axis twice: {list(integers(op, name))}")
    return axes


def same_extent(a: int, b: int, what: str) -> int:
    """The common extent of two dimensions that must agree; an unknown one is assumed to match."""
    if a == DYNAMIC:
        return b
    if b not in (DYNAMIC, a):
        raise ShapeError(f"{what}: {a} and {b} differ")
    return a


def broadcast(a: Sequence[int], b: Sequence[int], what: str = "shapes") -> tuple[int, ...]:
    """NumPy's broadcast of two shapes. An unknown extent against one other than 1 gives the other."""
    rank = max(len(a), len(b))
    left = (1,) * (rank - len(a)) + tuple(a)
    right = (1,) * (rank - len(b)) + tuple(b)
    result: list[int] = []
    for m, n in zip(left, right, strict=True):
        if m == 1 or m == n:
            result.append(n)
        elif n == 1 or n == DYNAMIC:
            result.append(m)
        elif m == DYNAMIC:
            result.append(n)
        else:
            raise ShapeError(f"{what} {text(a)} and {text(b)} do not broadcast: {m} and {n} differ")
    return tuple(result)


def same_element(op: NnOp, values: Sequence[SSAValue]) -> Attribute:
    """The common element type of values."""
    kinds = [type_of(v, f"operand {i}").get_element_type() for i, v in enumerate(values)]
    for i, kind in enumerate(kinds):
        if kind != kinds[0]:
            raise ShapeError(f"operand {i} has element type {kind}, expected {kinds[0]} as operand 0 has")
    return kinds[0]


def is_boolean(kind: Attribute) -> bool:
    """i1."""
    return isinstance(kind, IntegerType) and kind.width.data == 1


def is_integer(kind: Attribute) -> bool:
    """An integer of any sign, i1 excluded."""
    return isinstance(kind, IntegerType | IndexType) and not is_boolean(kind)


def is_float(kind: Attribute) -> bool:
    """A floating-point type."""
    return isinstance(kind, AnyFloat)


def expect_float(kind: Attribute) -> None:
    """Reject integers; types that are neither (quantised ones) pass."""
    if isinstance(kind, IntegerType | IndexType):
        raise ShapeError(f"element type {kind} is not supported, expected a floating-point type")


def expect_number(kind: Attribute) -> None:
    """Reject i1."""
    if is_boolean(kind):
        raise ShapeError("element type i1 is not supported, expected an integer or floating-point type")


def expect_boolean(kind: Attribute) -> None:
    """Reject everything but i1."""
    if not is_boolean(kind):
        raise ShapeError(f"element type {kind} is not supported, expected i1")
