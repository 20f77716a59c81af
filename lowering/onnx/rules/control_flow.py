"""Operators with graph attributes: branches by a condition, and loops of known length, which are unrolled."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.constants import constant_value
from lamina.dialects.nn.base import DYNAMIC
from lamina.dialects.onnx.operations import OnnxOp, Yield
from lamina.lowering.onnx.node import Node, Unconverted, Unsupported, element, shape
from lamina.lowering.onnx.rule_table import onnx_rule


@onnx_rule("If")
def branch(node: Node) -> Sequence[SSAValue]:
    """The branch that a constant condition takes, or ``scf.if`` with both."""
    condition = node.operand(0)
    otherwise, then = node.op.regions
    value = constant_value(condition)
    if value is not None:
        return inlined(node, (then if value.reshape(-1)[0] else otherwise).block)
    flag = node.emit("reshape", node.cast(condition, i1), shape=[])
    for region in (then, otherwise):
        converted(node, region.block)
    yields = [region.block.last_op for region in (then, otherwise)]
    values = [list(op.operands) if op is not None else [] for op in yields]
    types = [_joined(a, b) for a, b in zip(*values, strict=True)]
    for op, results in zip(yields, values, strict=True):
        _yield_as(op, results, types)
    extract = node.insert(tensor.ExtractOp(flag, [], i1))
    choice = scf.IfOp(extract.results[0], types, _moved(then), _moved(otherwise))
    return list(node.insert(choice).results)


def converted(node: Node, block: Block) -> None:
    """Convert a graph attribute's ops in place. Raises :class:`Unconverted` if some of them fail."""
    node.convert_block(block)
    if any(isinstance(op, OnnxOp) and not isinstance(op, Yield) for op in block.ops):
        raise Unconverted


def inlined(node: Node, block: Block) -> list[SSAValue]:
    """A graph attribute's ops in front of the node; returns what the graph yields."""
    converted(node, block)
    results: list[SSAValue] = []
    for op in list(block.ops):
        if isinstance(op, Yield):
            results = list(op.operands)
        else:
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(node.op))
    return results


def _joined(a: SSAValue, b: SSAValue) -> TensorType:
    """The type of a result that is one of two values."""
    if element(a) != element(b) or len(shape(a)) != len(shape(b)):
        raise Unsupported(f"its branches give values of the types {a.type} and {b.type}")
    extents = [m if m == n else DYNAMIC for m, n in zip(shape(a), shape(b), strict=True)]
    return TensorType(element(a), extents)


def _yield_as(op: Operation | None, values: Sequence[SSAValue], types: Sequence[TensorType]) -> None:
    """Replace ``onnx.Yield`` by ``scf.yield`` of values of the given types."""
    assert isinstance(op, Yield)
    casts: list[SSAValue] = []
    for value, kind in zip(values, types, strict=True):
        if value.type != kind:
            cast = tensor.CastOp(value, kind)
            cast.location = op.location
            Rewriter.insert_op(cast, InsertPoint.before(op))
            value = cast.results[0]
        casts.append(value)
    Rewriter.replace_op(op, scf.YieldOp(*casts), [])


def _moved(region: Region) -> Region:
    """A new region with the blocks of another."""
    result = Region()
    region.move_blocks(result)
    return result
