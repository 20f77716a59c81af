"""What a reduction's body does to its accumulator."""

from __future__ import annotations

import math
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, Float32Type, Float64Type, IntegerType
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Attribute, Operation, OpResult

from lamina.lowering.vector._access import Structured

FLOAT_OPERATIONS: dict[CombiningKindFlag, type[Operation]] = {
    CombiningKindFlag.ADD: arith.AddfOp,
    CombiningKindFlag.MUL: arith.MulfOp,
    CombiningKindFlag.MAXIMUMF: arith.MaximumfOp,
    CombiningKindFlag.MINIMUMF: arith.MinimumfOp,
    CombiningKindFlag.MAXNUMF: arith.MaxnumfOp,
    CombiningKindFlag.MINNUMF: arith.MinnumfOp,
}
INTEGER_OPERATIONS: dict[CombiningKindFlag, type[Operation]] = {
    CombiningKindFlag.ADD: arith.AddiOp,
    CombiningKindFlag.MUL: arith.MuliOp,
    CombiningKindFlag.MAXSI: arith.MaxSIOp,
    CombiningKindFlag.MINSI: arith.MinSIOp,
    CombiningKindFlag.MAXUI: arith.MaxUIOp,
    CombiningKindFlag.MINUI: arith.MinUIOp,
    CombiningKindFlag.AND: arith.AndIOp,
    CombiningKindFlag.OR: arith.OrIOp,
    CombiningKindFlag.XOR: arith.XOrIOp,
}
_KINDS = {op: kind for table in (FLOAT_OPERATIONS, INTEGER_OPERATIONS) for kind, op in table.items()}
_PRODUCTS = arith.MulfOp | arith.MuliOp


@dataclass(frozen=True)
class Combiner:
    """A body of the form ``accumulator = kind(accumulator, term)``."""

    kind: CombiningKindFlag
    neutral: float | int
    """What leaves the accumulator as it is, down to the sign of zero and NaN."""
    op: Operation


def combiner(of: Structured, result: int) -> Combiner | None:
    """How a result is accumulated, or None where the accumulator is used in any other way."""
    accumulator = of.body.args[len(of.inputs) + result]
    terminator = of.body.last_op
    assert terminator is not None
    value = terminator.operands[result]
    if not isinstance(value, OpResult) or type(value.op) not in _KINDS:
        return None
    if not accumulator.has_one_use() or accumulator not in value.op.operands:
        return None
    kind = _KINDS[type(value.op)]
    neutral = _neutral(kind, value.type)
    return None if neutral is None else Combiner(kind, neutral, value.op)


def _neutral(kind: CombiningKindFlag, element: Attribute) -> float | int | None:
    if isinstance(element, AnyFloat):
        return {
            CombiningKindFlag.ADD: -0.0,
            CombiningKindFlag.MUL: 1.0,
            CombiningKindFlag.MAXIMUMF: -math.inf,
            CombiningKindFlag.MINIMUMF: math.inf,
            CombiningKindFlag.MAXNUMF: math.nan,
            CombiningKindFlag.MINNUMF: math.nan,
        }.get(kind)
    if not isinstance(element, IntegerType):
        return None
    bits = element.width.data
    return {
        CombiningKindFlag.ADD: 0,
        CombiningKindFlag.MUL: 1,
        CombiningKindFlag.MAXSI: -(1 << (bits - 1)),
        CombiningKindFlag.MINSI: (1 << (bits - 1)) - 1,
        CombiningKindFlag.MAXUI: 0,
        CombiningKindFlag.MINUI: -1,
        CombiningKindFlag.AND: -1,
        CombiningKindFlag.OR: 0,
        CombiningKindFlag.XOR: 0,
    }.get(kind)


def product(of: Structured, result: int = 0) -> tuple[Operation, Operation] | None:
    """The addition and the multiplication of a body that accumulates products."""
    found = combiner(of, result)
    if found is None or found.kind is not CombiningKindFlag.ADD:
        return None
    for term in found.op.operands:
        if (
            isinstance(term, OpResult)
            and isinstance(term.op, arith.MulfOp | arith.MuliOp)
            and term.has_one_use()
        ):
            return found.op, term.op
    return None


def fused_products(of: Structured) -> dict[Operation, Operation]:
    """The additions of a reduction that take in a multiplication of their own (a fused multiply-add)."""
    if not of.reductions:
        return {}
    pairs = [product(of, i) for i in range(len(of.outputs))]
    fusable = Float32Type | Float64Type
    return {add: mul for add, mul in filter(None, pairs) if isinstance(add.results[0].type, fusable)}
