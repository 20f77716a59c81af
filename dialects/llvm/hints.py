"""llvm intrinsics that compute little: lifetimes, assumptions, traps, and vectors by position."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import (
    I1,
    DenseArrayBase,
    IntegerAttr,
    SignlessIntegerConstraint,
    VectorType,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure


class Lifetime(IRDLOperation, ABC):
    """A bound of the time in which a stack slot holds a value."""

    ptr = operand_def(LLVMPointerType)
    assembly_format = "$ptr attr-dict `:` type($ptr)"


@irdl_op_definition
class LifetimeStartOp(Lifetime):
    """From here on the slot is in use; what it held is gone."""

    name = "llvm.intr.lifetime.start"


@irdl_op_definition
class LifetimeEndOp(Lifetime):
    """From here on the slot is not in use."""

    name = "llvm.intr.lifetime.end"


@irdl_op_definition
class AssumeOp(IRDLOperation):
    """A promise to the optimiser that the condition is true. Generic syntax."""

    name = "llvm.intr.assume"
    cond = operand_def(I1)
    op_bundle_operands = var_operand_def()
    op_bundle_sizes = prop_def(DenseArrayBase.constr(i32))


@irdl_op_definition
class TrapOp(IRDLOperation):
    """Ends the program abnormally. Generic syntax."""

    name = "llvm.intr.trap"


@irdl_op_definition
class ExpectOp(IRDLOperation):
    """The first operand, which is usually the second. Generic syntax."""

    T: ClassVar = VarConstraint("T", SignlessIntegerConstraint)
    name = "llvm.intr.expect"
    val = operand_def(T)
    expected = operand_def(T)
    res = result_def(T)
    traits = traits_def(Pure())


@irdl_op_definition
class StepVectorOp(IRDLOperation):
    """The integers from 0 on."""

    name = "llvm.intr.stepvector"
    res = result_def(VectorType.constr(SignlessIntegerConstraint))
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($res)"


@irdl_op_definition
class ExpandLoadOp(IRDLOperation):
    """Consecutive elements of memory into the lanes whose mask is set. Generic syntax."""

    T: ClassVar = VarConstraint("T", VectorType.constr(AnyAttr()))
    name = "llvm.intr.masked.expandload"
    ptr = operand_def(LLVMPointerType)
    mask = operand_def(VectorType[I1])
    passthru = operand_def(T)
    res = result_def(T)
    arg_attrs = opt_prop_def()


@irdl_op_definition
class CompressStoreOp(IRDLOperation):
    """The lanes whose mask is set, written one after the other. Generic syntax."""

    name = "llvm.intr.masked.compressstore"
    value = operand_def(VectorType)
    ptr = operand_def(LLVMPointerType)
    mask = operand_def(VectorType[I1])
    alignment = opt_prop_def(IntegerAttr[i64])
    arg_attrs = opt_prop_def()


OPERATIONS = [
    LifetimeStartOp,
    LifetimeEndOp,
    AssumeOp,
    TrapOp,
    ExpectOp,
    StepVectorOp,
    ExpandLoadOp,
    CompressStoreOp,
]
