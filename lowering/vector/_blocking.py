"""Which loops run in blocks outside of the tiles, so that all tiles read a part of the inputs from the cache.

The filter's gradient of a convolution sums over images and pixels. Where each tile of the filter sums over
all images, it reads all of them, from memory. Where the tiles run inside the loop over images, one image is
read from the cache by all of them, and what is added up goes through the cache once for each image.

A product of few rows with a large matrix takes as long as reading the matrix. Tile by tile it would be read
in columns, a cache line from each of its rows; in blocks of a few rows it is read as it lies in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import TensorType

from lamina.lowering.codegen.target import Target
from lamina.lowering.vector._access import Structured
from lamina.lowering.vector._combiner import product
from lamina.lowering.vector._cost import bits_of

STREAMED_ROWS = 8
"""Rows of a matrix that are read side by side: prefetching follows so many (16 took 1.5 times as long)."""
MOST_ROWS = 24
"""Rows of the other factor up to which reading the matrix is what counts; beyond, packing it pays."""
MOST_ROWS_OF_PACKED = 12
"""The same where the matrix is a constant, which is packed ahead."""
FAR = 16
"""How many second-level caches something has to be larger than to come from memory each time."""
_COLUMNS = 2048
"""Columns of a block: threads share blocks, and longer runs of memory gain little."""
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


@dataclass(frozen=True)
class StreamedMatrix:
    """A large matrix that a product reads for few rows."""

    operand: int
    summed: int
    """The loop of the reduction."""
    rows: int
    """Of the other factor."""


def streamed_matrix(root: Structured, vector: int, target: Target) -> StreamedMatrix | None:
    """The large matrix that a product reads for few rows.

    It lies in rows along ``vector`` and depends on no other parallel loop.
    """
    reductions = [loop for loop in root.reductions if root.sizes[loop] > 1]
    if len(reductions) != 1 or len(root.inputs) != 2 or product(root) is None or vector in reductions:
        return None
    (summed,) = reductions
    rows = prod(root.sizes[loop] for loop in root.parallels if loop != vector)
    matrices = [i for i in range(2) if _moves(root, i, vector)]
    if rows > MOST_ROWS or len(matrices) != 1 or not _is_matrix(root, matrices[0], summed, vector):
        return None
    is_large = _bytes(root, matrices[0], []) > FAR * target.l2_bytes
    if not is_large or root.sizes[vector] < target.line_bytes:
        return None
    return StreamedMatrix(matrices[0], summed, rows)


def _is_matrix(root: Structured, operand: int, summed: int, vector: int) -> bool:
    """Whether an operand is indexed by a reduction and, last, the vector loop; where it is given whole."""
    varying = [e for e in root.input_accesses[operand] if e.coefficients]
    in_rows = root.input_accesses[operand][-1].is_loop() == vector
    return in_rows and [e.is_loop() for e in varying] == [summed, vector]


def columns_of_block(size: int, tile: int) -> int:
    """The columns of a block, in whole tiles: two blocks at least, for threads to share."""
    blocks = max(2, -(-size // _COLUMNS))
    return -(-size // (blocks * tile)) * tile


def _bytes(root: Structured, operand: int, blocks: list[int]) -> float:
    """What one iteration of some loops leaves of an input: dimensions that such a loop indexes are one."""
    kind = root.inputs[operand].type
    assert isinstance(kind, TensorType)
    sizes = zip(kind.get_shape(), root.input_accesses[operand], strict=True)
    left = prod(1 if expression.is_loop() in blocks else size for size, expression in sizes)
    return left * bits_of(kind.element_type) / 8


def _moves(root: Structured, operand: int, loop: int) -> bool:
    return any(expression.coefficient(loop) for expression in root.input_accesses[operand])
