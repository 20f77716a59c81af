"""Memref types of slices and reshaped buffers, as upstream's inference gives them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IntAttr,
    MemRefType,
    NoneAttr,
    ShapedType,
    StridedLayoutAttr,
)
from xdsl.ir import Attribute

from lamina.dialects.core.diagnostics import error

Extent = int | None
"""A size, stride or offset; None where it is known only at run time."""


def memref_of(type: Attribute) -> MemRefType:
    """The memref of identity layout that holds a tensor type."""
    if not isinstance(type, ShapedType):
        raise error(f"'{type}' has no rank, so it has no buffer type")
    return MemRefType(type.get_element_type(), type.get_shape())  # pyright: ignore[reportAttributeAccessIssue]


def sizes_of(type: MemRefType) -> list[Extent]:
    """The extents of a memref type."""
    return [None if size == DYNAMIC_INDEX else size for size in type.get_shape()]


def canonical_strides(sizes: Sequence[Extent]) -> list[Extent]:
    """The strides of a row-major buffer without gaps."""
    strides: list[Extent] = []
    running: Extent = 1
    for size in reversed(sizes):
        strides.append(running)
        running = None if running is None or size is None else running * size
    return strides[::-1]


def strides_and_offset(type: MemRefType) -> tuple[list[Extent], Extent]:
    """Strides and offset in elements."""
    layout = type.layout
    if isinstance(layout, NoneAttr):
        return canonical_strides(sizes_of(type)), 0
    if isinstance(layout, StridedLayoutAttr):
        strides: list[Extent] = [s.data if isinstance(s, IntAttr) else None for s in layout.strides]
        return strides, layout.offset.data if isinstance(layout.offset, IntAttr) else None
    raise error(f"'{type}' has a layout that is no strided one")


def is_identity(type: MemRefType) -> bool:
    """Whether a buffer is row-major, without gaps, and starts at its pointer."""
    return isinstance(type.layout, NoneAttr)


def is_contiguous(type: MemRefType) -> bool:
    """Whether the elements certainly lie row-major without gaps (the offset does not matter)."""
    strides, _ = strides_and_offset(type)
    expected = canonical_strides(sizes_of(type))
    sizes = sizes_of(type)
    if any(size == 0 for size in sizes):
        return True
    if isinstance(type.layout, NoneAttr):
        return True
    return all(
        size == 1 or (stride is not None and stride == wanted)
        for size, stride, wanted in zip(sizes, strides, expected, strict=True)
    )


def strided_type(
    like: MemRefType, sizes: Sequence[Extent], strides: Sequence[Extent], offset: Extent
) -> MemRefType:
    """A memref type of given layout; the identity layout is left out."""
    shape = [DYNAMIC_INDEX if size is None else size for size in sizes]
    layout = StridedLayoutAttr(list(strides), offset)
    canonical = canonical_strides(sizes)
    if offset == 0 and None not in canonical and list(strides) == canonical:
        return MemRefType(like.element_type, shape, NoneAttr(), like.memory_space)
    return MemRefType(like.element_type, shape, layout, like.memory_space)


def _scaled(a: Extent, b: Extent) -> Extent:
    if a == 0 or b == 0:
        return 0
    return None if a is None or b is None else a * b


def slice_type(
    source: MemRefType,
    offsets: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int],
    shape: Sequence[int],
) -> MemRefType:
    """The type of a subview; numbers are DYNAMIC_INDEX where dynamic, ``shape`` may have a smaller rank."""
    old_strides, offset = strides_and_offset(source)
    for start, stride in zip(offsets, old_strides, strict=True):
        step = _scaled(_extent(start), stride)
        offset = None if offset is None or step is None else offset + step
    new_strides = [_scaled(s, _extent(step)) for s, step in zip(old_strides, strides, strict=True)]
    kept = kept_dims(sizes, shape)
    return strided_type(source, [_extent(sizes[d]) for d in kept], [new_strides[d] for d in kept], offset)


def _extent(value: int) -> Extent:
    return None if value == DYNAMIC_INDEX else value


def kept_dims(sizes: Sequence[int], shape: Sequence[int]) -> list[int]:
    """The dimensions of a slice that remain in a result of smaller rank: those dropped have size one."""
    kept: list[int] = []
    for dim, size in enumerate(sizes):
        if len(kept) < len(shape) and size == shape[len(kept)]:
            kept.append(dim)
        elif size != 1:
            raise error(f"a slice of sizes {list(sizes)} cannot have the shape {list(shape)}")
    return kept


def collapsed_type(source: MemRefType, groups: Sequence[Sequence[int]]) -> MemRefType | None:
    """The type of `memref.collapse_shape`, or None where a group is not certainly contiguous."""
    sizes = sizes_of(source)
    strides, offset = strides_and_offset(source)
    new_sizes: list[Extent] = []
    new_strides: list[Extent] = []
    for group in groups:
        inner = [d for d in group if sizes[d] != 1] or list(group[-1:])
        size: Extent = 1
        for dim in group:
            size = _scaled(size, sizes[dim])
        for outer, following in pairwise(inner):
            expected = _scaled(strides[following], sizes[following])
            known = strides[outer] is not None and strides[outer] == expected
            if not known and not is_identity(source):
                return None
        new_sizes.append(size)
        # Upstream's choice: the innermost dimension whose extent is not one, else the outermost.
        stepping = [d for d in group if sizes[d] != 1] or list(group[:1])
        new_strides.append(strides[stepping[-1]] if stepping else 1)
    return (
        strided_type(source, new_sizes, new_strides, offset)
        if not is_identity(source)
        else _identity(source, new_sizes)
    )


def expanded_type(source: MemRefType, groups: Sequence[Sequence[int]], shape: Sequence[int]) -> MemRefType:
    """The type of `memref.expand_shape`."""
    if is_identity(source):
        return _identity(source, [_extent(size) for size in shape])
    strides, offset = strides_and_offset(source)
    new_strides: list[Extent] = [None] * len(shape)
    for group, stride in zip(groups, strides, strict=True):
        running = stride
        for dim in reversed(group):
            new_strides[dim] = running
            running = _scaled(running, _extent(shape[dim]))
    return strided_type(source, [_extent(size) for size in shape], new_strides, offset)


def _identity(like: MemRefType, sizes: Sequence[Extent]) -> MemRefType:
    shape = [DYNAMIC_INDEX if size is None else size for size in sizes]
    return MemRefType(like.element_type, shape, NoneAttr(), like.memory_space)
