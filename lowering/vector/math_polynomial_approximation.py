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

    ```mlir
    func.func @exp(%x: vector<8xf32>) -> vector<8xf32> {
      %0 = math.exp %x : vector<8xf32>
      return %0 : vector<8xf32>
    }
    ```

    ```mlir
    func.func @exp(%x: vector<8xf32>) -> vector<8xf32> {
      %0 = arith.constant dense<23> : vector<8xi32>
      %1 = arith.constant dense<1.000000e+00> : vector<8xf32>
      %2 = arith.constant dense<1.99190981E-4> : vector<8xf32>
      %3 = arith.constant dense<0.00139462808> : vector<8xf32>
      %4 = arith.constant dense<0.00833326299> : vector<8xf32>
      %5 = arith.constant dense<0.0416662656> : vector<8xf32>
      %6 = arith.constant dense<0.166666672> : vector<8xf32>
      %7 = arith.constant dense<5.000000e-01> : vector<8xf32>
      %8 = arith.constant dense<1> : vector<8xi32>
      %9 = arith.constant dense<2.12194442E-4> : vector<8xf32>
      %10 = arith.constant dense<-0.693359375> : vector<8xf32>
      %11 = arith.constant dense<0x4B4000FE> : vector<8xf32>
      %12 = arith.constant dense<1.44269502> : vector<8xf32>
      %13 = arith.constant dense<-1.040000e+02> : vector<8xf32>
      %14 = arith.constant dense<8.900000e+01> : vector<8xf32>
      %15 = arith.cmpf olt, %14, %x : vector<8xf32>
      %16 = arith.select %15, %14, %x : vector<8xi1>, vector<8xf32>
      %17 = arith.cmpf ogt, %13, %16 : vector<8xf32>
      %18 = arith.select %17, %13, %16 : vector<8xi1>, vector<8xf32>
      %19 = math.fma %18, %12, %11 : vector<8xf32>
      %20 = arith.subf %19, %11 : vector<8xf32>
      %21 = math.fma %20, %10, %18 : vector<8xf32>
      %22 = arith.bitcast %19 : vector<8xf32> to vector<8xi32>
      %23 = math.fma %20, %9, %21 : vector<8xf32>
      %24 = arith.shrsi %22, %8 : vector<8xi32>
      %25 = arith.subi %22, %24 : vector<8xi32>
      %26 = arith.mulf %23, %23 : vector<8xf32>
      %27 = math.fma %2, %23, %3 : vector<8xf32>
      %28 = math.fma %27, %23, %4 : vector<8xf32>
      %29 = math.fma %28, %23, %5 : vector<8xf32>
      %30 = math.fma %29, %23, %6 : vector<8xf32>
      %31 = math.fma %30, %23, %7 : vector<8xf32>
      %32 = math.fma %26, %31, %23 : vector<8xf32>
      %33 = arith.addf %32, %1 : vector<8xf32>
      %34 = arith.shli %24, %0 : vector<8xi32>
      %35 = arith.bitcast %34 : vector<8xi32> to vector<8xf32>
      %36 = arith.mulf %33, %35 : vector<8xf32>
      %37 = arith.shli %25, %0 : vector<8xi32>
      %38 = arith.bitcast %37 : vector<8xi32> to vector<8xf32>
      %39 = arith.mulf %36, %38 : vector<8xf32>
      return %39 : vector<8xf32>
    }
    ```
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
