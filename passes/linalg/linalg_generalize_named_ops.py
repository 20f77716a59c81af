"""The pass ``linalg-generalize-named-ops``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.ir import Operation, Region
from xdsl.rewriter import Rewriter

from lamina.dialects.linalg.structured import as_generic, is_structured
from lamina.passes.framework.passes import Pass, PassContext


def generalize_named_ops(root: Operation) -> int:
    """Write every structured operation below ``root`` as ``linalg.generic``; returns how many were named."""
    named = [op for op in root.walk() if is_structured(op) and not isinstance(op, linalg.GenericOp)]
    for op in named:
        Rewriter.replace_op(op, generalized(op))
    return len(named)


def generalized(op: Operation) -> linalg.GenericOp:
    """The generic that does what a named operation does, not yet in the IR."""
    view = as_generic(op)
    body = Region()
    region = view.body.parent
    assert region is not None
    region.clone_into(body)
    generic = linalg.GenericOp(
        view.inputs,
        view.outputs,
        body,
        [AffineMapAttr(m) for m in view.indexing_maps],
        [IteratorTypeAttr(IteratorType(kind)) for kind in view.iterator_types],
        [result.type for result in op.results],
    )
    generic.attributes.update(op.attributes)
    generic.location = op.location
    return generic


@dataclass(frozen=True)
class LinalgGeneralizeNamedOps(Pass):
    """Write named linalg operations as ``linalg.generic``.

    Fills, matrix products, convolutions, poolings, reductions, broadcasts and transposes become generics
    with their indexing maps and body; on tensors and on buffers.

    ```mlir
    func.func @main(%x: f32, %o: tensor<4xf32>) -> tensor<4xf32> {
      %0 = linalg.fill ins(%x : f32) outs(%o : tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```

    ```mlir
    func.func @main(%x: f32, %o: tensor<4xf32>) -> tensor<4xf32> {
      %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>],
        iterator_types = ["parallel"]} ins(%x : f32) outs(%o : tensor<4xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
    """

    name: ClassVar[str] = "linalg-generalize-named-ops"
    anchor: ClassVar[str] = "any"
    statistics: ClassVar[dict[str, str]] = {"generalized": "operations rewritten"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("generalized", generalize_named_ops(op))
