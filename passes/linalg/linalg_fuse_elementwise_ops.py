"""The pass ``linalg-fuse-elementwise-ops``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation

from lamina.passes.framework.passes import Pass, PassContext, option
from lamina.passes.linalg._fusion import FusedGeneric, Limits


def fuse_elementwise_ops(root: Operation, cheap_operations: int = 4) -> int:
    """Fuse elementwise generics into their users below ``root``; returns how many were taken in.

    Users are visited from the last to the first, so that each body moves once: the time is linear in the
    size of the IR.
    """
    limits = Limits(cheap_operations)
    blocks = [block for op in root.walk() for region in op.regions for block in region.blocks]
    return sum(_fuse_block(block, limits) for block in blocks if not _is_body(block))


def _is_body(block: Block) -> bool:
    return isinstance(block.parent_op(), linalg.GenericOp)


def _fuse_block(block: Block, limits: Limits) -> int:
    fused = 0
    op = block.last_op
    while op is not None:
        if not isinstance(op, linalg.GenericOp):
            op = op.prev_op
            continue
        following = op.next_op
        consumer = FusedGeneric(op, limits)
        fused += consumer.fuse()
        consumer.finish()
        current = following.prev_op if following is not None else block.last_op
        op = current.prev_op if current is not None else None
    return fused


@dataclass(frozen=True)
class LinalgFuseElementwiseOps(Pass):
    """Fuse elementwise generics into the elementwise or reducing generics that use them.

    A producer (all loops parallel, one result, whose map is a permutation) moves into the body of its user
    where the user reads it by loops and zeros alone. It is never computed more often than before, unless
    its body is cheap. Constants with one value everywhere, and fills, become scalars in the body.
    Nothing fuses into a contraction: matmuls and convolutions keep plain loads.

    ```mlir
    #map = affine_map<(d0) -> (d0)>
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tensor.empty() : tensor<4xf32>
      %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
        ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %4 = arith.negf %in : f32
        linalg.yield %4 : f32
      } -> tensor<4xf32>
      %2 = tensor.empty() : tensor<4xf32>
      %3 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
        ins(%1, %x : tensor<4xf32>, tensor<4xf32>) outs(%2 : tensor<4xf32>) {
      ^bb0(%a: f32, %b: f32, %out: f32):
        %5 = arith.mulf %a, %b : f32
        linalg.yield %5 : f32
      } -> tensor<4xf32>
      return %3 : tensor<4xf32>
    }
    ```

    ```mlir
    #map = affine_map<(d0) -> (d0)>
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tensor.empty() : tensor<4xf32>
      %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
        ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %2 = arith.negf %in : f32
        %3 = arith.mulf %2, %in : f32
        linalg.yield %3 : f32
      } -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```
    """

    name: ClassVar[str] = "linalg-fuse-elementwise-ops"
    anchor: ClassVar[str] = "any"
    statistics: ClassVar[dict[str, str]] = {"fused": "operations taken into their users"}
    cheap_operations: int = option(4, "bodies of at most so many plain operations may be computed repeatedly")

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("fused", fuse_elementwise_ops(op, self.cheap_operations))
