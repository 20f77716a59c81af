"""ub to llvm: poison, and places that are never reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.llvm import UnreachableOp
from xdsl.ir import Operation, SSAValue

from lamina.dialects.llvm.values import PoisonOp
from lamina.lowering.llvm._types import convert_type, require_flat
from lamina.passes.framework.conditions import no_dialect
from lamina.passes.framework.conversion import (
    ConversionRewriter,
    ConversionTarget,
    TypeConverter,
    apply_partial_conversion,
)
from lamina.passes.framework.conversion.patterns import Convert
from lamina.passes.framework.passes import Pass, PassContext


def convert_ub_to_llvm(root: Operation) -> int:
    """Turn the operations of the ub dialect under ``root`` into llvm's; returns how many there were."""
    target = ConversionTarget().illegal_dialect("ub")
    return apply_partial_conversion(root, target, RULES, TypeConverter(convert_type))


def _poison(op: Operation, operands: Sequence[SSAValue], rewriter: ConversionRewriter) -> SSAValue:
    type = op.results[0].type
    require_flat(type, op)
    return rewriter.emit(PoisonOp.create(result_types=[rewriter.converter.convert(type)]))


def _unreachable(op: Operation, operands: Sequence[SSAValue], rewriter: ConversionRewriter) -> tuple[()]:
    rewriter.insert(UnreachableOp.create())
    return ()


RULES: dict[str, Convert] = {"ub.poison": _poison, "ub.unreachable": _unreachable}


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
