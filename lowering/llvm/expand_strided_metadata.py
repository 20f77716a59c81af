"""Views of memrefs as descriptors put together anew: offset, sizes and strides become arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, IndexType, IntegerAttr, MemRefType
from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.diagnostics import error
from lamina.lowering.llvm._types import strides_of
from lamina.lowering.llvm._values import mixed
from lamina.passes.framework.conditions import no_op
from lamina.passes.framework.passes import Pass, PassContext
from lamina.passes.framework.walk import operations_named

Part = int | SSAValue
INDEX = IndexType()


def expand_strided_metadata(root: Operation) -> int:
    """Turn subviews and reshapes under ``root`` into ``memref.reinterpret_cast``; returns how many."""
    operations = operations_named(root, RULES)
    for op in operations:
        RULES[op.name](Expansion(op))
    return len(operations)


class Expansion:
    """One view: the parts of its source, and arithmetic on them before the operation."""

    def __init__(self, op: Operation) -> None:
        self.op = op
        self.source = op.operands[0]
        type = self.source.type
        assert isinstance(type, MemRefType)
        layout = strides_of(type)
        if layout is None:
            raise error(f"views {type}, whose layout is not strided", op)
        self.shape = type.get_shape()
        self._strides, self._offset = layout
        self._metadata: memref.ExtractStridedMetaDataOp | None = None

    def insert(self, new: Operation) -> SSAValue:
        """Put an operation before the view, with its location."""
        new.location = self.op.location
        assert self.op.parent is not None
        self.op.parent.insert_op_before(new, self.op)
        return new.results[0]

    def metadata(self) -> memref.ExtractStridedMetaDataOp:
        """The operation that says what the source's type does not; made where needed only."""
        if self._metadata is None:
            self._metadata = memref.ExtractStridedMetaDataOp(self.source)
            self.insert(self._metadata)
        return self._metadata

    def offset(self) -> Part:
        """The source's offset."""
        return self.metadata().offset if self._offset is None else self._offset

    def stride(self, dimension: int) -> Part:
        """The source's stride along a dimension."""
        known = self._strides[dimension]
        return self.metadata().strides[dimension] if known is None else known

    def size(self, dimension: int) -> Part:
        """The source's size along a dimension."""
        known = self.shape[dimension]
        return self.metadata().sizes[dimension] if known == DYNAMIC_INDEX else known

    def value(self, part: Part) -> SSAValue:
        """A part as an SSA value."""
        return self.insert(arith.ConstantOp(IntegerAttr(part, INDEX))) if isinstance(part, int) else part

    def multiply(self, a: Part, b: Part) -> Part:
        """The product of two parts, folded where it is known."""
        if isinstance(a, int) and isinstance(b, int):
            return a * b
        if a == 1 or b == 1:
            return b if a == 1 else a
        if a == 0 or b == 0:
            return 0
        return self.insert(arith.MuliOp(self.value(a), self.value(b)))

    def add(self, a: Part, b: Part) -> Part:
        """The sum of two parts, folded where it is known."""
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        if a == 0 or b == 0:
            return b if a == 0 else a
        return self.insert(arith.AddiOp(self.value(a), self.value(b)))

    def replace(self, offset: Part, sizes: Sequence[Part], strides: Sequence[Part]) -> None:
        """Put the reinterpret_cast in the view's place; what its type fixes is taken from the type."""
        result = self.op.results[0]
        type = result.type
        assert isinstance(type, MemRefType)
        layout = strides_of(type)
        if layout is None:
            raise error(f"makes {type}, whose layout is not strided", self.op)
        static_strides, static_offset = layout
        cast = memref.ReinterpretCastOp.from_dynamic(
            self.source,
            [_static(static_offset, offset)],
            [
                _static(None if n == DYNAMIC_INDEX else n, s)
                for n, s in zip(type.get_shape(), sizes, strict=True)
            ],
            [_static(known, s) for known, s in zip(static_strides, strides, strict=True)],
            type,
        )
        result.replace_all_uses_with(self.insert(cast))
        assert self.op.parent is not None
        self.op.parent.erase_op(self.op)


def _static(known: int | None, part: Part) -> Part:
    return part if known is None else known


def _groups(op: Operation) -> list[list[int]]:
    reassociation = op.properties["reassociation"]
    assert isinstance(reassociation, ArrayAttr)
    return [[i.value.data for i in group] for group in reassociation]  # pyright: ignore[reportGeneralTypeIssues]


def _subview(expansion: Expansion) -> None:
    """The offset moves by the offsets times the strides; strides are multiplied."""
    op = expansion.op
    assert isinstance(op, memref.SubviewOp)
    offsets = mixed(op.static_offsets, op.offsets)
    sizes = mixed(op.static_sizes, op.sizes)
    steps = mixed(op.static_strides, op.strides)
    offset = expansion.offset()
    for i, start in enumerate(offsets):
        if start != 0:
            offset = expansion.add(offset, expansion.multiply(start, expansion.stride(i)))
    kept = _kept_dimensions(op, sizes)
    strides = [expansion.multiply(steps[i], expansion.stride(i)) for i in kept]
    expansion.replace(offset, [sizes[i] for i in kept], strides)


