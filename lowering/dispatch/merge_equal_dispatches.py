"""The pass ``merge-equal-dispatches``."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation, SSAValue

from lamina.lowering.dispatch._outline import DISPATCH
from lamina.passes.framework.passes import Pass, PassContext


def merge_equal_dispatches(module: Operation) -> int:
    """Make calls of equal dispatches call one of them; returns the number of functions removed."""
    first: dict[Hashable, str] = {}
    renamed: dict[str, str] = {}
    for function in [op for op in module.walk() if isinstance(op, FuncOp) and DISPATCH in op.attributes]:
        name = function.sym_name.data
        kept = first.setdefault(structure(function), name)
        if kept != name:
            renamed[name] = kept
            function.detach()
            function.erase()
    for call in [op for op in module.walk() if isinstance(op, CallOp)] if renamed else []:
        kept = renamed.get(call.callee.string_value())
        if kept is not None:
            call.callee = SymbolRefAttr(kept)
    return len(renamed)


def structure(op: Operation) -> Hashable:
    """A key equal for operations that differ in symbol name, value names and locations only."""
    numbers: dict[SSAValue, int] = {}
    return _operation_key(op, numbers)


def _operation_key(op: Operation, numbers: dict[SSAValue, int]) -> Hashable:
    operands = tuple(numbers.get(value, -1) for value in op.operands)
    for result in op.results:
        numbers[result] = len(numbers)
    properties = tuple((k, op.properties[k]) for k in sorted(op.properties) if k != "sym_name")
    regions = tuple(tuple(_block_key(block, numbers) for block in region.blocks) for region in op.regions)
    attributes = tuple((k, op.attributes[k]) for k in sorted(op.attributes))
    types = tuple(result.type for result in op.results)
    return (op.name, operands, types, properties, attributes, regions)


def _block_key(block: Block, numbers: dict[SSAValue, int]) -> Hashable:
    for argument in block.args:
        numbers[argument] = len(numbers)
    return (tuple(a.type for a in block.args), tuple(_operation_key(op, numbers) for op in block.ops))


@dataclass(frozen=True)
class MergeEqualDispatches(Pass):
    """Keep one of several equal dispatches and let all calls use it.

    Dispatches are equal if they differ only in their names, the names of values, and locations. Linear in
    the size of the module.

    ```mlir
    func.func private @a(%x: tensor<4xf32>) -> tensor<4xf32> attributes {lamina.dispatch} {
      return %x : tensor<4xf32>
    }
    func.func private @b(%y: tensor<4xf32>) -> tensor<4xf32> attributes {lamina.dispatch} {
      return %y : tensor<4xf32>
    }
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = call @a(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %1 = call @b(%0) : (tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```

    ```mlir
    func.func private @a(%x: tensor<4xf32>) -> tensor<4xf32> attributes {lamina.dispatch} {
      return %x : tensor<4xf32>
    }
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = call @a(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %1 = call @a(%0) : (tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```
    """

    name: ClassVar[str] = "merge-equal-dispatches"
    statistics: ClassVar[dict[str, str]] = {"merged": "functions removed"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("merged", merge_equal_dispatches(op))
