"""The strides of memref types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, IntAttr, NoneAttr, StridedLayoutAttr
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from lamina.dialects.core.verifying.shapes import shape_of


def strides_and_offset(type: Any) -> tuple[list[int], int] | None:
    """The strides and the offset of a memref, in elements; dynamic ones are ``DYNAMIC_INDEX``.

    None where the layout is a map that is not strided.
    """
    layout = type.layout
    shape = shape_of(type)
    if isinstance(layout, NoneAttr):
        return contiguous_strides(shape), 0
    if isinstance(layout, StridedLayoutAttr):
        return [_number(stride) for stride in layout.strides.data], _number(layout.offset)
    if isinstance(layout, AffineMapAttr):
        return _of_map(layout.data, shape)
    return None


def _number(value: Any) -> int:
    return value.data if isinstance(value, IntAttr) else DYNAMIC_INDEX


def contiguous_strides(shape: tuple[int, ...]) -> list[int]:
    """The strides of a row-major layout."""
    strides: list[int] = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step = DYNAMIC_INDEX if DYNAMIC_INDEX in (step, extent) else step * extent
    return strides[::-1]


def _of_map(affine_map: Any, shape: tuple[int, ...]) -> tuple[list[int], int] | None:
    """Strides of a map with one result that is a sum of dimensions times factors; identity maps are
    row-major."""
    results = affine_map.results
    dims = affine_map.num_dims
    if len(results) == dims and all(
        isinstance(r, AffineDimExpr) and r.position == i for i, r in enumerate(results)
    ):
        return contiguous_strides(shape), 0
    if len(results) != 1:
        return None
    terms: dict[int, int] = {}
    if not _collect(results[0], 1, terms):
        return None
    return [terms.get(i, 0) for i in range(dims)], terms.get(-1, 0)


def _collect(expr: AffineExpr, factor: int, terms: dict[int, int]) -> bool:
    """Add the terms of ``factor * expr``: by dimension, the constant under -1; False where it is not
    linear."""
    if isinstance(expr, AffineConstantExpr):
        return _add(terms, -1, product(factor, expr.value))
    if isinstance(expr, AffineDimExpr):
        return _add(terms, expr.position, factor)
    if isinstance(expr, AffineBinaryOpExpr):
        if expr.kind is AffineBinaryOpKind.Add:
            return _collect(expr.lhs, factor, terms) and _collect(expr.rhs, factor, terms)
        if expr.kind is AffineBinaryOpKind.Mul:
            for one, other in ((expr.lhs, expr.rhs), (expr.rhs, expr.lhs)):
                if isinstance(other, AffineConstantExpr):
                    return _collect(one, product(factor, other.value), terms)
                if not _has_dims(other):
                    return _collect(one, DYNAMIC_INDEX, terms)
        return not _has_dims(expr) and _add(terms, -1, DYNAMIC_INDEX)
    return _add(terms, -1, DYNAMIC_INDEX)


def _add(terms: dict[int, int], position: int, value: int) -> bool:
    known = terms.get(position, 0)
    terms[position] = DYNAMIC_INDEX if DYNAMIC_INDEX in (known, value) else known + value
    return True


def _has_dims(expr: AffineExpr) -> bool:
    if isinstance(expr, AffineBinaryOpExpr):
        return _has_dims(expr.lhs) or _has_dims(expr.rhs)
    return isinstance(expr, AffineDimExpr)


def product(a: int, b: int) -> int:
    """A product that is dynamic where a factor is, but for zero."""
    return DYNAMIC_INDEX if DYNAMIC_INDEX in (a, b) and 0 not in (a, b) else a * b


def total(a: int, b: int) -> int:
    """A sum that is dynamic where a part is."""
    return DYNAMIC_INDEX if DYNAMIC_INDEX in (a, b) else a + b


def has_identity_layout(type: Any) -> bool:
    """Whether the layout of a memref is row-major by its form: none, an identity map, or strides of
    one row."""
    layout = type.layout
    if isinstance(layout, NoneAttr):
        return True
    if isinstance(layout, AffineMapAttr):
        results = layout.data.results
        return len(results) == layout.data.num_dims and all(
            isinstance(r, AffineDimExpr) and r.position == i for i, r in enumerate(results)
        )
    return strides_and_offset(type) == ([1], 0)


def strided(strides: Sequence[int], offset: int) -> StridedLayoutAttr:
    """A layout of strides and an offset, each of them possibly dynamic."""
    shown = [None if stride == DYNAMIC_INDEX else stride for stride in strides]
    return StridedLayoutAttr(shown, None if offset == DYNAMIC_INDEX else offset)


def same_layout(first: Any, second: Any) -> bool:
    """Whether two memrefs of one shape lie alike, whatever the form of their layouts."""
    if first.layout == second.layout:
        return True
    found = strides_and_offset(first)
    return found is not None and found == strides_and_offset(second)
