"""``convert-bounds-to-linalg``: operations of `bounds` as loops of `linalg`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import AffineMapAttr, IndexType, TensorType
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from lamina.passes.framework.conditions import no_dialect
from lamina.passes.framework.passes import Pass, PassContext
from lamina.passes.framework.rewriting import apply_patterns
from lamina_bounds.dialect import ClampOp


@dataclass(frozen=True)
class ConvertBoundsToLinalg(Pass):
    """Replace the operations of `bounds` by loops over the elements.

    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = bounds.clamp %x from 0.0 : f32 to 6.0 : f32 : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
    """

    name = "convert-bounds-to-linalg"
    ensures = (no_dialect("bounds"),)
    statistics = {"converted": "operations converted"}

    def run(self, op: Operation, ctx: PassContext) -> bool:
        converted = apply_patterns(op, [LowerClamp()])
        ctx.count("converted", converted)
        return converted > 0


class LowerClamp(RewritePattern):
    """A clamp as the larger of an element and the low bound, then the smaller of that and the high bound."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ClampOp, rewriter: PatternRewriter) -> None:
        kind = op.result.type
        assert isinstance(kind, TensorType)
        low, high = arith.ConstantOp(op.low), arith.ConstantOp(op.high)
        shape = _empty_like(op.input, kind)
        element = kind.get_element_type()
        body = Block(arg_types=[element, element])
        raised = arith.MaximumfOp(body.args[0], low)
        lowered = arith.MinimumfOp(raised, high)
        body.add_ops([raised, lowered, YieldOp(lowered.result)])
        same = AffineMapAttr(AffineMap.identity(kind.get_num_dims()))
        loops = [IteratorTypeAttr.parallel()] * kind.get_num_dims()
        loop = GenericOp([op.input], [shape[-1].results[0]], Region(body), [same, same], loops, [kind])
        rewriter.replace(op, [low, high, *shape, loop])


def _empty_like(value: SSAValue, kind: TensorType) -> list[Operation]:
    """The operations that make a tensor of the same sizes; the last one is the tensor."""
    made: list[Operation] = []
    sizes: list[SSAValue] = []
    for number, size in enumerate(kind.get_shape()):
        if size < 0:  # only known when the program runs
            index = arith.ConstantOp.from_int_and_width(number, IndexType())
            dim = tensor.DimOp(value, index)
            made += [index, dim]
            sizes.append(dim.result)
    return [*made, tensor.EmptyOp(sizes, kind)]
