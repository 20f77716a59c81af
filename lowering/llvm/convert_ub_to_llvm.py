"""ub to llvm: poison, and places that are never reached."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.llvm import UnreachableOp
from xdsl.ir import Operation, SSAValue

from lamina.dialects.llvm.values import PoisonOp
from lamina.lowering.llvm._conversion import Conversion, Rule, convert
from lamina.lowering.llvm._types import require_flat
from lamina.passes.framework.conditions import no_dialect
from lamina.passes.framework.passes import Pass, PassContext


def convert_ub_to_llvm(root: Operation) -> int:
    """Turn the operations of the ub dialect under ``root`` into llvm's; returns how many there were."""
    return convert(root, RULES)


def _poison(conversion: Conversion, op: Operation) -> SSAValue:
    type = op.results[0].type
    require_flat(type, op)
    return conversion.emit(PoisonOp, (), conversion.converted_type(type))


def _unreachable(conversion: Conversion, op: Operation) -> list[SSAValue]:
    conversion.insert(UnreachableOp.create())
    return []


RULES: dict[str, Rule] = {"ub.poison": _poison, "ub.unreachable": _unreachable}


@dataclass(frozen=True)
class ConvertUBToLLVM(Pass):
    """Convert the ub dialect to the llvm dialect.

    ```mlir
    func.func @f() -> f32 {
      %0 = ub.poison : f32
      return %0 : f32
    }
    ```

    ```mlir
    func.func @f() -> f32 {
      %0 = llvm.mlir.poison : f32
      return %0 : f32
    }
    ```
    """

    name = "convert-ub-to-llvm"
    anchor = "any"
    ensures = (no_dialect("ub"),)
    statistics = {"converted": "operations converted"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("converted", convert_ub_to_llvm(op))
