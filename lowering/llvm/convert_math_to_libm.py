"""math to calls of the C library, one element at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, func, vector
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseArrayBase,
    Float16Type,
    Float32Type,
    Float64Type,
    VectorType,
    f32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.constants import splat_attr
from lamina.dialects.core.diagnostics import error
from lamina.lowering.llvm._symbols import enclosing_module
from lamina.lowering.llvm._types import element_of, like, require_flat
from lamina.passes.framework.passes import Pass, PassContext
from lamina.passes.framework.walk import operations_named

FUNCTIONS = {
    **{
        f"math.{name}": name
        for name in (
            *(
                "acos",
                "acosh",
                "asin",
                "asinh",
                "atan",
                "atan2",
                "atanh",
                "cbrt",
                "ceil",
                "copysign",
                "cos",
                "cosh",
            ),
            *(
                "erf",
                "erfc",
                "exp",
                "exp2",
                "expm1",
                "floor",
                "fma",
                "log",
                "log10",
                "log1p",
                "log2",
                "round",
            ),
            *("roundeven", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"),
        )
    },
    "math.absf": "fabs",
    "math.powf": "pow",
}
"""The function of the C library on f64 for an operation; the one on f32 has an ``f`` behind its name."""


def convert_math_to_libm(root: Operation) -> int:
    """Turn math operations on floats under ``root`` into calls of the C library; returns how many there were.

    f16 and bf16 are computed in f32. Vectors are taken apart. The functions are declared in the module.
    """
    operations = operations_named(root, FUNCTIONS)
    declared: set[tuple[str, Attribute]] = set()
    for op in operations:
        _lower(op, declared)
    if declared:
        _declare(root, declared, {op.name: len(op.operands) for op in operations})
    return len(operations)


@dataclass
class _Inserter:
    """Puts operations before another, with its location."""

    op: Operation

    def __call__(self, new: Operation) -> SSAValue:
        new.location = self.op.location
        assert self.op.parent is not None
        self.op.parent.insert_op_before(new, self.op)
        return new.results[0]


def _lower(op: Operation, declared: set[tuple[str, Attribute]]) -> None:
    type = op.results[0].type
    require_flat(type, op)
    insert = _Inserter(op)
    element = element_of(type)
    narrow = isinstance(element, Float16Type | BFloat16Type)
    computed = f32 if narrow else element
    if not isinstance(computed, Float32Type | Float64Type):
        raise error(f"has type {type}: the C library has functions on f32 and f64 only", op)
    wide = like(type, computed)
    operands = [insert(arith.ExtFOp(value, wide)) if narrow else value for value in op.operands]
    declared.add((op.name, computed))
    callee = _symbol(op.name, computed)
    if isinstance(wide, VectorType):
        result = _call_by_element(insert, callee, operands, wide)
    else:
        result = insert(func.CallOp(callee, operands, [computed]))
    if narrow:
        result = insert(arith.TruncFOp(result, type))
    op.results[0].replace_all_uses_with(result)
    assert op.parent is not None
    op.parent.erase_op(op)


def _symbol(operation: str, element: Attribute) -> str:
    return FUNCTIONS[operation] + ("" if isinstance(element, Float64Type) else "f")


def _call_by_element(
    insert: _Inserter, callee: str, operands: Sequence[SSAValue], type: VectorType
) -> SSAValue:
    element = type.element_type
    result = insert(arith.ConstantOp(splat_attr(0.0, type), type))
    rank = type.get_num_dims()
    for i in range(type.element_count()):
        position = {"static_position": DenseArrayBase.from_list(i64, [i] if rank else [])}
        lanes = [
            insert(vector.ExtractOp.create(operands=(value,), result_types=(element,), properties=position))
            for value in operands
        ]
        computed = insert(func.CallOp(callee, lanes, [element]))
        result = insert(
            vector.InsertOp.create(operands=(computed, result), result_types=(type,), properties=position)
        )
    return result


def _declare(root: Operation, used: set[tuple[str, Attribute]], arity: dict[str, int]) -> None:
    block = enclosing_module(root).body.block
    present = {op.sym_name.data for op in block.ops if isinstance(op, func.FuncOp)}
    for operation, element in sorted(used, key=lambda item: _symbol(*item), reverse=True):
        name = _symbol(operation, element)
        if name not in present:
            declaration = func.FuncOp.external(name, [element] * arity[operation], [element])
            first = block.first_op
            assert first is not None
            block.insert_op_before(declaration, first)


@dataclass(frozen=True)
class ConvertMathToLibm(Pass):
    """Convert math operations to calls of the C library's functions.

    Vectors of rank 1 are taken apart; f16 and bf16 are computed in f32.

    ```mlir
    func.func @f(%x: f32) -> f32 {
      %0 = math.erf %x : f32
      return %0 : f32
    }
    ```

    ```mlir
    func.func private @erff(f32) -> f32
    func.func @f(%x: f32) -> f32 {
      %0 = call @erff(%x) : (f32) -> f32
      return %0 : f32
    }
    ```
    """

    name = "convert-math-to-libm"
    anchor = "any"
    statistics = {"converted": "operations converted"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("converted", convert_math_to_libm(op))