def _kept_dimensions(op: memref.SubviewOp, sizes: Sequence[Part]) -> list[int]:
    """The dimensions of a subview that its result has: the others have size 1 and are dropped.

    Where some dimensions of size 1 stay and others go, the strides of the result's type tell which.
    """
    source, type = op.source.type, op.result.type
    assert isinstance(source, MemRefType) and isinstance(type, MemRefType)
    shape = type.get_shape()
    if len(shape) == len(sizes):
        return list(range(len(sizes)))
    units = [i for i, size in enumerate(sizes) if size == 1]
    if len(units) == len(sizes) - len(shape):
        return [i for i in range(len(sizes)) if i not in units]
    source_layout, layout = strides_of(source), strides_of(type)
    steps = mixed(op.static_strides, op.strides)
    kept: list[int] = []
    for i, size in enumerate(sizes):
        at = len(kept)
        droppable = len(sizes) - i > len(shape) - at
        if size == 1 and droppable and not _fits(source_layout, layout, steps, i, at, shape):
            continue
        kept.append(i)
    return kept


def _fits(
    source: tuple[tuple[int | None, ...], int | None] | None,
    result: tuple[tuple[int | None, ...], int | None] | None,
    steps: Sequence[Part],
    dimension: int,
    at: int,
    shape: Sequence[int],
) -> bool:
    """Whether a source dimension of size 1 can be the result's dimension ``at``."""
    if at >= len(shape) or shape[at] != 1 or source is None or result is None:
        return False
    step, stride, wanted = steps[dimension], source[0][dimension], result[0][at]
    if not isinstance(step, int) or stride is None or wanted is None:
        return True
    return step * stride == wanted


def _expand_shape(expansion: Expansion) -> None:
    """Each group's strides are products of the sizes behind, times the stride that was split."""
    op = expansion.op
    assert isinstance(op, memref.ExpandShapeOp)
    sizes = mixed(op.static_output_shape, op.output_shape)
    strides: list[Part] = [1] * len(sizes)
    for dimension, group in enumerate(_groups(op)):
        stride = expansion.stride(dimension)
        for i in reversed(group):
            strides[i] = stride
            stride = expansion.multiply(stride, sizes[i]) if i != group[0] else stride
    expansion.replace(expansion.offset(), sizes, strides)


def _collapse_shape(expansion: Expansion) -> None:
    """Each group's size is a product, its stride that of its last dimension that is not 1."""
    sizes: list[Part] = []
    strides: list[Part] = []
    for group in _groups(expansion.op):
        size: Part = 1
        for i in group:
            size = expansion.multiply(size, expansion.size(i))
        sizes.append(size)
        inner = next((i for i in reversed(group) if expansion.shape[i] != 1), group[-1])
        strides.append(expansion.stride(inner))
    expansion.replace(expansion.offset(), sizes, strides)


RULES: dict[str, Callable[[Expansion], None]] = {
    "memref.subview": _subview,
    "memref.expand_shape": _expand_shape,
    "memref.collapse_shape": _collapse_shape,
}


@dataclass(frozen=True)
class ExpandStridedMetadata(Pass):
    """Turn views of memrefs into `memref.reinterpret_cast` with explicit offset, sizes and strides.

    `memref.extract_strided_metadata` appears only where the source's type leaves something open.

    ```mlir
    func.func @f(%m: memref<8x8xf32>, %i: index) -> memref<2x4xf32, strided<[8, 1], offset: ?>> {
      %0 = memref.subview %m[%i, 4] [2, 4] [1, 1] : memref<8x8xf32> to memref<2x4xf32, strided<[8, 1], offset: ?>>
      return %0 : memref<2x4xf32, strided<[8, 1], offset: ?>>
    }
    ```

    ```mlir
    func.func @f(%m: memref<8x8xf32>, %i: index) -> memref<2x4xf32, strided<[8, 1], offset: ?>> {
      %0 = arith.constant 8 : index
      %1 = arith.muli %i, %0 : index
      %2 = arith.constant 4 : index
      %3 = arith.addi %1, %2 : index
      %4 = memref.reinterpret_cast %m to offset: [%3], sizes: [2, 4], strides: [8, 1] : memref<8x8xf32> to memref<2x4xf32, strided<[8, 1], offset: ?>>
      return %4 : memref<2x4xf32, strided<[8, 1], offset: ?>>
    }
    ```
    """  # noqa: E501

    name = "expand-strided-metadata"
    anchor = "any"
    ensures = (no_op(*RULES),)
    statistics = {"expanded": "views expanded"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("expanded", expand_strided_metadata(op))
