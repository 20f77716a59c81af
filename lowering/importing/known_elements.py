"""What is known of shape computations during the conversion: single elements of small integer tensors.

A target shape such as ``concat(shape_of(x)[0:1], [-1, 16])`` is no constant while the batch is dynamic, but
two of its elements are known. With them results get better types, and a reshape with one unknown extent
becomes a static one with ``-1``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from lamina.dialects.core.constants import constant_value
from lamina.dialects.nn.base import DYNAMIC, NnOp, reference

_FOLD_BYTES = 4096
"""Size of the result up to which an op on constants is computed by the conversion itself."""
_VIEWS = ("nn.reshape", "nn.squeeze", "nn.unsqueeze")
"""Ops that do not copy a constant's buffer, and are computed whatever its size."""
_MOVEMENTS = (
    "nn.cast",
    "nn.concat",
    "nn.gather",
    "nn.reshape",
    "nn.slice",
    "nn.squeeze",
    "nn.transpose",
    "nn.unsqueeze",
)
_ARITHMETIC = ("nn.add", "nn.sub", "nn.mul", "nn.div", "nn.maximum", "nn.minimum")
_SMALL = 64


def folded(op: NnOp) -> list[np.ndarray] | None:
    """The results of an op on constants, if it is small enough to be computed at once; else None."""
    if op.name not in _VIEWS and any(_bytes(r) > _FOLD_BYTES for r in op.results):
        return None
    arrays = [constant_value(operand) for operand in op.operands]
    compute = reference.get(op.name)
    if not arrays or compute is None or any(a is None for a in arrays):
        return None
    if sum(a.nbytes for a in arrays if a is not None) > _FOLD_BYTES * 16 and op.name not in _VIEWS:
        return None
    return _results(compute, op, arrays)


def _results(
    compute: Callable[..., object], op: NnOp, arrays: Sequence[np.ndarray | None]
) -> list[np.ndarray]:
    with np.errstate(all="ignore"):
        result = compute(op, *arrays)
    return [np.asarray(r) for r in (result if isinstance(result, tuple | list) else (result,))]


def _bytes(value: SSAValue) -> int:
    kind = value.type
    if not isinstance(kind, TensorType) or not kind.has_static_shape():
        return _FOLD_BYTES + 1
    return math.prod(kind.get_shape()) * 8


class KnownElements:
    """The known elements of values: an array of them, and a mask of the same shape."""

    def __init__(self) -> None:
        self._known: dict[SSAValue, tuple[np.ndarray, np.ndarray]] = {}

    def of(self, value: SSAValue) -> tuple[np.ndarray, np.ndarray] | None:
        """The elements of a value, and which of them are known; None where nothing is."""
        constant = constant_value(value)
        if constant is not None:
            return constant, np.ones(constant.shape, np.bool_)
        return self._known.get(value)

    def list_of(self, value: SSAValue) -> Sequence[int | None] | None:
        """The elements of a rank-1 value, None for an unknown one; None where their number is unknown."""
        known = self.of(value)
        if known is not None:
            return [int(v) if k else None for v, k in zip(known[0].ravel(), known[1].ravel(), strict=True)]
        kind = value.type
        if isinstance(kind, TensorType) and kind.has_static_shape() and kind.get_num_dims() == 1:
            return [None] * kind.get_shape()[0]
        return None

    def derive(self, op: NnOp) -> None:
        """Note what follows for the result of an op from its operands."""
        result = op.results[0]
        if op.name == "nn.shape_of":
            kind = op.operands[0].type
            assert isinstance(kind, TensorType)
            extents = np.array(kind.get_shape(), np.int64)
            self._known[result] = np.where(extents == DYNAMIC, 1, extents), extents != DYNAMIC
            return
        compute = reference.get(op.name)
        if compute is None or not _is_small(result) or op.name not in _MOVEMENTS + _ARITHMETIC:
            return
        known = [self.of(operand) for operand in op.operands]
        if any(k is None for k in known):
            return
        values = [k[0] for k in known if k is not None]
        masks = [k[1] for k in known if k is not None]
        if any(v.dtype.kind not in "iu" for v in values):
            return
        self._known[result] = _results(compute, op, values)[0], _mask(compute, op, values, masks)


def _mask(
    compute: Callable[..., object], op: NnOp, values: list[np.ndarray], masks: list[np.ndarray]
) -> np.ndarray:
    """Which elements of the result are known: the operands' masks, moved as the op moves its elements."""
    if op.name in _ARITHMETIC:
        return np.logical_and(*masks)
    if op.name == "nn.gather":
        if not masks[1].all():
            return np.zeros(op.results[0].type.get_shape(), np.bool_)  # pyright: ignore[reportAttributeAccessIssue]
        return _results(compute, op, [masks[0].astype(np.int64), values[1]])[0] != 0
    return (
        _results(compute, op, [mask.astype(value.dtype) for mask, value in zip(masks, values, strict=True)])[
            0
        ]
        != 0
    )


def _is_small(value: SSAValue) -> bool:
    kind = value.type
    return isinstance(kind, TensorType) and kind.has_static_shape() and math.prod(kind.get_shape()) <= _SMALL
