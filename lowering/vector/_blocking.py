"""Which reductions run outside of the tiles, so that all tiles read a part of the inputs from the cache.

The filter's gradient of a convolution sums over images and pixels. Where each tile of the filter sums over
all images, it reads all of them, from memory. Where the tiles run inside the loop over images, one image is
read from the cache by all of them, and what is added up goes through the cache once for each image.
"""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import TensorType

from lamina.lowering.codegen.target import Target
from lamina.lowering.vector._access import Structured
from lamina.lowering.vector._combiner import product
from lamina.lowering.vector._cost import bits_of

LEAST_STEPS = 48
"""Steps that a tile takes at least for each time that its sums are read and written."""


def blocks_of(root: Structured, target: Target) -> tuple[int, ...]:
    """The reductions of a sum of products that are better outside of its tiles, from the outermost on."""
    if len(root.reductions) < 2 or len(root.inputs) != 2 or product(root) is None:
        return ()
    reread = [i for i in range(2) if any(not _moves(root, i, loop) for loop in root.parallels)]
    cache = target.l2_bytes / 2
    blocks: list[int] = []
    for loop in sorted(root.reductions):
        if sum(_bytes(root, i, blocks) for i in reread) <= cache:
            break
        blocks.append(loop)
    inside = prod(root.sizes[loop] for loop in root.reductions if loop not in blocks)
    held = sum(_bytes(root, i, blocks) for i in reread)
    return tuple(blocks) if held <= cache and inside >= LEAST_STEPS else ()


def _bytes(root: Structured, operand: int, blocks: list[int]) -> float:
    """What one iteration of some loops leaves of an input: dimensions that such a loop indexes are one."""
    kind = root.inputs[operand].type
    assert isinstance(kind, TensorType)
    sizes = zip(kind.get_shape(), root.input_accesses[operand], strict=True)
    left = prod(1 if expression.is_loop() in blocks else size for size, expression in sizes)
    return left * bits_of(kind.element_type) / 8


def _moves(root: Structured, operand: int, loop: int) -> bool:
    return any(expression.coefficient(loop) for expression in root.input_accesses[operand])
