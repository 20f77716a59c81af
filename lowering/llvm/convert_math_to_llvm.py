"""math to llvm's intrinsics, where LLVM has one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import BoolAttr, IntegerAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.llvm.intrinsics import (
    BY_NAME,
    AbsOp,
    CountLeadingZerosOp,
    CountTrailingZerosOp,
    IsFPClassOp,
    PowIOp,
)
from lamina.lowering.llvm._constants import splat
from lamina.lowering.llvm._conversion import Conversion, Rule, convert
from lamina.lowering.llvm._flags import fastmath
from lamina.lowering.llvm._types import boolean_like, require_flat
from lamina.passes.framework.passes import Pass, PassContext, option

Properties = Callable[[Operation], dict[str, Attribute]]
FALSE = BoolAttr.from_bool(False)


def convert_math_to_llvm(root: Operation, approximate_log1p: bool = False) -> int:
    """Turn the math operations that LLVM has intrinsics for into these; returns how many there were.

    ``math.log1p`` stays for convert-math-to-libm unless ``approximate_log1p`` asks for ``log(1 + x)``, which
    loses all digits of a small x; ``math.expm1`` has no intrinsic either and stays always.
    """
    rules = RULES | {"math.log1p": _log_of_one_plus} if approximate_log1p else RULES
    return convert(root, rules)


def _intrinsic(kind: type[Operation], properties: Properties = fastmath) -> Rule:
    def rule(conversion: Conversion, op: Operation) -> SSAValue:
        require_flat(op.results[0].type, op)
        return conversion.emit(
            kind,
            conversion.values(op.operands),
            conversion.converted_type(op.results[0].type),
            properties(op),
        )

    return rule


def _fixed(**properties: Attribute) -> Properties:
    return lambda op: properties


def _class_test(mask: int) -> Rule:
    """Whether a float is of a class in LLVM's mask."""

    def rule(conversion: Conversion, op: Operation) -> SSAValue:
        require_flat(op.results[0].type, op)
        value = conversion.value(op.operands[0])
        return conversion.emit(
            IsFPClassOp, (value,), boolean_like(value.type), {"bit": IntegerAttr(mask, i32)}
        )

    return rule


def _reciprocal_root(conversion: Conversion, op: Operation) -> SSAValue:
    require_flat(op.results[0].type, op)
    value = conversion.value(op.operands[0])
    root = conversion.emit(llvm.FSqrtOp, (value,), value.type, fastmath(op))
    return conversion.emit(llvm.FDivOp, (splat(conversion, 1.0, value.type), root), value.type, fastmath(op))


def _log_of_one_plus(conversion: Conversion, op: Operation) -> SSAValue:
    require_flat(op.results[0].type, op)
    value = conversion.value(op.operands[0])
    total = conversion.emit(
        llvm.FAddOp, (splat(conversion, 1.0, value.type), value), value.type, fastmath(op)
    )
    return conversion.emit(llvm.FLogOp, (total,), value.type, fastmath(op))


_SAME_NAME = (
    "acos",
    "asin",
    "atan",
    "atan2",
    "cosh",
    "log10",
    "round",
    "roundeven",
    "sinh",
    "tan",
    "tanh",
    "trunc",
)

RULES: dict[str, Rule] = {
    **{f"math.{name}": _intrinsic(BY_NAME[f"llvm.intr.{name}"]) for name in _SAME_NAME},
    "math.absf": _intrinsic(llvm.FAbsOp),
    "math.ceil": _intrinsic(llvm.FCeilOp),
    "math.copysign": _intrinsic(llvm.FCopySignOp),
    "math.cos": _intrinsic(llvm.FCosOp),
    "math.exp": _intrinsic(llvm.FExpOp),
    "math.exp2": _intrinsic(llvm.FExp2Op),
    "math.floor": _intrinsic(llvm.FFloorOp),
    "math.fma": _intrinsic(llvm.FMAOp),
    "math.fpowi": _intrinsic(PowIOp),
    "math.log": _intrinsic(llvm.FLogOp),
    "math.log2": _intrinsic(llvm.FLog2Op),
    "math.powf": _intrinsic(llvm.FPowOp),
    "math.sin": _intrinsic(llvm.FSinOp),
    "math.sqrt": _intrinsic(llvm.FSqrtOp),
    "math.rsqrt": _reciprocal_root,
    "math.absi": _intrinsic(AbsOp, _fixed(is_int_min_poison=FALSE)),
    "math.ctlz": _intrinsic(CountLeadingZerosOp, _fixed(is_zero_poison=FALSE)),
    "math.cttz": _intrinsic(CountTrailingZerosOp, _fixed(is_zero_poison=FALSE)),
    "math.ctpop": _intrinsic(BY_NAME["llvm.intr.ctpop"], _fixed()),
    "math.isnan": _class_test(0x3),
    "math.isinf": _class_test(0x204),
    "math.isfinite": _class_test(0x1F8),
    "math.isnormal": _class_test(0x108),
}


@dataclass(frozen=True)
class ConvertMathToLLVM(Pass):
    """Convert math operations to llvm intrinsics, where LLVM has one.

    What has none (`math.erf`, `math.expm1`, `math.log1p`, …) is left for `convert-math-to-libm`. Unlike
    upstream, `math.log1p` and `math.expm1` are not rewritten as `log(1 + x)` and `exp(x) - 1`, which lose all
    digits of a small x; `approximate-log1p` asks for the former.

    ```mlir
    func.func @f(%x: f32) -> f32 {
      %0 = math.tanh %x : f32
      return %0 : f32
    }
    ```

    ```mlir
    func.func @f(%x: f32) -> f32 {
      %0 = llvm.intr.tanh(%x) : (f32) -> f32
      return %0 : f32
    }
    ```
    """

    name = "convert-math-to-llvm"
    anchor = "any"
    statistics = {"converted": "operations converted"}
    approximate_log1p: bool = option(False, "compute log1p(x) as log(1 + x)")

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("converted", convert_math_to_llvm(op, self.approximate_log1p))
