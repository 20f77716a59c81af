"""Chains of integer ops with constants, and ops on extended values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.folding import constant_of, defining_op, fold_elementwise, is_int, zero_of
from lamina.dialects.core.simplification import Rewriter, pattern


@dataclass(frozen=True)
class _Chain:
    """``outer`` over ``inner``: where the constants stand, and what one op over the other value does."""

    outer: str
    outer_constant: int
    inner: str
    inner_constant: int
    result: str
    result_constant: int
    combine: Callable[[int, int], int]
    """The new constant, from that of the outer and that of the inner op."""


_CHAINS = (
    _Chain("addi", 1, "addi", 1, "addi", 1, lambda outer, inner: outer + inner),
    _Chain("addi", 1, "subi", 1, "addi", 1, lambda outer, inner: outer - inner),
    _Chain("addi", 1, "subi", 0, "subi", 0, lambda outer, inner: outer + inner),
    _Chain("subi", 1, "addi", 1, "addi", 1, lambda outer, inner: inner - outer),
    _Chain("subi", 0, "addi", 1, "subi", 0, lambda outer, inner: outer - inner),
    _Chain("subi", 1, "subi", 1, "subi", 1, lambda outer, inner: outer + inner),
    _Chain("subi", 1, "subi", 0, "subi", 0, lambda outer, inner: inner - outer),
    _Chain("subi", 0, "subi", 1, "subi", 0, lambda outer, inner: outer + inner),
    _Chain("subi", 0, "subi", 0, "addi", 1, lambda outer, inner: outer - inner),
    _Chain("muli", 1, "muli", 1, "muli", 1, lambda outer, inner: outer * inner),
)


@pattern("arith.addi", "arith.subi", "arith.muli")
def join_constants(op: Operation, rewriter: Rewriter) -> bool:
    """(x + 1) + 2 = x + 3, and its kin; flags that the two ops do not share are lost."""
    for chain in _CHAINS:
        if op.name != f"arith.{chain.outer}" or constant_of(op.operands[chain.outer_constant]) is None:
            continue
        inner = defining_op(op.operands[1 - chain.outer_constant], f"arith.{chain.inner}")
        if inner is None or constant_of(inner.operands[chain.inner_constant]) is None:
            continue
        value = fold_elementwise(
            (op.operands[chain.outer_constant], inner.operands[chain.inner_constant]),
            op.results[0].type,
            chain.combine,
        )
        if value is None:
            continue
        constant = _constant(rewriter, value, op.results[0].type)
        operands = [inner.operands[1 - chain.inner_constant]] * 2
        operands[chain.result_constant] = constant
        return rewriter.replace_with(op, f"arith.{chain.result}", operands, _flags(op, inner, chain.result))
    return False


def _constant(rewriter: Rewriter, value: Attribute, type: Attribute) -> SSAValue:
    return rewriter.value("arith.constant", [], type, {"value": value})


def _flags(op: Operation, inner: Operation, result: str) -> dict[str, Attribute]:
    """Overflow flags that hold for the joined op: only products that do not wrap keep ``nuw``."""
    none = _no_overflow_flags()
    if op.name == inner.name and result in ("addi", "muli"):
        first = op.get_attr_or_prop("overflowFlags")
        second = inner.get_attr_or_prop("overflowFlags")
        if first == second and first is not None and "nuw" in str(first) and "nsw" not in str(first):
            return {"overflowFlags": first}
    return {"overflowFlags": none}


def _no_overflow_flags() -> Attribute:
    from xdsl.dialects.arith import IntegerOverflowAttr

    return IntegerOverflowAttr("none")


@pattern("arith.addi")
def add_negated(op: Operation, rewriter: Rewriter) -> bool:
    """x + y * -1 = x - y."""
    for product, other in (tuple(op.operands), tuple(op.operands)[::-1]):
        inner = defining_op(product, "arith.muli")
        if inner is not None and is_int(inner.operands[1], -1):
            operands = [other, inner.operands[0]]
            return rewriter.replace_with(op, "arith.subi", operands, {"overflowFlags": _no_overflow_flags()})
    return False


@pattern("arith.subi")
def subtract_itself(op: Operation, rewriter: Rewriter) -> bool:
    """(x - y) - x = 0 - y."""
    inner = defining_op(op.operands[0], "arith.subi")
    if inner is None or inner.operands[0] is not op.operands[1]:
        return False
    zero = zero_of(op.results[0].type)
    if zero is None:
        return False
    operands = [_constant(rewriter, zero, op.results[0].type), inner.operands[1]]
    return rewriter.replace_with(op, "arith.subi", operands, {"overflowFlags": _no_overflow_flags()})


@pattern("arith.andi", "arith.ori", "arith.xori")
def work_on_narrow(op: Operation, rewriter: Rewriter) -> bool:
    """Bits of values extended in the same way are those of the narrow values, extended."""
    sides = [defining_op(value, "arith.extui", "arith.extsi") for value in op.operands]
    if sides[0] is None or sides[1] is None or sides[0].name != sides[1].name:
        return False
    left, right = sides[0].operands[0], sides[1].operands[0]
    if left.type != right.type:
        return False
    narrow = rewriter.value(op.name, [left, right], left.type)
    return rewriter.replace_with(op, sides[0].name, [narrow])


@pattern("arith.addui_extended")
def add_without_carry(op: Operation, rewriter: Rewriter) -> bool:
    """Where nobody looks at the carry, a plain sum does."""
    if op.results[1].first_use is not None:
        return False
    total = rewriter.value(
        "arith.addi", op.operands, op.results[0].type, {"overflowFlags": _no_overflow_flags()}
    )
    rewriter.replace_uses(op.results[0], total)
    return rewriter.erase(op)


@pattern("arith.mului_extended", "arith.mulsi_extended")
def multiply_without_upper_half(op: Operation, rewriter: Rewriter) -> bool:
    """Where nobody looks at the upper half, a plain product does."""
    if op.results[1].first_use is not None:
        return False
    product = rewriter.value(
        "arith.muli", op.operands, op.results[0].type, {"overflowFlags": _no_overflow_flags()}
    )
    rewriter.replace_uses(op.results[0], product)
    return rewriter.erase(op)


@pattern("arith.mulsi_extended")
def multiply_wide_by_one(op: Operation, rewriter: Rewriter) -> bool:
    """The upper half of x * 1 is the sign of x everywhere: x < 0, extended."""
    from lamina.dialects.core.folding import integer, width_of

    value, one = op.operands
    if not is_int(one, 1) or width_of(value.type) == 1:
        return False
    from xdsl.dialects.builtin import IntegerType, TensorType, VectorType, i64

    zero = zero_of(value.type)
    if zero is None:
        return False
    boolean: Attribute = IntegerType(1)
    if isinstance(value.type, VectorType):
        boolean = VectorType(IntegerType(1), value.type.get_shape(), value.type.scalable_dims)
    elif isinstance(value.type, TensorType):
        boolean = TensorType(IntegerType(1), value.type.get_shape())
    below = rewriter.value(
        "arith.cmpi", [value, _constant(rewriter, zero, value.type)], boolean, {"predicate": integer(2, i64)}
    )
    return rewriter.replace(op, [value, rewriter.value("arith.extsi", [below], value.type)])
