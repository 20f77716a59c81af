"""References of logic, bit operations and shifts."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import IntegerType

from lamina.dialects.core.dtypes import is_unsigned
from lamina.dialects.nn.base import NnOp
from lamina.dialects.nn.reference._elementwise import element_of, numeric

for _name, _function in {
    "nn.logical_and": np.logical_and,
    "nn.logical_or": np.logical_or,
    "nn.logical_xor": np.logical_xor,
    "nn.logical_not": np.logical_not,
    "nn.bitwise_and": np.bitwise_and,
    "nn.bitwise_or": np.bitwise_or,
    "nn.bitwise_xor": np.bitwise_xor,
    "nn.bitwise_not": np.bitwise_not,
}.items():
    numeric(_name)(lambda _, *arrays, function=_function: function(*arrays))


def _amounts(op: NnOp, amount: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shift amounts below the width in the operand's dtype, and where the given ones are not below it.

    The amount's bits are read as an unsigned number of the element type's width.
    """
    element = element_of(op)
    assert isinstance(element, IntegerType)
    width = element.width.data
    unsigned = np.dtype(f"u{amount.dtype.name.removeprefix('u')}")
    bits = amount.astype(unsigned) & unsigned.type((1 << width) - 1)
    return np.minimum(bits, unsigned.type(width - 1)).astype(amount.dtype), bits >= width


@numeric("nn.shift_left")
def shift_left(op: NnOp, value: np.ndarray, amount: np.ndarray) -> np.ndarray:
    """Zero where all bits are shifted out."""
    shift, out = _amounts(op, amount)
    return np.where(out, value.dtype.type(0), value << shift)


@numeric("nn.shift_right")
def shift_right(op: NnOp, value: np.ndarray, amount: np.ndarray) -> np.ndarray:
    """Zero (logical) or the sign (arithmetic) where all bits are shifted out."""
    shift, out = _amounts(op, amount)
    shifted = value >> shift
    return np.where(out, value.dtype.type(0), shifted) if is_unsigned(element_of(op)) else shifted
