"""Slices of tensors, and reshapes of them, that a kernel can make itself from the whole tensor."""

from __future__ import annotations

from typing import TypeAlias

from xdsl.dialects import tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from lamina.passes.linalg._unit_dims import groups_of

Reshape: TypeAlias = tensor.ExpandShapeOp | tensor.CollapseShapeOp


def view_chain(value: SSAValue) -> list[Operation]:
    """The slice that a value is and the reshapes behind it, in order; empty for anything else.

    Each reshape must be a view of the slice, without a copy: it merges only dimensions that lie one behind
    the other in memory.
    """
    reshapes: list[Reshape] = []
    while isinstance(value.owner, Reshape):
        reshapes.append(value.owner)
        value = value.owner.src
    slice = value.owner
    if not isinstance(slice, tensor.ExtractSliceOp) or len(_shape(slice.source)) != len(_shape(slice.result)):
        return []
    whole = _whole_dims(slice)
    stepped = any(step != 1 for step in slice.static_strides.get_values())
    for reshape in reversed(reshapes):
        found = _after(reshape, whole, stepped)
        if found is None:
            return []
        whole = found
    return [slice, *reversed(reshapes)]


def _whole_dims(slice: tensor.ExtractSliceOp) -> list[bool]:
    """For each dimension whether the slice takes all of it."""
    source = slice.source.type
    assert isinstance(source, TensorType)
    return [a == b and a >= 0 for a, b in zip(source.get_shape(), _shape(slice.result), strict=True)]


def _after(reshape: Reshape, whole: list[bool], stepped: bool) -> list[bool] | None:
    """Which dimensions of a reshaped slice are whole; None where the reshape would need a copy."""
    groups = groups_of(reshape)
    if isinstance(reshape, tensor.ExpandShapeOp):
        wide_shape = _shape(reshape.result)
        first = [next((d for d in group if wide_shape[d] != 1), None) for group in groups]
        return [whole[g] or d != first[g] for g, group in enumerate(groups) for d in group]
    shape = _shape(reshape.src)
    result: list[bool] = []
    for group in groups:
        wide = [d for d in group if shape[d] != 1]
        if not all(whole[d] for d in wide[1:]) or (stepped and len(wide) > 1):
            return None
        result.append(all(whole[d] for d in group))
    return result


def _shape(value: SSAValue) -> tuple[int, ...]:
    assert isinstance(value.type, TensorType)
    return value.type.get_shape()
