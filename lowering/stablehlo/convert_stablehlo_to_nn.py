"""The pass ``convert-stablehlo-to-nn``, and the import of StableHLO text in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from lamina.lowering.stablehlo.conversion import Conversion
from lamina.passes.framework.conditions import Condition, no_dialect
from lamina.passes.framework.passes import Pass, PassContext


def convert_stablehlo_to_nn(module: ModuleOp) -> int:
    """Turn every `stablehlo` and `chlo` op of a module into `nn` ops, in place; returns how many there were.

    All operations that cannot be converted are reported at once in one :class:`LaminaError`; the module is
    then partly converted.
    """
    conversion = Conversion(module)
    conversion.run()
    return conversion.converted


@dataclass(frozen=True)
class ConvertStablehloToNn(Pass):
    """Convert StableHLO and CHLO, as JAX prints them, to `nn`.

    Operations without a counterpart are composed of several ops. Regions on scalars are recognised: a
    reduction by one operation, an argmax, the comparator of a sort, an update of a scatter. A ``while`` that
    counts becomes ``scf.for``, others ``scf.while``, branches ``scf.if``. Whatever cannot be converted is
    reported in one error: the operation, how often it occurs, the first place, and the reason.

    ```mlir
    func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
      %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
      %1 = stablehlo.tanh %0 : tensor<2x4xf32>
      return %1 : tensor<2x4xf32>
    }
    ```

    ```mlir
    func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
      %0 = nn.matmul %x, %w : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
      %1 = nn.tanh %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
      func.return %1 : tensor<2x4xf32>
    }
    ```
    """

    name = "convert-stablehlo-to-nn"
    ensures: ClassVar[tuple[Condition, ...]] = (no_dialect("stablehlo"), no_dialect("chlo"))
    statistics: ClassVar[dict[str, str]] = {"converted": "StableHLO operations converted"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        assert isinstance(op, ModuleOp)
        ctx.count("converted", convert_stablehlo_to_nn(op))
