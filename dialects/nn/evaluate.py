"""Evaluating one ``nn`` op on arrays by its reference, with a check of what the reference returns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.dtypes import numpy_dtype
from lamina.dialects.nn.base import DYNAMIC, NnOp, reference


def evaluate(op: NnOp, arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """The results of an op for the values of its operands, by its NumPy reference.

    Raises :class:`LaminaError` where the op has no reference, or where its operands' values or the
    reference's results are not of the types that the op has.
    """
    rule = reference.get(op.name)
    if rule is None:
        raise error("has no reference", op)
    for i, (operand, array) in enumerate(zip(op.operands, arrays, strict=True)):
        _check(op, f"operand {i}", operand.type, array)
    with np.errstate(all="ignore"):
        results = rule(op, *arrays)
    if not isinstance(results, tuple):
        results = (results,)
    for i, (result, array) in enumerate(zip(op.results, results, strict=True)):
        _check(op, f"result {i} of its reference", result.type, array)
    return results


def _check(op: NnOp, what: str, kind: Attribute, array: np.ndarray) -> None:
    """Raise unless an array has the dtype and shape of a tensor type."""
    if not isinstance(kind, TensorType):
        raise error(f"{what} is no tensor: {kind}", op)
    if array.dtype != numpy_dtype(kind.element_type):
        raise error(
            f"{what} has dtype {array.dtype}, its type {kind} needs {numpy_dtype(kind.element_type)}", op
        )
    shape = kind.get_shape()
    matches = len(shape) == array.ndim and all(
        n in (m, DYNAMIC) for n, m in zip(shape, array.shape, strict=True)
    )
    if not matches:
        raise error(f"{what} has shape {list(array.shape)}, its type is {kind}", op)
