"""``vector.transfer_read``, ``vector.transfer_write`` and ``vector.type_cast``."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.verifying.groups import attribute, values
from lamina.dialects.core.verifying.layouts import has_identity_layout
from lamina.dialects.core.verifying.registry import verifies
from lamina.dialects.core.verifying.shapes import element_or_self, rank_of, shape_of
from lamina.dialects.core.writing.affine import map_text
from lamina.dialects.vector.bits import bits_of
from lamina.dialects.vector.transfers import SHAPED, mask_type


@verifies("vector.transfer_read")
def _read(op: Operation) -> None:
    shaped: Any = values(op, "base")[0].type
    vector: Any = op.results[0].type
    _check_transfer(op, shaped, vector)
    padding, element = values(op, "padding")[0].type, shaped.element_type
    if padding != element:
        if isinstance(element, VectorType):
            raise error("requires source element type and padding type to match.", op)
        raise error("requires formal padding and source of the same elemental type", op)
    _check_map(op)


@verifies("vector.transfer_write")
def _write(op: Operation) -> None:
    shaped: Any = values(op, "base")[0].type
    vector: Any = values(op, "valueToStore")[0].type
    if len(values(op, "indices")) != rank_of(shaped):
        raise error(f"requires {rank_of(shaped)} indices", op)
    if any(isinstance(expr, AffineConstantExpr) for expr in attribute(op, "permutation_map").data.results):
        raise error("should not have broadcast dimensions", op)
    _check_transfer(op, shaped, vector)
    _check_map(op)


def _check_transfer(op: Operation, shaped: Any, vector: Any) -> None:
    if len(values(op, "indices")) != rank_of(shaped):
        raise error(f"requires {rank_of(shaped)} indices", op)
    if "masked" in op.attributes:
        raise error("masked attribute has been removed. Use in_bounds instead.", op)
    if not isinstance(shaped, SHAPED):
        raise error("requires source to be a memref or ranked tensor type", op)
    mask = [value.type for value in values(op, "mask")]
    map = attribute(op, "permutation_map").data
    _check_elements(op, shaped.element_type, vector, len(map.results), bool(mask))
    if map.num_symbols:
        raise error("requires permutation_map without symbols", op)
    if map.num_dims != rank_of(shaped):
        raise error("requires a permutation_map with input dims of the same rank as the source type", op)
    if mask and mask[0] != (wanted := mask_type(vector, map)):
        raise error(f"inferred mask type ('{wanted}') and mask operand type ('{mask[0]}') don't match", op)
    bounds = attribute(op, "in_bounds")
    if len(bounds.data) != len(map.results):
        raise error(
            "expects the in_bounds attr of same rank as permutation_map results: "
            f"affine_map<{map_text(map)}> vs inBounds of size: {len(bounds.data)}",
            op,
        )


def _check_elements(op: Operation, element: Any, vector: Any, results: int, masked: bool) -> None:
    whole = bits_of(vector.element_type) * (shape_of(vector) or (1,))[-1]
    inner = 0
    if isinstance(element, VectorType):
        if whole % (bits_of(element.element_type) * (shape_of(element) or (1,))[-1]):
            raise error(
                "requires the bitwidth of the minor 1-D vector to be an integral multiple of the bitwidth of "
                "the minor 1-D vector of the source",
                op,
            )
        inner = rank_of(element)
        if inner > rank_of(vector):
            raise error("requires source vector element and vector result ranks to match.", op)
    elif whole % bits_of(element):
        raise error(
            "requires the bitwidth of the minor 1-D vector to be an integral multiple of the bitwidth of the "
            "source element type",
            op,
        )
    if results != rank_of(vector) - inner:
        raise error("requires a permutation_map with result dims of the same rank as the vector type", op)
    if inner and masked:
        raise error("does not support masks with vector element type", op)


def _check_map(op: Operation) -> None:
    seen: set[int] = set()
    for expr in attribute(op, "permutation_map").data.results:
        if isinstance(expr, AffineConstantExpr) and expr.value == 0:
            continue
        if not isinstance(expr, AffineDimExpr):
            raise error(
                "requires a projected permutation_map (at most one dim or the zero constant can appear in "
                "each result)",
                op,
            )
        if expr.position in seen:
            raise error(
                "requires a permutation_map that is a permutation (found one dim used more than once)", op
            )
        seen.add(expr.position)


@verifies("vector.type_cast", types_only=True)
def _type_cast(op: Operation) -> None:
    source: Any = op.operands[0].type
    result: Any = op.results[0].type
    if not has_identity_layout(source):
        raise error("expects operand to be a memref with identity layout", op)
    if not has_identity_layout(result):
        raise error("expects result to be a memref with identity layout", op)
    if source.memory_space != result.memory_space:
        raise error("expects result in same memory space", op)
    if element_or_self(source.element_type) != element_or_self(result.element_type):
        raise error(f"expects result and operand with same underlying scalar type: '{result}'", op)
    if _extents(source) != _extents(result):
        raise error(f"expects concatenated result and operand shapes to be equal: '{result}'", op)


def _extents(type: Any) -> tuple[int, ...]:
    inner = type.element_type
    return shape_of(type) + (shape_of(inner) if isinstance(inner, VectorType) else ())
