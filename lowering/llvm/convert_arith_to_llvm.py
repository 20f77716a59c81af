"""arith to llvm, on scalars and vectors of rank at most 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i64
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.llvm.intrinsics import BY_NAME
from lamina.dialects.llvm.values import FCmpOp, FPToSIOp, FPToUIOp, SelectOp, UIToFPOp
from lamina.lowering.llvm._constants import converted_attribute, splat
from lamina.lowering.llvm._conversion import Conversion, Rule, convert
from lamina.lowering.llvm._descriptors import position_attribute
from lamina.lowering.llvm._flags import fastmath, overflow, truncation_overflow
from lamina.lowering.llvm._types import (
    bit_width,
    boolean_like,
    element_of,
    like,
    require_flat,
)
from lamina.passes.framework.passes import Pass, PassContext

Properties = Callable[[Operation], dict[str, Attribute]]
NE = {"predicate": IntegerAttr(1, i64)}
SLT = {"predicate": IntegerAttr(2, i64)}
EQ = {"predicate": IntegerAttr(0, i64)}


def convert_arith_to_llvm(root: Operation) -> int:
    """Turn the arith operations on scalars and vectors under ``root`` into llvm's; returns how many."""
    return convert(root, RULES)


def _no_properties(op: Operation) -> dict[str, Attribute]:
    return {}


def _same(kind: type[Operation], properties: Properties = _no_properties) -> Rule:
    """The operation of the llvm dialect with the same operands and one result."""

    def rule(conversion: Conversion, op: Operation) -> SSAValue:
        result = conversion.converted_type(op.results[0].type)
        require_flat(op.results[0].type, op)
        return conversion.emit(kind, conversion.values(op.operands), result, properties(op))

    return rule


def _exact(op: Operation) -> dict[str, Attribute]:
    exact = op.properties.get("isExact")
    return {} if exact is None else {"isExact": exact}


def _constant(conversion: Conversion, op: Operation) -> SSAValue | None:
    value = converted_attribute(op.properties["value"])
    if value is None:
        return None
    require_flat(op.results[0].type, op)
    return conversion.emit(
        llvm.ConstantOp, (), conversion.converted_type(op.results[0].type), {"value": value}
    )


def _compare_integers(conversion: Conversion, op: Operation) -> SSAValue:
    require_flat(op.results[0].type, op)
    properties = {"predicate": op.properties["predicate"]}
    return conversion.emit(
        llvm.ICmpOp, conversion.values(op.operands), conversion.converted_type(op.results[0].type), properties
    )


def _compare_floats(conversion: Conversion, op: Operation) -> SSAValue:
    require_flat(op.results[0].type, op)
    properties = {"predicate": op.properties["predicate"]} | fastmath(op)
    return conversion.emit(
        FCmpOp, conversion.values(op.operands), conversion.converted_type(op.results[0].type), properties
    )


def _resize(widen: type[Operation]) -> Rule:
    """``index_cast``: an extension, a truncation, or nothing, by the widths of the converted types."""

    def rule(conversion: Conversion, op: Operation) -> SSAValue:
        require_flat(op.results[0].type, op)
        return resize(
            conversion, conversion.value(op.operands[0]), conversion.converted_type(op.results[0].type), widen
        )

    return rule


def resize(
    conversion: Conversion, value: SSAValue, wanted: Attribute, widen: type[Operation] = llvm.SExtOp
) -> SSAValue:
    """An integer (vector) of another width."""
    have, want = bit_width(element_of(value.type)), bit_width(element_of(wanted))
    if have == want:
        return value
    return conversion.emit(widen if have < want else llvm.TruncOp, (value,), wanted)


def _select(conversion: Conversion, op: Operation) -> SSAValue:
    require_flat(op.results[0].type, op)
    condition, lhs, rhs = conversion.values(op.operands)
    return conversion.emit(SelectOp, (condition, lhs, rhs), lhs.type, fastmath(op))


