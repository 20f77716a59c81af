"""The pass ``fill-borders``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DenseArrayBase, TensorType, i64
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.slices import mixed
from lamina.passes.framework.passes import ANY_OP, Pass, PassContext

Box = tuple[list[int], list[int]]
"""Offsets and sizes of a part of a tensor."""


def fill_borders(root: Operation) -> int:
    """Fill only what padding leaves of a tensor; returns the number of tensors."""
    found = [op for op in root.walk() if isinstance(op, tensor.InsertSliceOp)]
    return sum(_shrink(op) for op in found)


def _shrink(insert: tensor.InsertSliceOp) -> bool:
    fill = insert.dest.owner
    kind = insert.dest.type
    if not isinstance(fill, FillOp) or not insert.dest.has_one_use() or not isinstance(kind, TensorType):
        return False
    inner = _inner_part(insert)
    if inner is None or not kind.has_static_shape() or 2 * prod(inner[1]) < prod(kind.get_shape()):
        return False
    value = fill.outputs[0]
    for border in _borders(kind.get_shape(), inner):
        part = _insert_before(fill, tensor.ExtractSliceOp, border, value)
        filled = FillOp(fill.inputs, [part])
        filled.location = fill.location
        Rewriter.insert_op(filled, InsertPoint.before(fill))
        value = _insert_before(fill, tensor.InsertSliceOp, border, filled.results[0], value)
    fill.results[0].replace_all_uses_with(value)
    Rewriter.erase_op(fill)
    return True


def _inner_part(insert: tensor.InsertSliceOp) -> Box | None:
    """The part that the insertion writes, if it is known and lies in one piece along each dimension."""
    offsets, sizes, strides = (mixed(insert, name) for name in ("offsets", "sizes", "strides"))
    if any(step != 1 for step in strides):
        return None
    known = [[n for n in numbers if isinstance(n, int)] for numbers in (offsets, sizes)]
    return (known[0], known[1]) if all(len(n) == len(offsets) for n in known) else None


def _borders(shape: Sequence[int], inner: Box) -> Iterator[Box]:
    """Parts that together are all but the inner one: whole slices first, then what is left beside it."""
    offsets, sizes = [0] * len(shape), list(shape)
    for d, (start, size) in enumerate(zip(*inner, strict=True)):
        for at, count in ((0, start), (start + size, shape[d] - start - size)):
            if count:
                yield [*offsets[:d], at, *offsets[d + 1 :]], [*sizes[:d], count, *sizes[d + 1 :]]
        offsets[d], sizes[d] = start, size


def _insert_before(
    fill: FillOp,
    kind: type[tensor.ExtractSliceOp | tensor.InsertSliceOp],
    box: Box,
    value: SSAValue,
    into: SSAValue | None = None,
) -> SSAValue:
    """A slice of a value, or the value put in its place."""
    offsets, sizes = box
    numbers = {"static_offsets": offsets, "static_sizes": sizes, "static_strides": [1] * len(sizes)}
    whole = value.type if into is None else into.type
    assert isinstance(whole, TensorType)
    result = TensorType(whole.element_type, sizes) if into is None else whole
    op = kind.build(
        operands=[value, *([] if into is None else [into]), [], [], []],
        result_types=[result],
        properties={name: DenseArrayBase.from_list(i64, n) for name, n in numbers.items()},
    )
    op.location = fill.location
    Rewriter.insert_op(op, InsertPoint.before(fill))
    return op.results[0]


@dataclass(frozen=True)
class FillBorders(Pass):
    """Fill only the border of a tensor whose inside is written next.

    Padding is a fill and an insertion. Where what is inserted is half of the tensor or more, the fill shrinks
    to the slices around it.

    ```mlir
    func.func @pad(%x: tensor<4x6xf32>, %out: tensor<6x6xf32>) -> tensor<6x6xf32> {
      %zero = arith.constant 0.0 : f32
      %f = linalg.fill ins(%zero : f32) outs(%out : tensor<6x6xf32>) -> tensor<6x6xf32>
      %p = tensor.insert_slice %x into %f[1, 0] [4, 6] [1, 1] : tensor<4x6xf32> into tensor<6x6xf32>
      return %p : tensor<6x6xf32>
    }
    ```

    ```mlir
    func.func @pad(%x: tensor<4x6xf32>, %out: tensor<6x6xf32>) -> tensor<6x6xf32> {
      %zero = arith.constant 0.000000e+00 : f32
      %0 = tensor.extract_slice %out[0, 0] [1, 6] [1, 1] : tensor<6x6xf32> to tensor<1x6xf32>
      %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<1x6xf32>) -> tensor<1x6xf32>
      %2 = tensor.insert_slice %1 into %out[0, 0] [1, 6] [1, 1] : tensor<1x6xf32> into tensor<6x6xf32>
      %3 = tensor.extract_slice %2[5, 0] [1, 6] [1, 1] : tensor<6x6xf32> to tensor<1x6xf32>
      %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<1x6xf32>) -> tensor<1x6xf32>
      %f = tensor.insert_slice %4 into %2[5, 0] [1, 6] [1, 1] : tensor<1x6xf32> into tensor<6x6xf32>
      %p = tensor.insert_slice %x into %f[1, 0] [4, 6] [1, 1] : tensor<4x6xf32> into tensor<6x6xf32>
      return %p : tensor<6x6xf32>
    }
    ```
    """

    name = "fill-borders"
    anchor = ANY_OP
    statistics = {"shrunk": "fills of which the border is left"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("shrunk", fill_borders(op))
