"""The pass ``annotate-dispatch-costs``."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects import func
from xdsl.dialects.builtin import AnyFloat, IntegerAttr, IntegerType, ModuleOp, TensorType, i64
from xdsl.ir import Attribute, Operation

from lamina.dialects.linalg.structured import as_generic, is_structured, static_loop_sizes
from lamina.lowering.dispatch._outline import DISPATCH
from lamina.passes.framework.passes import Pass, PassContext

FLOPS, BYTES = "lamina.flops", "lamina.bytes"
"""On a dispatch: its arithmetic operations, and the bytes of what it takes and gives."""


def annotate_dispatch_costs(module: ModuleOp) -> int:
    """Write down what the dispatches of a module compute and move; returns their number."""
    found = [op for op in module.body.block.ops if isinstance(op, func.FuncOp) and DISPATCH in op.attributes]
    for function in found:
        flops = sum(_operations(op) for op in function.walk() if is_structured(op))
        moved = sum(_bytes(kind) for kind in function.function_type.inputs.data)
        function.attributes[FLOPS] = IntegerAttr(flops, i64)
        function.attributes[BYTES] = IntegerAttr(moved, i64)
    return len(found)


def _operations(op: Operation) -> int:
    """Operations on numbers: those of the body, for each point of the loops. A function counts as one."""
    view = as_generic(op)
    body = [inner for inner in view.body.ops if inner.name.split(".")[0] in ("arith", "math")]
    count = sum(inner.name not in ("arith.constant", "arith.select", "arith.cmpf") for inner in body)
    return count * prod(size or 1 for size in static_loop_sizes(view))


def _bytes(kind: Attribute) -> int:
    if not isinstance(kind, TensorType) or not kind.has_static_shape():
        return 0
    element = kind.element_type
    bits = element.width.data if isinstance(element, IntegerType) else 64
    bits = element.bitwidth if isinstance(element, AnyFloat) else max(8, bits)
    return prod(kind.get_shape()) * bits // 8


@dataclass(frozen=True)
class AnnotateDispatchCosts(Pass):
    """Write on each dispatch how many arithmetic operations it does and how many bytes it takes and gives.

    A profile divides them by the time that the dispatch takes.

    ```mlir
    func.func private @relu(%x: tensor<8xf32>, %out: tensor<8xf32>) -> tensor<8xf32>
        attributes {lamina.dispatch} {
      %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
        iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%out : tensor<8xf32>) {
      ^bb0(%a: f32, %b: f32):
        %0 = arith.mulf %a, %a : f32
        linalg.yield %0 : f32
      } -> tensor<8xf32>
      return %r : tensor<8xf32>
    }
    ```

    ```mlir
    func.func private @relu(%x: tensor<8xf32>, %out: tensor<8xf32>) -> tensor<8xf32> attributes {lamina.dispatch, lamina.flops = 8 : i64, lamina.bytes = 64 : i64} {
      %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%out : tensor<8xf32>) {
      ^bb0(%a: f32, %b: f32):
        %0 = arith.mulf %a, %a : f32
        linalg.yield %0 : f32
      } -> tensor<8xf32>
      func.return %r : tensor<8xf32>
    }
    ```
    """  # noqa: E501

    name = "annotate-dispatch-costs"
    statistics = {"annotated": "dispatches"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        assert isinstance(op, ModuleOp)
        ctx.count("annotated", annotate_dispatch_costs(op))
