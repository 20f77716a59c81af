"""Removing the casts that conversions leave at their boundaries."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Operation, SSAValue

from lamina.passes.framework.passes import Pass, PassContext
from lamina.passes.framework.walk import operations_named


def reconcile_unrealized_casts(root: Operation) -> int:
    """Remove casts that are undone by later ones, and casts without uses; returns how many went."""
    found = operations_named(root, (UnrealizedConversionCastOp.name,))
    casts = [op for op in found if isinstance(op, UnrealizedConversionCastOp)]
    for cast in casts:
        sources = _undone(cast)
        if sources is not None:
            for old, new in zip(cast.results, sources, strict=True):
                old.replace_all_uses_with(new)
    removed = 0
    for cast in reversed(casts):
        if all(result.first_use is None for result in cast.results):
            assert cast.parent is not None
            cast.parent.detach_op(cast)
            cast.drop_all_references()
            removed += 1
    return removed


def _undone(cast: UnrealizedConversionCastOp) -> list[SSAValue] | None:
    """The values of the result types that the cast's operands were made from, along any chain of casts."""
    wanted = [result.type for result in cast.results]
    values: list[SSAValue] = list(cast.operands)
    while [value.type for value in values] != wanted:
        source = values[0].owner if values else None
        if not isinstance(source, UnrealizedConversionCastOp) or values != list(source.results):
            return None
        values = list(source.operands)
    return values


@dataclass(frozen=True)
class ReconcileUnrealizedCasts(Pass):
    """Remove unrealized conversion casts that undo each other.

    ```mlir
    func.func @f(%i: i64) -> i64 {
      %0 = builtin.unrealized_conversion_cast %i : i64 to index
      %1 = builtin.unrealized_conversion_cast %0 : index to i64
      return %1 : i64
    }
    ```

    ```mlir
    builtin.module {
      func.func @f(%i: i64) -> i64 {
        func.return %i : i64
      }
    }
    ```
    """

    name = "reconcile-unrealized-casts"
    anchor = "any"
    statistics = {"removed": "casts removed"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("removed", reconcile_unrealized_casts(op))
