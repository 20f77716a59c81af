"""vector to llvm, for vectors of rank 0 and 1."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.lowering.llvm._conversion import Conversion, Rule, convert
from lamina.lowering.llvm._vector_memory import ACCESS_RULES
from lamina.lowering.llvm._vector_values import VALUE_RULES
from lamina.passes.framework.conditions import no_dialect
from lamina.passes.framework.passes import Pass, PassContext


def _needs_unrolling(conversion: Conversion, op: Operation) -> None:
    raise error("is not lowered here", op, hint="run lower-vector-multi-dim first")


RULES: dict[str, Rule] = {
    **VALUE_RULES,
    **ACCESS_RULES,
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
    func.func @f(%m: memref<4x8xf32>, %i: index, %v: vector<8xf32>) -> f32 {
      vector.store %v, %m[%i, %i] : memref<4x8xf32>, vector<8xf32>
      %0 = vector.reduction <add>, %v : vector<8xf32> into f32
      return %0 : f32
    }
    ```

    ```mlir
    ```
    """

    name = "convert-vector-to-llvm"
    anchor = "any"
    ensures = (no_dialect("vector"),)
    statistics = {"converted": "operations converted"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("converted", convert_vector_to_llvm(op))
