"""The index dialect to llvm: i64."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Operation, SSAValue

from lamina.dialects.index import CmpOp, Predicate
from lamina.lowering.llvm import convert_arith_to_llvm as arith
from lamina.lowering.llvm._conversion import Conversion, Rule, convert
from lamina.lowering.llvm._types import INDEX, bit_width, convert_type
from lamina.lowering.llvm._values import scalar_attribute
from lamina.passes.framework.conditions import no_dialect
from lamina.passes.framework.passes import Pass, PassContext


def convert_index_to_llvm(root: Operation) -> int:
    """Turn the operations of the index dialect under ``root`` into llvm's; returns how many there were."""
    return convert(root, RULES)


def _constant(conversion: Conversion, op: Operation) -> SSAValue:
    value = op.properties["value"]
    assert isinstance(value, IntegerAttr)
    type = convert_type(op.results[0].type)
    return conversion.emit(llvm.ConstantOp, (), type, {"value": scalar_attribute(value.value.data, type)})


def _compare(conversion: Conversion, op: Operation) -> SSAValue:
    assert isinstance(op, CmpOp)
    number = list(Predicate).index(op.pred.data)
    operands = conversion.values(op.operands)
    return conversion.emit(llvm.ICmpOp, operands, op.result.type, {"predicate": IntegerAttr(number, i64)})


def _size(conversion: Conversion, op: Operation) -> SSAValue:
    return conversion.constant(bit_width(INDEX))


_LIKE_ARITH = {
    "add": "addi",
    "sub": "subi",
    "mul": "muli",
    "divs": "divsi",
    "divu": "divui",
    "ceildivs": "ceildivsi",
    "ceildivu": "ceildivui",
    "floordivs": "floordivsi",
    "rems": "remsi",
    "remu": "remui",
    "maxs": "maxsi",
    "maxu": "maxui",
    "mins": "minsi",
    "minu": "minui",
    "shl": "shli",
    "shrs": "shrsi",
    "shru": "shrui",
    "and": "andi",
    "or": "ori",
    "xor": "xori",
    "casts": "index_cast",
    "castu": "index_castui",
}
"""Operations that arith has under another name, with the same meaning on i64."""

RULES: dict[str, Rule] = {
    **{f"index.{name}": arith.RULES[f"arith.{same}"] for name, same in _LIKE_ARITH.items()},
    "index.constant": _constant,
    "index.bool.constant": _constant,
    "index.cmp": _compare,
    "index.sizeof": _size,
}


@dataclass(frozen=True)
class ConvertIndexToLLVM(Pass):
    """Convert the index dialect to the llvm dialect; `index` is i64.

    ```mlir
    func.func @f(%a: i64, %b: i64) -> i1 {
      %0 = builtin.unrealized_conversion_cast %a : i64 to index
      %1 = builtin.unrealized_conversion_cast %b : i64 to index
      %2 = index.cmp slt(%0, %1)
      return %2 : i1
    }
    ```

    ```mlir
    func.func @f(%a: i64, %b: i64) -> i1 {
      %0 = builtin.unrealized_conversion_cast %a : i64 to index
      %1 = builtin.unrealized_conversion_cast %b : i64 to index
      %2 = llvm.icmp "slt" %a, %b : i64
      return %2 : i1
    }
    ```
    """

    name = "convert-index-to-llvm"
    anchor = "any"
    ensures = (no_dialect("index"),)
    statistics = {"converted": "operations converted"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("converted", convert_index_to_llvm(op))
