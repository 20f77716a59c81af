"""vector to llvm, for vectors of rank 0 and 1."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.lowering.llvm._conversion import Conversion, Rule, convert
from lamina.lowering.llvm._vector_memory import ACCESS_RULES
from lamina.lowering.llvm._vector_transfers import TRANSFER_RULES
from lamina.lowering.llvm._vector_values import VALUE_RULES
from lamina.passes.framework.conditions import no_dialect
from lamina.passes.framework.passes import Pass, PassContext


def _needs_unrolling(conversion: Conversion, op: Operation) -> None:
    raise error("is not lowered here", op, hint="run lower-vector-multi-dim first")


RULES: dict[str, Rule] = {
    **VALUE_RULES,
    **ACCESS_RULES,
    **TRANSFER_RULES,
    "vector.contract": _needs_unrolling,
    "vector.outerproduct": _needs_unrolling,
    "vector.multi_reduction": _needs_unrolling,
}


def convert_vector_to_llvm(root: Operation) -> int:
    """Turn the vector operations under ``root`` into llvm's; returns how many there were.

    Vectors of more than one dimension are an error: lower-vector-multi-dim unrolls them.
    """
    return convert(root, RULES)


@dataclass(frozen=True)
class ConvertVectorToLLVM(Pass):
    """Convert operations on vectors of rank 0 and 1 to the llvm dialect.

    Transfers in bounds are loads and stores, others are masked; those along a dimension whose stride is not
    one gather and scatter. Accesses are aligned as the elements are, unless they carry an `alignment`.

    ```mlir
    func.func @f(%a: vector<4xf32>, %b: f32) -> f32 {
      %0 = vector.broadcast %b : f32 to vector<4xf32>
      %1 = vector.fma %a, %0, %a : vector<4xf32>
      %2 = vector.reduction <add>, %1 : vector<4xf32> into f32
      return %2 : f32
    }
    ```

    ```mlir
    func.func @f(%a: vector<4xf32>, %b: f32) -> f32 {
      %0 = llvm.mlir.poison : vector<4xf32>
      %1 = llvm.mlir.constant(0 : i32) : i32
      %2 = llvm.mlir.constant(0.000000e+00 : f32) : f32
      %3 = llvm.insertelement %b, %0[%1 : i32] : vector<4xf32>
      %4 = llvm.shufflevector %3, %0 [0, 0, 0, 0] : vector<4xf32>
      %5 = llvm.intr.fmuladd(%a, %4, %a) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
      %6 = "llvm.intr.vector.reduce.fadd"(%2, %5) <{fastmathFlags = #llvm.fastmath<none>}> : (f32, vector<4xf32>) -> f32
      return %6 : f32
    }
    ```
    """  # noqa: E501

    name = "convert-vector-to-llvm"
    anchor = "any"
    ensures = (no_dialect("vector"),)
    statistics = {"converted": "operations converted"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("converted", convert_vector_to_llvm(op))
