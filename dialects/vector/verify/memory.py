"""Loads and stores of vectors, also masked, compressed, gathered and scattered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, VectorType
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.verifying.groups import values
from lamina.dialects.core.verifying.layouts import strides_and_offset
from lamina.dialects.core.verifying.registry import Check, verifies
from lamina.dialects.core.verifying.shapes import elements_in, is_scalable, rank_of, shape_of


def _type(op: Operation, name: str) -> Any:
    return values(op, name)[0].type


def _check_indices(op: Operation, base: Any, name: str = "indices") -> None:
    if len(values(op, name)) != rank_of(base):
        raise error(f"requires {rank_of(base)} indices", op)


def _check_layout(op: Operation, base: Any, vector: Any) -> None:
    """The last dimension of a memref has no gaps, unless there is one element only."""
    if not isinstance(base, MemRefType) or (not is_scalable(vector) and elements_in(vector) == 1):
        return
    found = strides_and_offset(base)
    if rank_of(base) and (found is None or found[0][-1] != 1):
        raise error("most minor memref dim must have unit stride", op)


def _element(op: Operation, base: Any, vector: Any, what: str) -> Any:
    """The element type of a memref, inside of the vectors that may be its elements."""
    element = base.element_type
    if isinstance(element, VectorType):
        if element != vector:
            raise error(f"base memref and {what} vector types should match", op)
        return element.element_type
    return element


@verifies("vector.load", types_only=True)
def _load(op: Operation) -> None:
    base, vector = _type(op, "base"), op.results[0].type
    _check_layout(op, base, vector)
    if rank_of(base) < rank_of(vector):
        raise error("destination memref has lower rank than the result vector", op)
    if _element(op, base, vector, "result") != vector.element_type:  # pyright: ignore[reportAttributeAccessIssue]
        raise error("base and result element types should match", op)
    _check_indices(op, base)


@verifies("vector.store", types_only=True)
def _store(op: Operation) -> None:
    base, vector = _type(op, "base"), _type(op, "valueToStore")
    _check_layout(op, base, vector)
    if rank_of(base) < rank_of(vector):
        raise error("source memref has lower rank than the vector to store", op)
    if _element(op, base, vector, "valueToStore") != vector.element_type:
        raise error("base and valueToStore element type should match", op)
    _check_indices(op, base)


def _masked_read(wrong_mask: str, shape: Callable[[Any], Any]) -> Check:
    def check(op: Operation) -> None:
        base, result = _type(op, "base"), op.results[0].type
        if base.element_type != result.element_type:  # pyright: ignore[reportAttributeAccessIssue]
            raise error("base and result element type should match", op)
        _check_indices(op, base)
        if shape(result) != shape(_type(op, "mask")):
            raise error(wrong_mask, op)
        if result != _type(op, "pass_thru"):
            raise error("expected pass_thru of same type as result type", op)

    return check


def _masked_write(wrong_mask: str, shape: Callable[[Any], Any]) -> Check:
    def check(op: Operation) -> None:
        base, vector = _type(op, "base"), _type(op, "valueToStore")
        if base.element_type != vector.element_type:
            raise error("base and valueToStore element type should match", op)
        _check_indices(op, base)
        if shape(vector) != shape(_type(op, "mask")):
            raise error(wrong_mask, op)

    return check


def _first(type: Any) -> int:
    extents = shape_of(type)
    return extents[0] if extents else DYNAMIC_INDEX


verifies("vector.maskedload", types_only=True)(
    _masked_read("expected result shape to match mask shape", shape_of)
)
verifies("vector.expandload", types_only=True)(_masked_read("expected result dim to match mask dim", _first))
verifies("vector.maskedstore", types_only=True)(
    _masked_write("expected valueToStore shape to match mask shape", shape_of)
)
verifies("vector.compressstore", types_only=True)(
    _masked_write("expected valueToStore dim to match mask dim", _first)
)


@verifies("vector.gather", types_only=True)
def _gather(op: Operation) -> None:
    _indexed(op, op.results[0].type, "result")
    if op.results[0].type != _type(op, "pass_thru"):
        raise error("expected pass_thru of same type as result type", op)


@verifies("vector.scatter", types_only=True)
def _scatter(op: Operation) -> None:
    _indexed(op, _type(op, "valueToStore"), "valueToStore")


def _indexed(op: Operation, vector: Any, what: str) -> None:
    base = _type(op, "base")
    if not hasattr(base, "shape"):
        raise error("requires base to be a memref or ranked tensor type", op)
    if base.element_type != vector.element_type:
        raise error(f"base and {what} element type should match", op)
    _check_indices(op, base, "offsets")
    if shape_of(vector) != shape_of(_type(op, "indices")):
        raise error(f"expected {what} dim to match indices dim", op)
    if shape_of(vector) != shape_of(_type(op, "mask")):
        raise error(f"expected {what} dim to match mask dim", op)
