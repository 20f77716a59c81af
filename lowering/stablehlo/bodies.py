"""What regions on scalars compute, as expressions that can be compared.

An expression is the number of an argument, or a tuple of the operation's name, what else tells it from
others, and its operands. Operands of commutative operations are in a fixed order.
"""

from __future__ import annotations

from typing import TypeAlias

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from lamina.dialects.core.constants import as_array
from lamina.dialects.stablehlo.binary import CompareOp
from lamina.dialects.stablehlo.constants import ConstantOp
from lamina.lowering.importing.emitter import Unsupported

Expression: TypeAlias = "int | tuple[object, ...]"

_COMMUTATIVE = ("add", "multiply", "maximum", "minimum", "and", "or", "xor")


def results_of(block: Block) -> list[Expression]:
    """The expressions that a region's block returns, over the block's arguments."""
    end = block.last_op
    if end is None or end.name != "stablehlo.return":
        raise Unsupported("its region does not end with stablehlo.return")
    return [expression(value, block) for value in end.operands]


def expression(value: SSAValue, block: Block) -> Expression:
    """The expression of one value in a block. Values from outside of the block are :class:`Unsupported`."""
    if isinstance(value, BlockArgument) and value.block is block:
        return value.index
    if not isinstance(value, OpResult):
        raise Unsupported("its region reads values from outside")
    op = value.op
    if isinstance(op, ConstantOp) and isinstance(op.value, DenseIntOrFPElementsAttr):
        return ("constant", repr(as_array(op.value).reshape(-1)[0].item()))
    if op.parent is not block:
        raise Unsupported("its region reads values from outside")
    operands = [expression(operand, block) for operand in op.operands]
    name = op.name.removeprefix("stablehlo.")
    if isinstance(op, CompareOp):
        return _comparison(op, operands)
    if name in _COMMUTATIVE:
        operands.sort(key=repr)
    return (name, *_details(op), *operands)


def _details(op: Operation) -> tuple[str, ...]:
    return tuple(f"{name}={value}" for name, value in sorted(op.properties.items()))


def _comparison(op: CompareOp, operands: list[Expression]) -> Expression:
    """A comparison as EQ, NE, LT or LE; the kind only where it is the total order."""
    direction = op.comparison_direction.data
    total = ("total",) if op.compare_type is not None and op.compare_type.data == "TOTALORDER" else ()
    if direction in ("GT", "GE"):
        return ("compare", {"GT": "LT", "GE": "LE"}[direction], *total, *reversed(operands))
    if direction in ("EQ", "NE"):
        operands = sorted(operands, key=repr)
    return ("compare", direction, *total, *operands)


def combined_by(result: Expression, a: int, b: int) -> str | None:
    """The name of the operation that combines two arguments, or None for another expression."""
    if isinstance(result, tuple) and len(result) == 3 and set(result[1:]) == {a, b}:
        return str(result[0])
    return None