def _floor_divide(conversion: Conversion, op: Operation) -> SSAValue:
    """Signed division toward minus infinity: the quotient, less one where inexact and the signs differ."""
    return _adjusted_quotient(conversion, op, NE, -1)


def _ceil_divide(conversion: Conversion, op: Operation) -> SSAValue:
    """Signed division toward plus infinity: the quotient, plus one where inexact and the signs agree."""
    return _adjusted_quotient(conversion, op, EQ, 1)


def _adjusted_quotient(
    conversion: Conversion, op: Operation, signs: Mapping[str, Attribute], adjustment: int
) -> SSAValue:
    require_flat(op.results[0].type, op)
    a, b = conversion.values(op.operands)
    boolean = boolean_like(a.type)
    quotient = conversion.emit(llvm.SDivOp, (a, b), a.type)
    product = conversion.emit(llvm.MulOp, (quotient, b), a.type, overflow(op))
    inexact = conversion.emit(llvm.ICmpOp, (a, product), boolean, NE)
    zero = splat(conversion, 0, a.type)
    a_negative = conversion.emit(llvm.ICmpOp, (a, zero), boolean, SLT)
    b_negative = conversion.emit(llvm.ICmpOp, (b, zero), boolean, SLT)
    signs_match = conversion.emit(llvm.ICmpOp, (a_negative, b_negative), boolean, signs)
    adjust = conversion.emit(llvm.AndOp, (inexact, signs_match), boolean)
    adjusted = conversion.emit(
        llvm.AddOp, (quotient, splat(conversion, adjustment, a.type)), a.type, overflow(op)
    )
    return conversion.emit(SelectOp, (adjust, adjusted, quotient), a.type, fastmath(op))


def _ceil_divide_unsigned(conversion: Conversion, op: Operation) -> SSAValue:
    """``a == 0 ? 0 : (a - 1) / b + 1``, which does not overflow."""
    require_flat(op.results[0].type, op)
    a, b = conversion.values(op.operands)
    zero, one = splat(conversion, 0, a.type), splat(conversion, 1, a.type)
    is_zero = conversion.emit(llvm.ICmpOp, (a, zero), boolean_like(a.type), EQ)
    less = conversion.emit(llvm.SubOp, (a, one), a.type, overflow(op))
    quotient = conversion.emit(llvm.UDivOp, (less, b), a.type)
    more = conversion.emit(llvm.AddOp, (quotient, one), a.type, overflow(op))
    return conversion.emit(SelectOp, (is_zero, zero, more), a.type, fastmath(op))


def _add_extended(conversion: Conversion, op: Operation) -> list[SSAValue]:
    require_flat(op.results[0].type, op)
    a, b = conversion.values(op.operands)
    both = llvm.LLVMStructType.from_type_list([a.type, boolean_like(a.type)])
    pair = conversion.emit(BY_NAME["llvm.intr.uadd.with.overflow"], (a, b), both)
    return [
        conversion.emit(llvm.ExtractValueOp, (pair,), type, {"position": position_attribute((i,))})
        for i, type in enumerate(both.types.data)
    ]


def _multiply_extended(widen: type[Operation]) -> Rule:
    """The low and the high half of the product, from one multiplication of twice the width."""

    def rule(conversion: Conversion, op: Operation) -> list[SSAValue]:
        require_flat(op.results[0].type, op)
        narrow = conversion.converted_type(op.results[0].type)
        width = bit_width(element_of(narrow))
        wide = like(narrow, IntegerType(2 * width))
        a, b = (conversion.emit(widen, (value,), wide) for value in conversion.values(op.operands))
        product = conversion.emit(llvm.MulOp, (a, b), wide, overflow(op))
        shifted = conversion.emit(llvm.LShrOp, (product, splat(conversion, width, wide)), wide)
        return [conversion.emit(llvm.TruncOp, (half,), narrow) for half in (product, shifted)]

    return rule


