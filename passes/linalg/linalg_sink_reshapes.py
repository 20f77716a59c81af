"""The pass ``linalg-sink-reshapes``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from lamina.passes.framework.passes import Pass, PassContext
from lamina.passes.linalg._reshape_sinking import View, sunk_below
from lamina.passes.linalg._scalar_body import is_contraction, uses_index


def sink_reshapes(root: Operation) -> int:
    """Move reshapes of kernels' results below elementwise operations and reductions; returns how many times.

    One walk in program order: a reshape moves on below the next operation when that is reached.
    """
    sunk = 0
    for op in [op for op in root.walk() if isinstance(op, linalg.GenericOp)]:
        current: linalg.GenericOp | None = op
        made: set[Operation] = set()
        while current is not None and _is_candidate(current):
            current = sunk_below(current, made)
            sunk += current is not None
    for view in [op for op in root.walk() if isinstance(op, View)]:
        _drop_inverse(view)
    return sunk


def _drop_inverse(view: View) -> None:
    """Use the source of two reshapes that undo each other."""
    first = view.src.owner
    if isinstance(first, View) and first.src.type == view.result.type:
        Rewriter.replace_op(view, [], [first.src])
        if not first.result.uses:
            Rewriter.erase_op(first)


def _is_candidate(op: linalg.GenericOp) -> bool:
    """An elementwise operation or a reduction of static shapes, but no contraction."""
    if len(op.res) != 1 or uses_index(op.body.block):
        return False
    types = [value.type for value in op.operands]
    if not all(isinstance(t, TensorType) and t.has_static_shape() for t in types):
        return False
    maps = [attribute.data for attribute in op.indexing_maps]
    return not is_contraction(op.body.block, maps[:-1], [str(t.data) for t in op.iterator_types])


@dataclass(frozen=True)
class LinalgSinkReshapes(Pass):
    """Move reshapes of kernels' results below the elementwise operations and reductions that use them.

    So a matmul over collapsed batch dimensions, or a grouped convolution over split channels, is
    followed by its bias and activation at once, and they can become its epilogue. The other operands of
    the operation are reshaped instead, where that is a view. Static shapes only.

    ```mlir
    #map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
    #last = affine_map<(d0, d1, d2) -> (d2)>
    func.func @main(%a: tensor<6x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>, %o: tensor<6x4xf32>)
        -> tensor<2x3x4xf32> {
      %0 = linalg.matmul ins(%a, %w : tensor<6x8xf32>, tensor<8x4xf32>)
        outs(%o : tensor<6x4xf32>) -> tensor<6x4xf32>
      %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [2, 3, 4]
        : tensor<6x4xf32> into tensor<2x3x4xf32>
      %2 = tensor.empty() : tensor<2x3x4xf32>
      %3 = linalg.generic {indexing_maps = [#map, #last, #map],
        iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%1, %b : tensor<2x3x4xf32>, tensor<4xf32>) outs(%2 : tensor<2x3x4xf32>) {
      ^bb0(%x: f32, %y: f32, %out: f32):
        %4 = arith.addf %x, %y : f32
        linalg.yield %4 : f32
      } -> tensor<2x3x4xf32>
      return %3 : tensor<2x3x4xf32>
    }
    ```

    ```mlir
    #map = affine_map<(d0, d1) -> (d0, d1)>
    #last = affine_map<(d0, d1) -> (d1)>
    func.func @main(%a: tensor<6x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>, %o: tensor<6x4xf32>)
        -> tensor<2x3x4xf32> {
      %0 = linalg.matmul ins(%a, %w : tensor<6x8xf32>, tensor<8x4xf32>)
        outs(%o : tensor<6x4xf32>) -> tensor<6x4xf32>
      %1 = tensor.empty() : tensor<6x4xf32>
      %2 = linalg.generic {indexing_maps = [#map, #last, #map], iterator_types = ["parallel", "parallel"]}
        ins(%0, %b : tensor<6x4xf32>, tensor<4xf32>) outs(%1 : tensor<6x4xf32>) {
      ^bb0(%x: f32, %y: f32, %out: f32):
        %3 = arith.addf %x, %y : f32
        linalg.yield %3 : f32
      } -> tensor<6x4xf32>
      %4 = tensor.expand_shape %2 [[0 : i64, 1 : i64], [2 : i64]] output_shape [2, 3, 4]
        : tensor<6x4xf32> into tensor<2x3x4xf32>
      return %4 : tensor<2x3x4xf32>
    }
    ```
    """

    name: ClassVar[str] = "linalg-sink-reshapes"
    anchor: ClassVar[str] = "any"
    statistics: ClassVar[dict[str, str]] = {"sunk": "reshapes moved below an operation"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("sunk", sink_reshapes(op))
