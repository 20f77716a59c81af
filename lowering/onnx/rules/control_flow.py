"""Operators with graph attributes: branches by a condition, and loops of known length, which are unrolled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.constants import constant_value
from lamina.dialects.nn.base import DYNAMIC
from lamina.dialects.onnx.operations import OnnxOp, Yield
from lamina.lowering.importing.emitter import Unsupported, axis_of, element, rank, shape
from lamina.lowering.onnx.node import Node, Unconverted
from lamina.lowering.onnx.rule_table import onnx_rule

MAX_TURNS = 512
"""Turns up to which a loop is unrolled."""


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
    node.convert_ops(list(block.ops))
    if any(isinstance(op, OnnxOp) and not isinstance(op, Yield) for op in block.ops):
        raise Unconverted


def inlined(node: Node, block: Block, arguments: Sequence[SSAValue] = ()) -> list[SSAValue]:
    """A graph attribute's ops in front of the node, converted; returns what the graph yields."""
    for formal, value in zip(block.args, arguments, strict=True):
        formal.replace_all_uses_with(value)
    end = block.last_op
    ops = [op for op in block.ops if op is not end]
    for op in ops:
        op.detach()
        Rewriter.insert_op(op, InsertPoint.before(node.op))
    node.convert_ops(ops)
    results = list(end.operands) if end is not None else []
    if any(isinstance(op, OnnxOp) and op.parent is not None for op in ops):
        raise Unconverted
    return results


@onnx_rule("Loop")
def loop(node: Node) -> Sequence[SSAValue]:
    """A loop that runs a known number of times, unrolled; values of each turn are stacked."""
    trips, condition = node.constant(0), node.constant(1)
    state = [node.operand(i) for i in range(2, len(node.op.operands))]
    if node.optional(0) is None or trips is None:
        raise Unsupported("how often it runs is not known before the model runs")
    count = int(trips.reshape(-1)[0])
    if count > MAX_TURNS:
        raise Unsupported(f"it runs {count} times, loops are unrolled up to {MAX_TURNS} turns")
    if node.optional(1) is not None and condition is None:
        raise Unsupported("whether it runs at all is not known before the model runs")
    going = condition is None or bool(condition.reshape(-1)[0])
    stacked: list[list[SSAValue]] = []
    for turn in range(count):
        if not going:
            break
        number = node.constant_of(np.array(turn, np.int64))
        body = node.op.regions[0].clone().block
        results = inlined(node, body, [number, node.constant_of(np.array(True)), *state])
        state, parts = results[1 : 1 + len(state)], results[1 + len(state) :]
        stacked.append([node.emit("unsqueeze", part, axes=[0]) for part in parts])
        next_condition = constant_value(results[0])
        if next_condition is None:
            raise Unsupported("whether it goes on is not known before the model runs")
        going = bool(next_condition.reshape(-1)[0])
    return [*state, *_stacked(node, stacked, len(state))]


def _stacked(node: Node, turns: list[list[SSAValue]], states: int) -> list[SSAValue]:
    """The values of all turns one after the other."""
    if not turns and node.result_count > states:
        raise Unsupported("it does not run, so that the shapes of its results are unknown")
    return [node.emit("concat", *parts, axis=0) for parts in zip(*turns, strict=True)]


@onnx_rule("Scan", since=9)
def scan(node: Node) -> Sequence[SSAValue]:
    """A loop over slices of its operands, unrolled; slices of results are stacked."""
    body = node.op.regions[0]
    count = node.attribute("num_scan_inputs")
    operands = node.all_operands()
    state, scanned = operands[: len(operands) - count], operands[len(operands) - count :]
    axes = [axis_of(a, rank(x)) for a, x in zip(_each(node, "scan_input_axes", count), scanned, strict=True)]
    backwards = _each(node, "scan_input_directions", count)
    turns = shape(scanned[0])[axes[0]]
    if not 0 < turns <= MAX_TURNS:
        raise Unsupported(f"its number of turns has to be known, and from 1 to {MAX_TURNS}")
    outputs: list[list[SSAValue]] = []
    for turn in range(turns):
        places = [turns - 1 - turn if back else turn for back in backwards]
        parts = [
            node.emit("gather", x, node.constant_of(np.array(place, np.int64)), axis=axis)
            for x, axis, place in zip(scanned, axes, places, strict=True)
        ]
        results = inlined(node, body.clone().block, [*state, *parts])
        state, slices = results[: len(state)], results[len(state) :]
        outputs.append(slices)
    return [*state, *_scanned(node, [list(parts) for parts in zip(*outputs, strict=True)])]


def _scanned(node: Node, outputs: list[list[SSAValue]]) -> list[SSAValue]:
    """The results that are made of a slice of each turn."""
    axes = _each(node, "scan_output_axes", len(outputs))
    backwards = _each(node, "scan_output_directions", len(outputs))
    stacked: list[SSAValue] = []
    for parts, axis, back in zip(outputs, axes, backwards, strict=True):
        place = axis_of(axis, rank(parts[0]) + 1)
        slices = [node.emit("unsqueeze", part, axes=[place]) for part in parts]
        stacked.append(node.emit("concat", *(reversed(slices) if back else slices), axis=place))
    return stacked


def _each(node: Node, name: str, count: int) -> list[int]:
    """A list attribute with an entry for each of so many values, by default zeros."""
    return list(node.attribute(name) or [0] * count)


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