RULES: dict[str, Rule] = {
    "arith.constant": _constant,
    "arith.addi": _same(llvm.AddOp, overflow),
    "arith.subi": _same(llvm.SubOp, overflow),
    "arith.muli": _same(llvm.MulOp, overflow),
    "arith.shli": _same(llvm.ShlOp, overflow),
    "arith.divui": _same(llvm.UDivOp, _exact),
    "arith.divsi": _same(llvm.SDivOp, _exact),
    "arith.shrui": _same(llvm.LShrOp, _exact),
    "arith.shrsi": _same(llvm.AShrOp, _exact),
    "arith.remui": _same(llvm.URemOp),
    "arith.remsi": _same(llvm.SRemOp),
    "arith.andi": _same(llvm.AndOp),
    "arith.ori": _same(llvm.OrOp),
    "arith.xori": _same(llvm.XOrOp),
    "arith.maxsi": _same(BY_NAME["llvm.intr.smax"]),
    "arith.minsi": _same(BY_NAME["llvm.intr.smin"]),
    "arith.maxui": _same(BY_NAME["llvm.intr.umax"]),
    "arith.minui": _same(BY_NAME["llvm.intr.umin"]),
    "arith.floordivsi": _floor_divide,
    "arith.ceildivsi": _ceil_divide,
    "arith.ceildivui": _ceil_divide_unsigned,
    "arith.addui_extended": _add_extended,
    "arith.mulsi_extended": _multiply_extended(llvm.SExtOp),
    "arith.mului_extended": _multiply_extended(llvm.ZExtOp),
    "arith.addf": _same(llvm.FAddOp, fastmath),
    "arith.subf": _same(llvm.FSubOp, fastmath),
    "arith.mulf": _same(llvm.FMulOp, fastmath),
    "arith.divf": _same(llvm.FDivOp, fastmath),
    "arith.remf": _same(llvm.FRemOp, fastmath),
    "arith.negf": _same(llvm.FNegOp, fastmath),
    "arith.maximumf": _same(BY_NAME["llvm.intr.maximum"], fastmath),
    "arith.minimumf": _same(BY_NAME["llvm.intr.minimum"], fastmath),
    "arith.maxnumf": _same(llvm.VectorFMaxOp, fastmath),
    "arith.minnumf": _same(llvm.VectorFMinOp, fastmath),
    "arith.cmpi": _compare_integers,
    "arith.cmpf": _compare_floats,
    "arith.select": _select,
    "arith.bitcast": _same(llvm.BitcastOp),
    "arith.index_cast": _resize(llvm.SExtOp),
    "arith.index_castui": _resize(llvm.ZExtOp),
    "arith.fptosi": _same(FPToSIOp),
    "arith.fptoui": _same(FPToUIOp),
    "arith.sitofp": _same(llvm.SIToFPOp),
    "arith.uitofp": _same(UIToFPOp),
    "arith.extf": _same(llvm.FPExtOp),
    "arith.truncf": _same(llvm.FPTruncOp),
    "arith.trunci": _same(llvm.TruncOp, truncation_overflow),
    "arith.extsi": _same(llvm.SExtOp),
    "arith.extui": _same(llvm.ZExtOp),
}


@dataclass(frozen=True)
class ConvertArithToLLVM(Pass):
    """Convert arith to the llvm dialect.

    `index` becomes i64; fastmath and overflow flags are kept; constants on tensors are left alone.

    ```mlir
    func.func @f(%a: f32, %i: index) -> f32 {
      %c = arith.constant 2.0 : f32
      %0 = arith.mulf %a, %c fastmath<reassoc> : f32
      return %0 : f32
    }
    ```

    ```mlir
    builtin.module {
      func.func @f(%a: f32, %i: index) -> f32 {
        %c = llvm.mlir.constant(2.000000e+00 : f32) : f32
        %0 = llvm.fmul %a, %c {fastmathFlags = #llvm.fastmath<reassoc>} : f32
        func.return %0 : f32
      }
    }
    ```
    """

    name = "convert-arith-to-llvm"
    anchor = "any"
    statistics = {"converted": "operations converted"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("converted", convert_arith_to_llvm(op))
