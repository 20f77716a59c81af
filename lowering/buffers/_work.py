"""How long loops on buffers take: an estimate in cycles of one core from the text alone."""

from __future__ import annotations

from math import prod

from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import AnyFloat, IntegerAttr, IntegerType, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lamina.dialects.vector.contraction import ContractOp

_VECTOR_BITS = 256
_FUNCTION = 20
"""Operations that a mathematical function stands for."""
_BYTES = 12
"""Bytes that a cycle moves, between what caches and memory give."""
_FREE = ("arith.constant", "scf.yield", "scf.reduce", "vector.broadcast", "memref.subview", "memref.view")


def trip_count(loop: scf.ForOp) -> int | None:
    """The iterations of a loop with constant bounds."""
    bounds = [known_index(value) for value in (loop.lb, loop.ub, loop.step)]
    if any(bound is None for bound in bounds):
        return None
    start, stop, step = (bound for bound in bounds if bound is not None)
    return max(0, -(-(stop - start) // step))


def known_index(value: SSAValue) -> int | None:
    """The value of a constant index."""
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return op.value.value.data
    return None


def cycles(op: Operation) -> float:
    """Cycles of an operation with what it contains; a loop of unknown length counts once."""
    if isinstance(op, scf.ForOp):
        return (trip_count(op) or 1) * (1 + block_cycles(op.body.block))
    if op.regions:
        return sum(block_cycles(block) for region in op.regions for block in region.blocks)
    if op.name in _FREE:
        return 0.0
    if isinstance(op, ContractOp):
        lhs = op.lhs.type
        depth = lhs.get_shape()[-1] if isinstance(lhs, VectorType) and lhs.get_shape() else 1
        return _registers(op.results[0].type) * depth / 2
    if isinstance(op, vector.TransferReadOp | memref.LoadOp):
        return bits(op.results[0].type) / 8 / _BYTES
    if isinstance(op, vector.TransferWriteOp | memref.StoreOp):
        return bits(op.operands[0].type) / 8 / _BYTES
    weight = _FUNCTION if op.name.startswith("math.") else 1
    return sum(weight * _registers(result.type) / 2 for result in op.results)


def block_cycles(block: Block) -> float:
    """Cycles of a block run once."""
    return sum(cycles(op) for op in block.ops)


def _registers(kind: Attribute) -> float:
    """Vector registers that hold a value; a scalar is assumed to become an element of one."""
    return bits(kind) / _VECTOR_BITS


def bits(kind: Attribute) -> int:
    """The size of a value, an element or a vector."""
    element = kind.element_type if isinstance(kind, VectorType) else kind
    count = prod(kind.get_shape()) if isinstance(kind, VectorType) else 1
    if isinstance(element, IntegerType):
        return count * element.width.data
    return count * (element.bitwidth if isinstance(element, AnyFloat) else 64)
