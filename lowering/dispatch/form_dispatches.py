"""The pass ``form-dispatches``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import tensor
from xdsl.dialects.builtin import IntegerAttr, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.lowering.dispatch._groups import Grouping
from lamina.lowering.dispatch._outline import DISPATCH, UPDATE, outline, symbol_names
from lamina.passes.framework.passes import Pass, PassContext
from lamina.passes.nn.nn_donate import UPDATES


def form_dispatches(module: Operation) -> int:
    """Outline the structured operations of all functions of a module; returns the number of dispatches."""
    taken = symbol_names(module)
    functions = [op for op in module.walk() if isinstance(op, FuncOp) and DISPATCH not in op.attributes]
    return sum(_form_in(function, taken) for function in functions)


def _form_in(function: FuncOp, taken: set[str]) -> int:
    owners = [op for op in function.walk() if not op.name.startswith("linalg.")]
    blocks = [block for op in owners for region in op.regions for block in region.blocks]
    number = 0
    updates = updates_of(function)
    for block in blocks:
        for group in Grouping(block, updates).run():
            while (name := f"{function.sym_name.data}_dispatch_{number}") in taken:
                number += 1
            taken.add(name)
            is_update = group.ops[0] in updates
            kernel = outline(group.ops, name)
            if is_update:
                kernel.attributes[UPDATE] = UnitAttr()
            Rewriter.insert_op(kernel, InsertPoint.before(function))
            number += 1
    return number


def updates_of(function: FuncOp) -> set[Operation]:
    """The ops that give results tied to donated arguments (``lamina.updates``), whose memory they overwrite.

    Each is a kernel of its own, in which every element is read and written once.
    """
    end = function.body.blocks.last.last_op if function.body.blocks.last is not None else None
    attributes = function.arg_attrs.data if function.arg_attrs is not None else ()
    numbers = [d.data[UPDATES] for d in attributes if UPDATES in d.data]
    found: set[Operation] = set()
    for number in numbers:
        if isinstance(number, IntegerAttr) and end is not None and number.value.data < len(end.operands):
            owner = end.operands[number.value.data].owner
            while isinstance(owner, tensor.ExpandShapeOp | tensor.CollapseShapeOp):
                owner = owner.operands[0].owner
            if isinstance(owner, Operation):
                found.add(owner)
    return found


@dataclass(frozen=True)
class FormDispatches(Pass):
    """Outline each kernel of a program into a private destination-passing function.

    A dispatch is a root with the elementwise operations that follow it over the same elements, where each
    result has one user. Roots are contractions, convolutions, reductions, poolings, gathers, paddings and
    elementwise operations.
    Chains of reductions and elementwise operations over the same rows (softmax, layer normalisation) are
    one dispatch. A dispatch whose result is padded or concatenated inserts it there itself, and a padding
    that is read channel by channel joins the dispatch that reads it. Constants that are tensors, views
    (expand and collapse_shape) and empty tensors stay outside; scalar constants are made again inside.

    ```mlir
    func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
      %zero = arith.constant 0.0 : f32
      %0 = tensor.empty() : tensor<4x2xf32>
      %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<4x2xf32>) -> tensor<4x2xf32>
      %2 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>)
        outs(%1 : tensor<4x2xf32>) -> tensor<4x2xf32>
      return %2 : tensor<4x2xf32>
    }
    ```

    ```mlir
    func.func private @main_dispatch_0(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>,
        %0: tensor<4x2xf32> {bufferization.writable = true}) -> tensor<4x2xf32> attributes {lamina.dispatch} {
      %zero = arith.constant 0.0 : f32
      %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<4x2xf32>) -> tensor<4x2xf32>
      %2 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>)
        outs(%1 : tensor<4x2xf32>) -> tensor<4x2xf32>
      return %2 : tensor<4x2xf32>
    }
    func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
      %0 = tensor.empty() : tensor<4x2xf32>
      %1 = call @main_dispatch_0(%x, %w, %0)
        : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
      return %1 : tensor<4x2xf32>
    }
    ```
    """

    name: ClassVar[str] = "form-dispatches"
    statistics: ClassVar[dict[str, str]] = {"dispatches": "functions made"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("dispatches", form_dispatches(op))
