"""Rules for memref globals.

A constant has no initialiser: its value stands in the attribute ``lamina.value``, and whoever loads the code
binds the symbol to the value's buffer. So weights never pass through text.
"""

from __future__ import annotations

import math

from xdsl.dialects import llvm, memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, MemRefType, UnitAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lamina.dialects.core.diagnostics import error
from lamina.lowering.llvm._conversion import Conversion, Rule
from lamina.lowering.llvm._descriptors import Descriptor
from lamina.lowering.llvm._types import convert_type, is_static_identity, pointer_type

VALUE = "lamina.value"
"""The attribute of an external constant that holds its value."""


def global_type(type: MemRefType) -> Attribute:
    """The flat array type that holds a memref's elements."""
    return llvm.LLVMArrayType(math.prod(type.get_shape()), convert_type(type.element_type))


def _global(conversion: Conversion, op: Operation) -> list[SSAValue]:
    assert isinstance(op, memref.GlobalOp)
    type = op.properties["type"]
    if not (isinstance(type, MemRefType) and is_static_identity(type)):
        raise error(f"has type {type}: globals need a static shape and a row-major layout", op)
    value = op.properties.get("initial_value")
    alignment = op.properties.get("alignment")
    constant = "constant" in op.properties
    new = llvm.GlobalOp(
        global_type(type),
        op.sym_name,
        "external" if constant or value is None else "private",
        constant=constant,
        alignment=alignment.value.data if isinstance(alignment, IntegerAttr) else None,
    )
    if constant and value is not None and not isinstance(value, UnitAttr):
        new.attributes[VALUE] = value
    elif isinstance(value, DenseIntOrFPElementsAttr):
        new.properties["value"] = value
    elif isinstance(value, UnitAttr):
        new.regions[0].add_block(_poison(new.global_type))
    elif value is not None:
        raise error("is a mutable global with a value outside the text", op, hint="make it constant")
    conversion.insert(new)
    return []


def _poison(type: Attribute) -> Block:
    undefined = llvm.UndefOp(type)
    return Block([undefined, llvm.ReturnOp(undefined.res)])


def _get_global(conversion: Conversion, op: Operation) -> Descriptor:
    assert isinstance(op, memref.GetGlobalOp)
    type = op.memref.type
    assert isinstance(type, MemRefType)
    pointer = conversion.emit(
        llvm.AddressOfOp, (), pointer_type(type.memory_space), {"global_name": op.name_}
    )
    return Descriptor.of_pointer(type, pointer, pointer)


GLOBAL_RULES: dict[str, Rule] = {"memref.global": _global, "memref.get_global": _get_global}
