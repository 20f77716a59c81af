"""Other shapes of the same elements: expanded, collapsed, transposed, reshaped."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, NoneAttr
from xdsl.ir import Operation
from xdsl.ir.affine import AffineDimExpr

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.verifying.groups import attribute, static_values, values
from lamina.dialects.core.verifying.layouts import (
    has_identity_layout,
    product,
    same_layout,
    strided,
    strides_and_offset,
)
from lamina.dialects.core.verifying.reassociation import check_collapsed_shape, reassociation_of
from lamina.dialects.core.verifying.registry import verifies
from lamina.dialects.core.verifying.shapes import rank_of, shape_of


def _with_layout(type: Any, shape: tuple[int, ...], layout: Any) -> MemRefType:
    return MemRefType(type.element_type, shape, layout, type.memory_space)


@verifies("memref.expand_shape")
def _expand(op: Operation) -> None:
    source: Any = op.operands[0].type
    result: Any = op.results[0].type
    before, after = rank_of(source), rank_of(result)
    if before > after:
        raise error(
            f"has source rank {before} and result rank {after}. This is not an expansion "
            f"({before} > {after}).",
            op,
        )
    check_collapsed_shape(op, shape_of(source), shape_of(result), "memrefs")
    expected = _expanded(source, result, reassociation_of(op))
    if expected is None:
        raise error("invalid source layout map", op)
    if expected != result:
        raise error(f"expected expanded type to be '{expected}' but found '{result}'", op)
    numbers, given = static_values(op, "static_output_shape"), len(values(op, "output_shape"))
    if len(numbers) != after:
        raise error(
            f"expected number of static shape bounds to be equal to the output rank ({after}) but found "
            f"{len(numbers)} inputs instead",
            op,
        )
    dynamic = numbers.count(DYNAMIC_INDEX)
    if given != dynamic:
        raise error(
            "mismatch in dynamic dims in output_shape and static_output_shape: static_output_shape has "
            f"{dynamic} dynamic dims while output_shape has {given} values",
            op,
        )
    for position, (extent, number) in enumerate(zip(shape_of(result), numbers, strict=True)):
        if extent not in (DYNAMIC_INDEX, number):
            raise error(f"invalid output shape provided at pos {position}", op)


def _expanded(source: Any, result: Any, groups: list[list[int]]) -> MemRefType | None:
    """The type of an expanded buffer."""
    shape = shape_of(result)
    if has_identity_layout(source):
        return _with_layout(source, shape, NoneAttr())
    found = strides_and_offset(source)
    if found is None:
        return None
    strides = [1] * len(shape)
    for group, stride in zip(groups, found[0], strict=True):
        for dim in reversed(group):
            strides[dim] = stride
            stride = product(stride, shape[dim])
    return _with_layout(source, shape, strided(strides, found[1]))


@verifies("memref.collapse_shape")
def _collapse(op: Operation) -> None:
    source: Any = op.operands[0].type
    result: Any = op.results[0].type
    before, after = rank_of(source), rank_of(result)
    if before < after:
        raise error(
            f"has source rank {before} and result rank {after}. This is not a collapse ({before} < {after}).",
            op,
        )
    check_collapsed_shape(op, shape_of(result), shape_of(source), "memrefs")
    expected = _collapsed(source, shape_of(result), reassociation_of(op))
    if expected is None:
        raise error("invalid source layout map or collapsing non-contiguous dims", op)
    if expected != result:
        raise error(f"expected collapsed type to be '{expected}' but found '{result}'", op)


def _collapsed(source: Any, shape: tuple[int, ...], groups: list[list[int]]) -> MemRefType | None:
    """The type of a collapsed buffer; None where its dimensions are known not to follow each other."""
    if has_identity_layout(source):
        return _with_layout(source, shape, NoneAttr())
    found = strides_and_offset(source)
    if found is None:
        return None
    strides, offset = found
    extents = shape_of(source)
    kept: list[int] = []
    for group in groups:
        rest = list(group)
        while len(rest) > 1 and extents[rest[-1]] == 1:
            rest.pop()
        # An extent that is 1 at run time only may have any stride.
        certain = extents[rest[-1]] != DYNAMIC_INDEX or len(rest) == 1
        kept.append(strides[rest[-1]] if certain else DYNAMIC_INDEX)
    for group, stride in zip(groups, kept, strict=True):
        for dim in reversed(group[1:]):
            stride = product(stride, extents[dim])
            before = strides[dim - 1]
            if extents[dim - 1] != 1 and stride != before and DYNAMIC_INDEX not in (stride, before):
                return None
    return _with_layout(source, shape, strided(kept, offset))


@verifies("memref.transpose")
def _transpose(op: Operation) -> None:
    source: Any = op.operands[0].type
    result: Any = op.results[0].type
    permutation = attribute(op, "permutation").data
    order = [expr.position for expr in permutation.results if isinstance(expr, AffineDimExpr)]
    if sorted(order) != list(range(permutation.num_dims)) or len(order) != len(permutation.results):
        raise error("expected a permutation map", op)
    if len(order) != rank_of(source):
        raise error("expected a permutation map of same rank as the input", op)
    found = strides_and_offset(source)
    if found is None:
        return
    shape = shape_of(source)
    layout = strided([found[0][i] for i in order], found[1])
    expected = _with_layout(source, tuple(shape[i] for i in order), layout)
    alike = (
        shape_of(expected) == shape_of(result)
        and expected.element_type == result.element_type
        and expected.memory_space == result.memory_space
    )
    if not alike or not same_layout(expected, result):
        raise error(
            f"result type '{result}' is not equivalent to the canonical transposed input type '{expected}'",
            op,
        )


@verifies("memref.reshape", types_only=True)
def _reshape(op: Operation) -> None:
    source: Any = op.operands[0].type
    result: Any = op.results[0].type
    if source.element_type != result.element_type:
        raise error("element types of source and destination memref types should be the same", op)
    if isinstance(source, MemRefType) and not has_identity_layout(source):
        raise error("source memref type should have identity affine map", op)
    if not isinstance(result, MemRefType):
        return
    if not has_identity_layout(result):
        raise error("result memref type should have identity affine map", op)
    length = shape_of(op.operands[1].type)[0]
    if length == DYNAMIC_INDEX:
        raise error(
            "cannot use shape operand with dynamic length to reshape to statically-ranked memref type", op
        )
    if length != rank_of(result):
        raise error("length of shape operand differs from the result's memref rank", op)
