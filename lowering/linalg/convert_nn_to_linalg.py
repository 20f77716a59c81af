"""The pass ``convert-nn-to-linalg``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from lamina.lowering.linalg._conversion import Conversion, check_rules
from lamina.passes.framework.conditions import Condition, no_dialect
from lamina.passes.framework.passes import Pass, PassContext


def convert_nn_to_linalg(module: Operation) -> int:
    """Lower all ``nn`` ops of a module; returns their number. Raises where an op has no rule."""
    check_rules(module)
    total = 0
    for op in [op for op in module.walk() if isinstance(op, FuncOp)]:
        conversion = Conversion()
        conversion.function(op)
        total += conversion.converted
    return total


@dataclass(frozen=True)
class ConvertNnToLinalg(Pass):
    """Lower model-level operations to linalg, tensor, arith and math on tensors.

    Each op becomes named linalg operations (matmul, batch_matmul, conv_2d_*), generics and reshapes by
    its entry in the table ``linalg_rule``. Tensors of i1 become tensors of i8 that hold 0 and 1, unsigned
    types become signless; arguments and results whose element type changes get ``nn.dtype``. Static and
    dynamic extents; results of f16 and bf16 arithmetic are rounded after each op.

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```

    ```mlir
    #map = affine_map<(d0) -> (d0)>
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tensor.empty() : tensor<4xf32>
      %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
        ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %cst = arith.constant 0.0 : f32
        %2 = arith.maximumf %in, %cst : f32
        linalg.yield %2 : f32
      } -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```
    """

    name: ClassVar[str] = "convert-nn-to-linalg"
    ensures: ClassVar[tuple[Condition, ...]] = (no_dialect("nn"),)
    statistics: ClassVar[dict[str, str]] = {"converted": "operations lowered"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("converted", convert_nn_to_linalg(op))
