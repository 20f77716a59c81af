"""``nn-expand``: ops that stand for several simpler ones, replaced by those."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import did_you_mean, error
from lamina.dialects.nn.base import NnOp, expansion
from lamina.dialects.nn.derivatives._terms import Term
from lamina.passes.framework.passes import ANY_OP, Pass, PassContext, option

WITHOUT_LOWERING = (
    "nn.avg_pool2d_gradient",
    "nn.conv_transpose2d",
    "nn.dropout",
    "nn.max_pool2d_gradient",
)
"""Ops that have no form of their own below ``nn``."""


@dataclass(frozen=True)
class NnExpand(Pass):
    """Replace ops by the simpler ones that they stand for.

    By default those are replaced that have no lowering of their own: transposed convolutions become
    convolutions of the spread operand, gradients of poolings become comparisons and choices.

    ```mlir
    func.func @f(%g: tensor<1x2x2x3xf32>) -> tensor<1x4x4x3xf32> {
      %0 = nn.avg_pool2d_gradient %g {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, layout = "NHWC", size = array<i64: 4, 4>} : (tensor<1x2x2x3xf32>) -> tensor<1x4x4x3xf32>
      return %0 : tensor<1x4x4x3xf32>
    }
    ```

    ```mlir
    func.func @f(%g: tensor<1x2x2x3xf32>) -> tensor<1x4x4x3xf32> {
      %0 = nn.constant dense<4.000000e+00> : tensor<f32>
      %1 = nn.div %g, %0 : (tensor<1x2x2x3xf32>, tensor<f32>) -> tensor<1x2x2x3xf32>
      %2 = nn.unsqueeze %1 {axes = array<i64: 2>} : (tensor<1x2x2x3xf32>) -> tensor<1x2x1x2x3xf32>
      %3 = nn.broadcast_to %2 {shape = array<i64: 1, 2, 2, 2, 3>} : (tensor<1x2x1x2x3xf32>) -> tensor<1x2x2x2x3xf32>
      %4 = nn.reshape %3 {shape = array<i64: 1, 4, 2, 3>} : (tensor<1x2x2x2x3xf32>) -> tensor<1x4x2x3xf32>
      %5 = nn.unsqueeze %4 {axes = array<i64: 3>} : (tensor<1x4x2x3xf32>) -> tensor<1x4x2x1x3xf32>
      %6 = nn.broadcast_to %5 {shape = array<i64: 1, 4, 2, 2, 3>} : (tensor<1x4x2x1x3xf32>) -> tensor<1x4x2x2x3xf32>
      %7 = nn.reshape %6 {shape = array<i64: 1, 4, 4, 3>} : (tensor<1x4x2x2x3xf32>) -> tensor<1x4x4x3xf32>
      func.return %7 : tensor<1x4x4x3xf32>
    }
    ```
    """  # noqa: E501

    name = "nn-expand"
    anchor = ANY_OP
    statistics = {"expanded": "operations replaced"}

    ops: tuple[str, ...] = option(WITHOUT_LOWERING, "Names of the ops to replace")

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("expanded", expand_ops(op, self.ops))


def expand_ops(root: Operation, names: Sequence[str] = WITHOUT_LOWERING) -> int:
    """Replace the named ops inside ``root`` (and those that expansions bring); returns how many.

    Raises :class:`LaminaError` for a name that stands for nothing simpler.
    """
    for name in names:
        if name not in expansion:
            hint = did_you_mean(name, list(expansion)) or f"known are: {', '.join(expansion)}"
            raise error(f"'{name}' has no expansion", hint=hint)
    pending = [op for op in root.walk() if op.name in names]
    count = 0
    while pending:
        op = pending.pop()
        pending += [made for made in expand(op) if made.name in names]
        count += 1
    return count


def expand(op: Operation) -> list[Operation]:
    """Replace one op by its expansion; returns the ops that take its place."""
    assert isinstance(op, NnOp) and op.parent is not None
    block = op.parent
    made: list[Operation] = []

    def insert(new: Operation) -> None:
        new.location = op.location
        block.insert_op_before(new, op)
        made.append(new)

    value: Term = expansion.get(op.name)(op, *(Term(v, insert) for v in op.operands))  # pyright: ignore[reportOptionalCall]
    op.results[0].replace_all_uses_with(value.value)
    block.erase_op(op)
    return made
