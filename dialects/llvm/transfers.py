"""llvm intrinsics that move blocks of memory, or the lanes of vectors under a mask."""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import I1, BoolAttr, IntegerAttr, IntegerType, UnitAttr, VectorType, i32
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)


class BlockCopy(IRDLOperation, ABC):
    """A copy of ``len`` bytes. Generic syntax."""

    dst = operand_def(LLVMPointerType)
    src = operand_def(LLVMPointerType)
    len = operand_def(IntegerType)
    isVolatile = prop_def(BoolAttr)


@irdl_op_definition
class MemcpyOp(BlockCopy):
    """Source and destination are disjoint, or equal."""

    name = "llvm.intr.memcpy"


@irdl_op_definition
class MemmoveOp(BlockCopy):
    """Source and destination may overlap."""

    name = "llvm.intr.memmove"


@irdl_op_definition
class MemsetOp(IRDLOperation):
    """``len`` bytes set to one value. Generic syntax."""

    name = "llvm.intr.memset"
    dst = operand_def(LLVMPointerType)
    val = operand_def(IntegerType)
    len = operand_def(IntegerType)
    isVolatile = prop_def(BoolAttr)


@irdl_op_definition
class MaskedLoadOp(IRDLOperation):
    """The lanes whose mask is set from memory, the others from the pass-through vector."""

    name = "llvm.intr.masked.load"
    data = operand_def(LLVMPointerType)
    mask = operand_def(VectorType[I1])
    pass_thru = operand_def(VectorType)
    res = result_def(VectorType)
    alignment = prop_def(IntegerAttr[i32])
    nontemporal = opt_prop_def(UnitAttr)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class MaskedStoreOp(IRDLOperation):
    """The lanes whose mask is set, written to memory."""

    name = "llvm.intr.masked.store"
    value = operand_def(VectorType)
    data = operand_def(LLVMPointerType)
    mask = operand_def(VectorType[I1])
    alignment = prop_def(IntegerAttr[i32])
    nontemporal = opt_prop_def(UnitAttr)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$value `,` $data `,` $mask attr-dict `:` type($value) `,` type($mask) `into` type($data)"
    )


@irdl_op_definition
class MaskedGatherOp(IRDLOperation):
    """The lanes whose mask is set from their own addresses, the others from the pass-through vector."""

    name = "llvm.intr.masked.gather"
    ptrs = operand_def(VectorType)
    mask = operand_def(VectorType[I1])
    pass_thru = operand_def(VectorType)
    res = result_def(VectorType)
    alignment = prop_def(IntegerAttr[i32])
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class MaskedScatterOp(IRDLOperation):
    """The lanes whose mask is set, written to their own addresses."""

    name = "llvm.intr.masked.scatter"
    value = operand_def(VectorType)
    ptrs = operand_def(VectorType)
    mask = operand_def(VectorType[I1])
    alignment = prop_def(IntegerAttr[i32])
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$value `,` $ptrs `,` $mask attr-dict `:` type($value) `,` type($mask) `into` type($ptrs)"
    )


@irdl_op_definition
class PrefetchOp(IRDLOperation):
    """A hint that an address is used soon: read or write, locality 0 to 3, data or code. Generic syntax."""

    name = "llvm.intr.prefetch"
    addr = operand_def(LLVMPointerType)
    rw = prop_def(IntegerAttr[i32])
    hint = prop_def(IntegerAttr[i32])
    cache = prop_def(IntegerAttr[i32])


OPERATIONS = [
    MemcpyOp,
    MemmoveOp,
    MemsetOp,
    MaskedLoadOp,
    MaskedStoreOp,
    MaskedGatherOp,
    MaskedScatterOp,
    PrefetchOp,
]
