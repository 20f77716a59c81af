"""Elementary functions become arithmetic."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    VectorType,
    f32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from lamina.lowering.vector._elementary import EXPANSIONS
from lamina.lowering.vector._emitter import Emitter
from lamina.lowering.vector._lanes import Lane, Lanes
from lamina.passes.framework.passes import Pass, PassContext


@dataclass(frozen=True)
class MathPolynomialApproximation(Pass):
    """Expand exp, expm1, log, log1p, tanh and erf to additions, multiplications and selections.

    Scalars and vectors of f32 and f64 are expanded as they are; f16 and bf16 are computed in f32. The results
    are within 3 units in the last place (most within 2) over the whole range; NaN, infinities, overflow and
    denormal numbers come out as the function's definition says. Other functions and other types stay.
    """

    name = "math-polynomial-approximation"
    statistics = {"expanded": "operations that were expanded"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        for function in op.walk():
            if isinstance(function, func.FuncOp) and not function.is_declaration:
                ctx.count("expanded", expand_functions(function))


def expand_functions(function: func.FuncOp) -> int:
    """Expand the elementary functions in a function; returns how many were."""
    found = [op for op in function.walk() if type(op) in EXPANSIONS and _is_supported(op.results[0].type)]
    if not found:
        return 0
    emitter = Emitter(InsertPoint.before(found[0]), function.body.blocks[0], found[0].location)
    for op in found:
        emitter.builder.insertion_point = InsertPoint.before(op)
        emitter.location = op.location
        value = _expanded(emitter, op)
        value.name_hint = op.results[0].name_hint
        op.results[0].replace_all_uses_with(value)
        op.detach()
        op.erase()
    return len(found)


def _expanded(emitter: Emitter, op: Operation) -> SSAValue:
    expansion = EXPANSIONS[type(op)]
    operand, kind = op.operands[0], op.results[0].type
    if not isinstance(_element(kind), Float16Type | BFloat16Type):
        return expansion(Lane(Lanes(emitter, kind), operand)).value
    wide = VectorType(f32, kind.shape) if isinstance(kind, VectorType) else f32
    extended = emitter.value(arith.ExtFOp(operand, wide))
    return emitter.value(arith.TruncFOp(expansion(Lane(Lanes(emitter, wide), extended)).value, kind))


def _element(kind: Attribute) -> Attribute:
    return kind.element_type if isinstance(kind, VectorType) else kind


def _is_supported(kind: Attribute) -> bool:
    """Whether a type is a scalar or a vector of fixed size of a float format that is known here."""
    if isinstance(kind, VectorType) and any(bool(flag) for flag in kind.get_scalable_dims()):
        return False
    return isinstance(_element(kind), Float16Type | BFloat16Type | Float32Type | Float64Type)
