"""llvm.intr.vector.reduce.*: a vector to one element (xDSL has the sums and products of floats)."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import AnyFloatConstr, SignlessIntegerConstraint, VectorType
from xdsl.dialects.llvm import FastMathAttr
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure


class IntegerReduction(IRDLOperation, ABC):
    """``vector<NxT> -> T`` on integers. Generic syntax, as upstream prints it."""

    T: ClassVar = VarConstraint("T", SignlessIntegerConstraint)
    arg = operand_def(VectorType.constr(T))
    res = result_def(T)
    traits = traits_def(Pure())


class FloatReduction(IRDLOperation, ABC):
    """``vector<NxT> -> T`` on floats, with fastmath flags."""

    T: ClassVar = VarConstraint("T", AnyFloatConstr)
    arg = operand_def(VectorType.constr(T))
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "`(` operands `)` attr-dict `:` functional-type(operands, results)"


def _named(base: type[IRDLOperation], kind: str, doc: str) -> type[IRDLOperation]:
    members = {"name": f"llvm.intr.vector.reduce.{kind}", "__doc__": doc, "__module__": __name__}
    return irdl_op_definition(type(f"VectorReduce{kind.title()}Op", (base,), members))


_INTEGER = {
    "add": "Sum, wrapping.",
    "mul": "Product, wrapping.",
    "and": "Bitwise and.",
    "or": "Bitwise or.",
    "xor": "Bitwise exclusive or.",
    "smax": "Signed maximum.",
    "smin": "Signed minimum.",
    "umax": "Unsigned maximum.",
    "umin": "Unsigned minimum.",
}
_FLOAT = {
    "fmax": "maxnum of the elements: NaN is ignored.",
    "fmin": "minnum of the elements: NaN is ignored.",
    "fmaximum": "IEEE maximum of the elements: NaN propagates.",
    "fminimum": "IEEE minimum of the elements: NaN propagates.",
}

BY_KIND: dict[str, type[IRDLOperation]] = {
    kind: _named(IntegerReduction, kind, doc) for kind, doc in _INTEGER.items()
}
BY_KIND |= {kind: _named(FloatReduction, kind, doc) for kind, doc in _FLOAT.items()}
"""The reductions without a start value, by the last part of their names."""

OPERATIONS = list(BY_KIND.values())
