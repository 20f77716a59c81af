"""Addresses, and the arithmetic of what may be known at compile time: integers stay integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Protocol

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i32
from xdsl.dialects.llvm import AddOp, MulOp
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.llvm.memory import NO_WRAP_FLAGS, USE_OPERAND, GEPOp
from lamina.lowering.llvm._types import INDEX

if TYPE_CHECKING:
    from lamina.lowering.llvm._descriptors import Descriptor

Part = int | SSAValue
"""A size, stride, offset or index: an integer where it is known."""
INBOUNDS_NUW = IntegerAttr(7, i32)
NO_FLAGS = IntegerAttr(0, i32)
NO_WRAP = {"overflowFlags": IntegerAttr(3, i32)}


class Rewriter(Protocol):
    """What a conversion offers here: see :class:`lamina.lowering.llvm._conversion.Conversion`."""

    op: Operation

    def value(self, value: SSAValue) -> SSAValue: ...
    def converted_type(self, type: Attribute) -> Attribute: ...
    def descriptor(self, memref: SSAValue) -> Descriptor: ...
    def emit(
        self,
        kind: type[Operation],
        operands: Sequence[SSAValue],
        result_type: Attribute,
        properties: Mapping[str, Attribute] | None = None,
    ) -> SSAValue: ...
    def constant(self, value: int | float, type: Attribute = INDEX) -> SSAValue: ...
    def insert_behind(self, value: SSAValue, op: Operation) -> None: ...
    def erase(self, op: Operation) -> None: ...


@cache
def index_list(indices: tuple[int, ...]) -> DenseArrayBase:
    """The attribute for 32-bit indices, made once."""
    return DenseArrayBase.from_list(i32, indices)


def address(
    conversion: Rewriter, pointer: SSAValue, indices: Sequence[Part], element: Attribute, flags: IntegerAttr
) -> SSAValue:
    """A getelementptr; integer indices stand in the operation, unless they need more than 32 bits."""
    operands = [pointer]
    constants: list[int] = []
    for index in indices:
        if isinstance(index, int) and -(2**31) < index < 2**31:
            constants.append(index)
        else:
            constants.append(USE_OPERAND)
            operands.append(conversion.constant(index) if isinstance(index, int) else index)
    properties: dict[str, Attribute] = {
        "elem_type": element,
        "noWrapFlags": flags,
        "rawConstantIndices": index_list(tuple(constants)),
    }
    return conversion.emit(GEPOp, operands, pointer.type, properties)


def add_parts(conversion: Rewriter, a: Part, b: Part) -> Part:
    """The sum of two parts, folded where it is known."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if isinstance(a, int):
        a, b = b, a
    if isinstance(b, int):
        if b == 0:
            return a
        b = conversion.constant(b)
    assert isinstance(a, SSAValue)
    return conversion.emit(AddOp, (a, b), INDEX, NO_WRAP)


def multiply_parts(conversion: Rewriter, a: Part, b: Part) -> Part:
    """The product of two parts, folded where it is known."""
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if isinstance(a, int):
        a, b = b, a
    if isinstance(b, int):
        if b in (0, 1):
            return a if b else 0
        b = conversion.constant(b)
    assert isinstance(a, SSAValue)
    return conversion.emit(MulOp, (a, b), INDEX, NO_WRAP)


def field_address(base: SSAValue, number: int, element: Attribute) -> llvm.GEPOp:
    """The address of one of the elements that a pointer points to, which is known to be there."""
    step = llvm.GEPOp(base, [number], element)
    step.properties["noWrapFlags"] = IntegerAttr(NO_WRAP_FLAGS["inbounds"], i32)
    return step
