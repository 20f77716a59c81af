"""What extents that become known mean for the `tensor` ops that a model's loops are made of."""

from __future__ import annotations

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IndexType, IntegerAttr, TensorType, i64
from xdsl.dialects.tensor import DimOp, InsertSliceOp
from xdsl.ir import OpResult, SSAValue
from xdsl.rewriter import Rewriter


def refine_dim(op: DimOp) -> None:
    """An extent that the tensor's type states is a constant."""
    index, kind = _constant_index(op.index), op.source.type
    if index is None or not isinstance(kind, TensorType) or not 0 <= index < kind.get_num_dims():
        return
    extent = kind.get_shape()[index]
    if extent != DYNAMIC_INDEX:
        constant = ConstantOp(IntegerAttr(extent, IndexType()))
        constant.location = op.location
        Rewriter.replace_op(op, constant)


def refine_insert_slice(op: InsertSliceOp) -> None:
    """Constant offsets, sizes and strides become attributes; the result gets the destination's type."""
    lists = [
        _with_constants(list(static.get_values()), list(values))
        for static, values in (
            (op.static_offsets, op.offsets),
            (op.static_sizes, op.sizes),
            (op.static_strides, op.strides),
        )
    ]
    (offsets, sizes, strides) = (static for static, _ in lists)
    made = InsertSliceOp.build(
        operands=[op.source, op.dest, *(values for _, values in lists)],
        result_types=[op.dest.type],
        properties={
            "static_offsets": DenseArrayBase.from_list(i64, offsets),
            "static_sizes": DenseArrayBase.from_list(i64, sizes),
            "static_strides": DenseArrayBase.from_list(i64, strides),
        },
    )
    made.location = op.location
    Rewriter.replace_op(op, made)


def _with_constants(static: list[int], values: list[SSAValue]) -> tuple[list[int], list[SSAValue]]:
    """A list of numbers and values, with the values that are constants among the numbers."""
    left = iter(values)
    kept: list[SSAValue] = []
    for place, number in enumerate(static):
        if number == DYNAMIC_INDEX:
            value = next(left)
            constant = _constant_index(value)
            if constant is None:
                kept.append(value)
            else:
                static[place] = constant
    return static, kept


def _constant_index(value: SSAValue) -> int | None:
    """The number that an index is, if it is an ``arith.constant``."""
    if isinstance(value, OpResult) and isinstance(value.op, ConstantOp):
        attribute = value.op.value
        return attribute.value.data if isinstance(attribute, IntegerAttr) else None
    return None
