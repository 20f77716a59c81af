"""Conversions between types."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.verifying.llvm_types import address_space_of
from lamina.dialects.core.verifying.registry import verifies


@verifies("llvm.bitcast")
def verify_bitcast(op: Operation) -> None:
    """Pointers only from and to pointers of the same address space."""
    source, result = op.operands[0].type, op.results[0].type
    pointers = [_element(type).name == "llvm.ptr" for type in (source, result)]
    if pointers[0] != pointers[1]:
        raise error("can only cast pointers from and to pointers", op)
    if not pointers[0]:
        return
    vectors = [isinstance(type, VectorType) for type in (source, result)]
    if vectors == [True, False]:
        raise error("cannot cast vector of pointers to pointer", op)
    if vectors == [False, True]:
        raise error("cannot cast pointer to vector of pointers", op)
    if address_space_of(_element(source)) != address_space_of(_element(result)):
        message = "cannot cast pointers of different address spaces, use 'llvm.addrspacecast' instead"
        raise error(message, op)


def _element(type: Any) -> Any:
    return type.element_type if isinstance(type, VectorType) else type


@verifies("llvm.zext", "llvm.sext")
def verify_extension(op: Operation) -> None:
    """Wider integers, of the same shape."""
    _check_shapes(op)
    source, result = _element(op.operands[0].type), _element(op.results[0].type)
    if result.width.data <= source.width.data:
        message = (
            "integer width of the output type is smaller or equal to the integer width of the input type"
        )
        raise error(message, op)


@verifies("llvm.trunc")
def verify_truncation(op: Operation) -> None:
    """Narrower integers, of the same shape."""
    _check_shapes(op)
    source, result = _element(op.operands[0].type), _element(op.results[0].type)
    if result.width.data >= source.width.data:
        message = "integer width of the output type is larger or equal to the integer width of the input type"
        raise error(message, op)


def _check_shapes(op: Operation) -> None:
    source, result = op.operands[0].type, op.results[0].type
    if isinstance(source, VectorType) and not isinstance(result, VectorType):
        raise error("input type is a vector but output type is an integer", op)
    if isinstance(result, VectorType) and not isinstance(source, VectorType):
        raise error("input type is an integer but output type is a vector", op)
    if isinstance(source, VectorType) and isinstance(result, VectorType):
        same = (
            source.get_shape() == result.get_shape()
            and source.get_scalable_dims() == result.get_scalable_dims()
        )
        if not same:
            raise error("input and output vectors are of incompatible shape", op)
